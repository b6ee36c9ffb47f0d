#include "platform/libraries.hpp"

#include <dlfcn.h>

namespace cpu::platform {

namespace {

/// A library that makes contexts current: its functions that return the thread's context, and its look-up of functions.
struct Provider {
    const char* library;
    const char* current;
    const char* find;
};
constexpr Provider providers[] = {{"libEGL.so.1", "eglGetCurrentContext", "eglGetProcAddress"},
                                  {"libGLX.so.0", "glXGetCurrentContext", "glXGetProcAddressARB"},
                                  {"libGL.so.1", "glXGetCurrentContext", "glXGetProcAddressARB"}};

/// Null if the library is not loaded, or none of its contexts is current.
FindOpenGl functions_of(const Provider& provider) noexcept {
    void* const library = dlopen(provider.library, RTLD_LAZY | RTLD_NOLOAD);
    if (!library) return nullptr;
    const auto current = reinterpret_cast<void* (*)()>(dlsym(library, provider.current));
    const auto find = reinterpret_cast<FindOpenGl>(dlsym(library, provider.find));
    const bool usable = current && find && current() != nullptr;
    dlclose(library);  // a current context keeps it loaded
    return usable ? find : nullptr;
}

}  // namespace

const char* const zstd_library = "libzstd.so.1";

void* function_of(const char* library, const char* name) noexcept {
    void* const opened = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    return opened ? dlsym(opened, name) : nullptr;
}

FindOpenGl opengl_of_this_thread() noexcept {
    for (const Provider& provider : providers)
        if (const FindOpenGl find = functions_of(provider)) return find;
    return nullptr;
}

}  // namespace cpu::platform
