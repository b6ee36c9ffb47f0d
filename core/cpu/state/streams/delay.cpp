#include "state/streams/delay.hpp"

#include "exec/environment.hpp"

#include <charconv>
#include <chrono>
#include <optional>
#include <string_view>
#include <thread>

namespace cpu::state {

namespace {

struct DelaySetting {
    std::uint64_t microseconds = 0;
    std::uint64_t seed = 0;
};

constexpr std::uint64_t longest_delay = 1'000'000;

std::optional<std::uint64_t> whole_number(std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

DelaySetting read_delay() {
    const std::string text = platform::environment("PYCUDA_CPU_DELAY");
    if (text.empty()) return {};
    const std::size_t colon = text.find(':');
    const auto microseconds = whole_number(text.substr(0, colon));
    const auto seed = colon == text.npos ? std::optional<std::uint64_t>(0) : whole_number(text.substr(colon + 1));
    if (microseconds && seed && *microseconds <= longest_delay) return {*microseconds, *seed};
    exec::ignore_setting("PYCUDA_CPU_DELAY", text, "microseconds or microseconds:seed");
    return {};
}

const DelaySetting& delay_setting() {
    static const DelaySetting read = read_delay();
    return read;
}

/// SplitMix64: adjacent seeds give unrelated numbers.
std::uint64_t next_random(std::uint64_t& state) noexcept {
    std::uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

}  // namespace

Delay::Delay(std::uint64_t stream) noexcept : state_(stream) {
    state_ = delay_setting().seed + next_random(state_);
}

bool Delay::is_on() noexcept {
    static const bool on = delay_setting().microseconds != 0;
    return on;
}

void Delay::wait() {
    const std::uint64_t microseconds = next_random(state_) % (delay_setting().microseconds + 1);
    if (microseconds) std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
}

}  // namespace cpu::state
