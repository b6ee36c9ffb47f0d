#pragma once

#include <cstdint>

namespace cpu::state {

/// PYCUDA_CPU_DELAY="microseconds[:seed]": each piece of a stream's work waits for a random time up to the limit before
/// it starts, so that streams that nothing orders really run in any order. Off, and without cost, when it is not set.
class Delay {
public:
    /// Each stream draws its own numbers: how long it waits does not depend on what other streams do.
    explicit Delay(std::uint64_t stream) noexcept;

    /// Whether streams delay their work; constant for the life of the process.
    static bool is_on() noexcept;
    /// Waits for the next random time. One thread at a time.
    void wait();

private:
    std::uint64_t state_;
};

}  // namespace cpu::state
