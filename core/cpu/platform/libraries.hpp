#pragma once

namespace cpu::platform {

/// The library that unpacks zstd.
extern const char* const zstd_library;
/// A library's function; null if the library, which stays loaded, or the function is missing.
void* function_of(const char* library, const char* name) noexcept;

/// Finds OpenGL's functions by name.
using FindOpenGl = void* (*)(const char* name);
/// Null if no context of OpenGL is current on this thread.
FindOpenGl opengl_of_this_thread() noexcept;

}  // namespace cpu::platform
