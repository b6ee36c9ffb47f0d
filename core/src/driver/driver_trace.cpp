#include "driver_trace.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "pycuda/error.hpp"
#include "untraced_thread.hpp"

namespace pycuda {
namespace {

thread_local bool untraced = false;

std::string formatted(const char* format, auto value) {
    char text[48];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

}  // namespace

bool trace_enabled() noexcept {
    static const bool enabled = [] {
        const char* value = std::getenv("PYCUDA_TRACE");
        return value && *value && std::string_view(value) != "0";
    }();
    return enabled;
}

void leave_this_thread_untraced() noexcept {
    untraced = true;
}

void trace_line(const char* name, const std::string& arguments, int result) {
    if (untraced) return;
    const std::string line =
        std::string("[pycuda] ") + name + "(" + arguments + ") = " + result_info(result).name + "\n";
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
}

std::string trace_text(const void* pointer) {
    return pointer ? formatted("%p", pointer) : "null";
}
std::string trace_text(const char* text) {
    return text ? "\"" + std::string(text) + "\"" : "null";
}
std::string trace_text(unsigned long long address) {
    return formatted("0x%llx", address);
}
std::string trace_text(float value) {
    return formatted("%g", value);
}

}  // namespace pycuda
