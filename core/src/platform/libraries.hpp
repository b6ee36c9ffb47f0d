#pragma once

#include <string>

namespace pycuda {

// Shared libraries. They stay loaded until the process ends.

/// How the names of its files begin, before their version: "libnvrtc.so" for "nvrtc".
std::string library_prefix(const std::string& name);
/// The name of a library's file with the first number of its version, or without a version.
std::string library_file(const std::string& name, int version);
std::string library_file(const std::string& name);
/// False for files beside the libraries that have their prefix, but are not to be loaded.
bool is_library_file(const std::string& name) noexcept;
/// The first number of the version in a library's file name; 0 if there is none.
int library_major_version(const std::string& path);
/// The name of a program's file.
std::string program_file(const std::string& name);
/// What the linker wrote into a program or library, so that two builds differ; empty if there is nothing of that kind.
std::string linked_build_id(const std::string& path);

/// Load the library at this path or, without a folder, the one of this name in the system's search path. Its symbols
/// are resolved now, and invisible to other libraries. Null if it cannot be loaded; `why`, if given, receives the
/// reason.
void* load_library(const std::string& path, std::string* why = nullptr);

/// The address of a symbol; null if the library has none of that name.
void* library_symbol(void* library, const char* name) noexcept;

/// From now on this library, and no other, finds that signals are ignored, and sets no handlers for them.
void forbid_signal_handlers(void* library) noexcept;

/// True if one of the system's OpenGL libraries can be loaded.
bool has_opengl();

/// True if the file is a library that another processor's programs load. False if it is no library, or cannot be read:
/// loading it says why.
bool is_for_another_processor(const std::string& path);

/// The library that contains the core is not unloaded any more: its threads run until the process ends.
void stay_loaded() noexcept;

/// The path of the shared object (or program) that contains the core; empty if it cannot be determined.
std::string path_of_own_library();

}  // namespace pycuda
