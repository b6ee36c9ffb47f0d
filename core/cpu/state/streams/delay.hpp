#pragma once

#include <cstdint>

namespace cpu::state {

/// PYCUDA_CPU_DELAY="microseconds[:seed]": each piece of a stream's work waits for a random time up to the limit before
/// it starts, so that unordered streams really run in any order. Without the setting it costs nothing.
class Delay {
public:
    /// Each stream has its own random numbers: its delays do not depend on what other streams do.
    explicit Delay(std::uint64_t stream) noexcept;

    /// True if streams delay their work; constant for the life of the process.
    static bool is_on() noexcept;
    /// Waits for the next random time. One thread at a time.
    void wait();

private:
    std::uint64_t state_;
};

}  // namespace cpu::state
