#pragma once

#include <string>

namespace pycuda {

// For the languages' loaders of this library, not for programs.

/// The notice that `auto` fell back to the CPU device, once: empty at later calls, and if there was no fall-back. Each
/// language shows it in its own way.
std::string take_fallback_notice();

/// Set the first path to try for libpycuda_cpu; each language's loader knows where it put the file. No effect
/// once a driver is open. PYCUDA_CPU_LIBRARY in the environment has precedence; the folder of this shared
/// object comes last.
void set_cpu_library(const std::string& path);

/// For loaders that hold libpycuda_cpu in an archive: called under a lock when the CPU device is first needed, instead
/// of searching the folder of this shared object. Returns an absolute path, or else the reason why there is none.
void set_cpu_library_source(std::string (*source)());

}  // namespace pycuda
