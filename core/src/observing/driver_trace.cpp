#include "observing/driver_trace.hpp"

#include <charconv>
#include <cstdint>
#include <string_view>
#include <utility>

#include "observing/untraced_thread.hpp"
#include "platform/environment.hpp"
#include "platform/standard_error.hpp"
#include "pycuda/errors/error.hpp"

namespace pycuda {
namespace {

thread_local bool untraced = false;

std::string hexadecimal(std::uint64_t value) {
    char text[24] = "0x";
    return {text, std::to_chars(text + 2, text + sizeof text, value, 16).ptr};
}

}  // namespace

bool trace_enabled() noexcept {
    static const bool enabled = [] {
        const std::string value = environment("PYCUDA_TRACE");
        return !value.empty() && value != "0" && !names_a_timeline(value);
    }();
    return enabled;
}

bool names_a_timeline(std::string_view value) noexcept {
    return value.ends_with(".json") || value.ends_with(".pftrace");
}

void leave_this_thread_untraced() noexcept {
    untraced = true;
}

bool this_thread_is_untraced() noexcept {
    return untraced;
}

UntracedScope::UntracedScope() noexcept : was_untraced_(std::exchange(untraced, true)) {}

UntracedScope::~UntracedScope() {
    untraced = was_untraced_;
}

void trace_line(const char* name, const std::string& arguments, int result) {
    if (untraced) return;
    const std::string line =
        std::string("[pycuda] ") + name + "(" + arguments + ") = " + result_info(result).name + "\n";
    write_to_standard_error(line);
}

std::string trace_text(const void* pointer) {
    return pointer ? hexadecimal(reinterpret_cast<std::uintptr_t>(pointer)) : "null";
}
std::string trace_text(const char* text) {
    return text ? "\"" + std::string(text) + "\"" : "null";
}
std::string trace_text(unsigned long long address) {
    return hexadecimal(address);
}
std::string trace_text(float value) {
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

}  // namespace pycuda
