#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

#include "pycuda/threads/held_ends.hpp"

namespace pycuda {

/// A lock of the language, such as the GIL, that must not be held while waiting for the device, because host functions
/// take it. Set once, by the language module. Every member may be called on any thread.
struct LanguageLock {
    /// Release the lock. Return the argument for reacquire, or null if this thread does not hold the lock.
    void* (*release)() noexcept;
    void (*reacquire)(void* released) noexcept;
    /// True if the process is ending: host functions in streams then never get the lock, so waiting for them would
    /// never end.
    bool (*is_lost)() noexcept;
};
void set_language_lock(const LanguageLock& lock) noexcept;

/// Releases the language's lock for a scope. Opened around code that waits for the device or for another thread and may
/// be called with the lock held, such as destructors. Takes a few nanoseconds if the lock is not held.
class WaitScope {
public:
    WaitScope() noexcept;
    ~WaitScope();
    WaitScope(const WaitScope&) = delete;
    WaitScope& operator=(const WaitScope&) = delete;

private:
    void* released_;
};

/// Locks a mutex that is held during driver calls, which may wait for a host function of the language: no thread waits
/// for such a mutex while it holds the language's lock.
template <class Mutex>
[[nodiscard]] std::unique_lock<Mutex> lock_over_calls(Mutex& mutex) {
    std::unique_lock lock(mutex, std::try_to_lock);
    if (!lock) {
        const WaitScope unlocked;
        lock.lock();
    }
    return lock;
}

/// True on a driver thread that runs a host function: no driver call is allowed there.
bool in_host_function() noexcept;

/// True if the process is ending with host functions of the language left in streams: then do not begin to wait.
bool must_not_wait() noexcept;

namespace forks {
inline std::atomic<bool> is_child{false};
}

/// True in a child that was forked after init. CUDA does not work there, and threads that exist only in the parent may
/// hold locks of this library's objects. So the child leaves the parent's objects alone: destroying one does nothing,
/// and calls that need the driver raise LogicError. Compiling works.
inline bool is_forked_child() noexcept {
    return forks::is_child.load(std::memory_order_relaxed);
}

/// Drop `last` where driver calls are allowed and no call holds its address: on another thread, or after this call.
void drop_later(std::shared_ptr<void> last) noexcept;

/// Run `job`, which destroys a driver object and may wait for work that uses it, without the language's lock. On a
/// thread that runs a host function, run it later on another thread; in the program's code within a call, after the
/// call (HeldEnds); if waiting would never end, and in a forked child, do not run it. The caller holds no lock that a
/// host function, or a thread with the language's lock, may take.
template <class Job>
void clean_up_unlocked(Job job) noexcept {
    if (is_forked_child()) [[unlikely]]
        return;
    if (in_host_function() || HeldEnds::any()) [[unlikely]] {
        struct Last {
            explicit Last(Job&& given) : job(std::move(given)) {}
            ~Last() { clean_up_unlocked(std::move(job)); }
            Job job;
        };
        try {
            drop_later(std::make_shared<Last>(std::move(job)));
        } catch (...) {
            // Without memory it is left to the end of the context.
        }
    } else if (!must_not_wait()) {
        const WaitScope unlocked;
        job();
    }
}

/// For shared objects whose destructors do this.
struct DeleteUnlocked {
    template <class T>
    void operator()(T* object) const noexcept {
        clean_up_unlocked([object] { delete object; });
    }
};

}  // namespace pycuda
