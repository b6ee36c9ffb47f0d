#pragma once

#include <string>

namespace pycuda {

// Shared libraries. They stay loaded until the process ends.

/// Load the library at this path or, without a folder, the one of this name in the system's search path. Its symbols
/// are resolved now, and invisible to other libraries. Null if it cannot be loaded; `why`, if given, receives the
/// reason.
void* load_library(const std::string& path, std::string* why = nullptr);

/// The address of a symbol; null if the library has none of that name.
void* library_symbol(void* library, const char* name) noexcept;

/// Make this library, and no other, call `function` where it calls the imported function `name`. False if it imports
/// none of that name.
bool replace_import(void* library, const char* name, void* function) noexcept;

/// True if the system can load the library. It is not kept.
bool has_library(const char* name);

/// True if the file is a library that another processor's programs load. False if it is no library, or cannot be read:
/// loading it says why.
bool is_for_another_processor(const std::string& path);

/// The path of the shared object (or program) that contains the core; empty if it cannot be determined.
std::string path_of_own_library();

}  // namespace pycuda
