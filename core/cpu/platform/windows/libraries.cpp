#include "platform/libraries.hpp"

#include <windows.h>

#include <string>
#include <string_view>

namespace cpu::platform {

namespace {

void* address_in(HMODULE library, const char* name) noexcept {
    return reinterpret_cast<void*>(GetProcAddress(library, name));
}

/// wglGetProcAddress knows what is newer than OpenGL 1.1, and opengl32.dll what is not.
void* opengl_function(const char* name) noexcept {
    const HMODULE library = GetModuleHandleW(L"opengl32.dll");
    const auto find = reinterpret_cast<void*(WINAPI*)(const char*)>(address_in(library, "wglGetProcAddress"));
    void* const found = find(name);
    return found ? found : address_in(library, name);
}

}  // namespace

const char* const zstd_library = "libzstd.dll";

void* function_of(const char* library, const char* name) noexcept {
    const std::wstring wide(library, library + std::char_traits<char>::length(library));
    const HMODULE opened = LoadLibraryExW(wide.c_str(), nullptr, LOAD_LIBRARY_SEARCH_DEFAULT_DIRS);
    return opened ? address_in(opened, name) : nullptr;
}

FindOpenGl opengl_of_this_thread() noexcept {
    const HMODULE library = GetModuleHandleW(L"opengl32.dll");
    if (!library) return nullptr;
    const auto current = reinterpret_cast<void*(WINAPI*)()>(address_in(library, "wglGetCurrentContext"));
    return current && current() && address_in(library, "wglGetProcAddress") ? opengl_function : nullptr;
}

}  // namespace cpu::platform
