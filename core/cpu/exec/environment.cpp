#include "exec/environment.hpp"

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>
#include <string>

namespace cpu::exec {

std::string_view environment(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

void ignore_setting(const char* name, std::string_view value, std::string_view expected) {
    static auto* const mutex = new std::mutex;
    static auto* const told = new std::set<std::string>;
    const std::string setting = std::string(name) + "=" + std::string(value);
    std::lock_guard lock(*mutex);
    if (!told->insert(setting).second) return;
    std::fprintf(stderr, "pycuda: %s is not %.*s; ignored\n", setting.c_str(), static_cast<int>(expected.size()),
                 expected.data());
}

}  // namespace cpu::exec
