#pragma once

#include <memory>
#include <mutex>
#include <utility>

namespace pycuda {

/// A lock of the language, such as the GIL, that must not be held while waiting for the device, because host functions
/// take it. Set once, by the language module. Every member may be called on any thread.
struct LanguageLock {
    /// Release the lock. Return the argument for take_back, or null if this thread does not hold the lock.
    void* (*give_up)() noexcept;
    void (*take_back)(void* given_up) noexcept;
    /// The process ends, and functions that wait in streams never get the lock: to wait for them takes for ever.
    bool (*is_lost)() noexcept;
};
void set_language_lock(const LanguageLock& lock) noexcept;

/// Open around whatever waits for the device or for another thread and may be called with the language's lock held, as
/// destructors are: without the lock for that long. A few nanoseconds where it is not held.
class WaitScope {
public:
    WaitScope() noexcept;
    ~WaitScope();
    WaitScope(const WaitScope&) = delete;
    WaitScope& operator=(const WaitScope&) = delete;

private:
    void* given_up_;
};

/// Locks a mutex that is held over driver calls, which may wait for a function of the language: with the language's
/// lock no thread waits for such a mutex.
template <class Mutex>
[[nodiscard]] std::unique_lock<Mutex> lock_over_calls(Mutex& mutex) {
    std::unique_lock lock(mutex, std::try_to_lock);
    if (!lock) {
        const WaitScope unlocked;
        lock.lock();
    }
    return lock;
}

/// On a thread of the driver's that runs a host function: no driver call is allowed there.
bool in_host_function() noexcept;

/// True where the process ends with functions of the language left in streams: what waits then must not be begun.
bool must_not_wait() noexcept;

/// Drop `last` on a thread where driver calls are allowed.
void drop_elsewhere(std::shared_ptr<void> last) noexcept;

/// Runs `job`, which destroys something of the driver's and may wait for work that uses it: without the language's
/// lock; later, on another thread, where this one is running a host function; never where that would take for ever. No
/// lock is held that a host function, or a thread with the language's lock, may take.
template <class Job>
void clean_up_unlocked(Job job) noexcept {
    if (in_host_function()) [[unlikely]] {
        struct Last {
            explicit Last(Job&& given) : job(std::move(given)) {}
            ~Last() { job(); }
            Job job;
        };
        try {
            drop_elsewhere(std::make_shared<Last>(std::move(job)));
        } catch (...) {
            // Without memory it is left to the end of the context.
        }
    } else if (!must_not_wait()) {
        const WaitScope unlocked;
        job();
    }
}

/// Of shared objects whose destructors do such things.
struct DeleteUnlocked {
    template <class T>
    void operator()(T* object) const noexcept {
        clean_up_unlocked([object] { delete object; });
    }
};

}  // namespace pycuda
