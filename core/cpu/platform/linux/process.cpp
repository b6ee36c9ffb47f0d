#include "platform/process.hpp"

#include <pthread.h>
#include <unistd.h>

#include <cstdlib>

namespace cpu::platform {

int process_id() noexcept {
    return getpid();
}

std::uint64_t thread_number() noexcept {
    return static_cast<std::uint64_t>(pthread_self());
}

std::string host_name() {
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    return host;
}

/// It is linked with -z nodelete.
void stay_loaded() noexcept {}

void call_in_forked_children(void (*function)()) noexcept {
    static_cast<void>(pthread_atfork(nullptr, nullptr, function));
}

std::string environment(const char* name) {
    const char* const value = std::getenv(name);
    return value ? value : "";
}

std::tm local_time(std::time_t time) noexcept {
    std::tm parts{};
    localtime_r(&time, &parts);
    return parts;
}

std::filesystem::path path_of(std::string_view name) {
    return name;
}

}  // namespace cpu::platform
