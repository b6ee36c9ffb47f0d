#pragma once

#include <string>

namespace pycuda {

// Shared libraries, as this system loads them. What is loaded stays so to the end of the process.

/// The library of this path, or, without a folder, of this name where the system looks for libraries. Its symbols are
/// resolved now, and seen by no other library. Null when it cannot be loaded; `why`, if given, receives the reason.
void* load_library(const std::string& path, std::string* why = nullptr);

/// The address of a symbol; null if the library has none of that name.
void* library_symbol(void* library, const char* name) noexcept;

/// Make this library, and no other, call `function` where it calls the imported function `name`. False if it imports
/// none of that name.
bool replace_import(void* library, const char* name, void* function) noexcept;

/// Whether the system could load the library. It is not kept.
bool has_library(const char* name);

/// The path of the shared object (or program) that the core is in; empty when the system cannot tell.
std::string path_of_own_library();

}  // namespace pycuda
