#include "state/initialization.hpp"

#include "exec/checks/checks.hpp"
#include "platform/process.hpp"
#include "state/device.hpp"
#include "state/error.hpp"

#include <atomic>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <string>

namespace cpu::state {

namespace {

std::atomic<bool> initialized{false};
std::atomic<bool> forked{false};

void in_child() {
    if (!initialized) return;
    initialized = false;
    forked = true;
}

}  // namespace

void initialize(unsigned flags) {
    require(flags == 0);
    require(!forked, CUDA_ERROR_NOT_INITIALIZED);
    if (initialized) return;
    platform::stay_loaded();
    static const bool follows_forks = [] {
        platform::call_in_forked_children(in_child);
        return true;
    }();
    static_cast<void>(follows_forks);
    require(device_count() > 0, CUDA_ERROR_NO_DEVICE);
    exec::enabled_checks();  // reports invalid settings at once
    initialized = true;
}

bool is_initialized() noexcept {
    // Devices are created at first use, which is synchronised separately.
    return initialized.load(std::memory_order_relaxed);
}

bool is_forked_child() noexcept {
    return forked.load(std::memory_order_relaxed);
}

std::optional<std::size_t> parse_bytes(std::string_view text) {
    std::size_t count = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc{}) return std::nullopt;
    std::string unit(rest, text.data() + text.size());
    for (char& c : unit) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    if (unit.ends_with('B')) unit.pop_back();
    if (unit.ends_with('I')) unit.pop_back();
    if (unit.empty()) return count;
    const std::size_t power = std::string_view("KMGT").find(unit);
    if (unit.size() != 1 || power == std::string_view::npos) return std::nullopt;
    const std::size_t shift = 10 * (power + 1);
    return count <= SIZE_MAX >> shift ? std::optional(count << shift) : std::nullopt;
}

const char* instruction_set() noexcept {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) return "AVX-512";
    if (__builtin_cpu_supports("avx2")) return "AVX2";
    return "SSE2";
#elif defined(__aarch64__)
    return "NEON";
#else
    return "scalar";
#endif
}

}  // namespace cpu::state
