#pragma once

#include <atomic>
#include <thread>

namespace pycuda {

/// A lock for a few dozen instructions, a third of the cost of a std::mutex: code under it must not wait. Works
/// with std::lock_guard and std::scoped_lock.
class SpinLock {
public:
    void lock() noexcept {
        for (int tries = 0; taken_.exchange(true, std::memory_order_acquire); ++tries)
            if (tries >= 64) std::this_thread::yield();  // its holder may wait for a processor
    }
    bool try_lock() noexcept { return !taken_.exchange(true, std::memory_order_acquire); }
    void unlock() noexcept { taken_.store(false, std::memory_order_release); }

private:
    std::atomic<bool> taken_{false};
};

}  // namespace pycuda
