#include "platform/libraries.hpp"

#include <dlfcn.h>

namespace pycuda {

void* load_library(const std::string& path, std::string* why) {
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library || !why) return library;
    const char* const reason = dlerror();
    *why = reason ? reason : path + " cannot be opened";
    return nullptr;
}

void* library_symbol(void* library, const char* name) noexcept {
    return dlsym(library, name);
}

bool has_library(const char* name) {
    void* const library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    if (library) dlclose(library);
    return library != nullptr;
}

std::string path_of_own_library() {
    Dl_info info;
    const bool is_known = dladdr(reinterpret_cast<const void*>(&path_of_own_library), &info) != 0 && info.dli_fname;
    return is_known ? info.dli_fname : "";
}

}  // namespace pycuda
