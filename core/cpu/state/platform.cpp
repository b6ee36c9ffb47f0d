#include "state/platform.hpp"

#include "exec/checks/checks.hpp"
#include "state/device.hpp"
#include "state/error.hpp"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <mutex>
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

std::size_t control_group_limit() {
    for (const char* path : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
        std::ifstream file(path);
        std::size_t bytes = 0;
        if (file >> bytes && bytes > 0) return bytes;
    }
    return SIZE_MAX;
}

}  // namespace

void initialize(unsigned flags) {
    require(flags == 0);
    require(!forked, CUDA_ERROR_NOT_INITIALIZED);
    if (initialized) return;
    static std::once_flag once;
    std::call_once(once, [] { pthread_atfork(nullptr, nullptr, in_child); });
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

unsigned processor_count() noexcept {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return static_cast<unsigned>(CPU_COUNT(&set));
    return 1;
}

std::size_t physical_memory() noexcept {
    const auto installed =
        static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return std::min(installed, control_group_limit());
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
