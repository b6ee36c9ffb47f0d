#pragma once

#include <string>

namespace pycuda {

// What the languages' own loaders of this library need; no business of programs.

/// The notice that `auto` fell back to the CPU device, once: empty at the second call and when there was no fall-back.
/// Each language shows it its own way.
std::string take_fallback_notice();

/// Where libpycuda_cpu is looked for first; each language's loader knows where it put the file. Has no effect once a
/// driver is open. PYCUDA_CPU_LIBRARY in the environment wins over it; the folder of this code's own shared object
/// comes last.
void set_cpu_library(const std::string& path);

}  // namespace pycuda
