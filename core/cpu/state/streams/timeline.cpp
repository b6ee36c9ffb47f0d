#include "state/streams/timeline.hpp"

namespace cpu::state {

namespace {

constexpr int spins_before_sleep = 300;

/// Sequentially consistent with complete(): either the waiter sees the new value or the completer sees the waiter.
class Waiter {
public:
    explicit Waiter(std::atomic<int>& waiters) : waiters_(waiters) { waiters_.fetch_add(1); }
    ~Waiter() { waiters_.fetch_sub(1); }
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;

private:
    std::atomic<int>& waiters_;
};

}  // namespace

bool Timeline::comes_soon(std::uint64_t n) const {
    for (int i = 0; i < spins_before_sleep; ++i) {
        if (reached(n)) return true;
        spin_pause();
    }
    return false;
}

void Timeline::wait(std::uint64_t n) {
    if (comes_soon(n)) return;
    const Waiter waiter(waiters_);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return completed_.load() >= n; });
}

bool Timeline::wait_for(std::uint64_t n, std::chrono::milliseconds patience) {
    if (comes_soon(n)) return true;
    const Waiter waiter(waiters_);
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, patience, [&] { return completed_.load() >= n; });
}

void Timeline::complete(std::uint64_t n) {
    completed_.store(n);
    if (waiters_.load() == 0) return;
    std::lock_guard lock(mutex_);
    changed_.notify_all();
}

}  // namespace cpu::state
