#include "state/streams/timeline.hpp"

namespace cpu::state {

namespace {
constexpr int spins_before_sleep = 300;
}

void Timeline::wait(std::uint64_t n) {
    for (int i = 0; i < spins_before_sleep; ++i) {
        if (reached(n)) return;
        spin_pause();
    }
    // Sequentially consistent with complete(): either the waiter sees the new value or the completer sees the waiter.
    waiters_.fetch_add(1);
    {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return completed_.load() >= n; });
    }
    waiters_.fetch_sub(1);
}

void Timeline::complete(std::uint64_t n) {
    completed_.store(n);
    if (waiters_.load() == 0) return;
    std::lock_guard lock(mutex_);
    changed_.notify_all();
}

}  // namespace cpu::state
