#pragma once

#include "exec/running/spin.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>

namespace cpu::state {

using exec::spin_pause;

/// The progress of one stream: operation n is finished once `completed() >= n`. Operations finish in order.
class Timeline {
public:
    std::uint64_t completed() const noexcept { return completed_.load(std::memory_order_acquire); }
    bool reached(std::uint64_t n) const noexcept { return completed() >= n; }
    /// Blocks until operation n is finished; spins for a moment first, since most work is short.
    void wait(std::uint64_t n);
    /// The same, but returns false after `patience`.
    bool wait_for(std::uint64_t n, std::chrono::milliseconds patience);
    /// Marks operation n as finished; n - 1 must be.
    void complete(std::uint64_t n);

private:
    std::atomic<std::uint64_t> completed_{0};
    std::atomic<int> waiters_{0};
    bool comes_soon(std::uint64_t n) const;

    std::mutex mutex_;
    std::condition_variable changed_;
};

/// A point on a timeline. The default one is always reached.
struct Fence {
    std::shared_ptr<Timeline> timeline;
    std::uint64_t value = 0;

    bool reached() const noexcept { return !timeline || timeline->reached(value); }
    void wait() const {
        if (timeline) timeline->wait(value);
    }
    bool wait_for(std::chrono::milliseconds patience) const { return !timeline || timeline->wait_for(value, patience); }
};

}  // namespace cpu::state
