#pragma once

#include <cuda.h>

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>

#include "pycuda/captures/captured_work.hpp"
#include "pycuda/contexts/context.hpp"
#include "pycuda/driver/open_captures.hpp"
#include "pycuda/streams/keeping.hpp"

namespace pycuda {

/// While a stream waits for a word or a semaphore, NVIDIA's driver (580) does not return from cuMemFree, cuMemFreeHost,
/// cuMemHostUnregister, cuArrayDestroy, cuMipmappedArrayDestroy and cuModuleUnload. Calls of other threads that
/// allocate memory or create streams then do not return either, so the program may never end the wait. Garbage
/// collectors and the threads of this library free at any moment: they put such calls off until no stream of the
/// context waits, and a wait is queued only when no such call runs. Thread-safe.
class PendingWaits : public ContextAttachment, public std::enable_shared_from_this<PendingWaits> {
public:
    explicit PendingWaits(Context& context) : context_(context.weak_from_this()) {}

    /// A wait begins, and lasts until the last reference to the result is dropped. Returns when no Free is left.
    std::shared_ptr<void> begin();
    /// The same for a wait that is about to be queued in `stream`; null is the default stream.
    static std::shared_ptr<void> begin_in(const Stream* stream);
    /// Whether a stream of any context waits.
    static bool any() noexcept { return in_process_.load() != 0; }

    static bool any_in(const Context& context) noexcept;

    /// While one exists, no wait is queued. Made before it is asked whether a stream waits.
    class Free {
    public:
        Free() noexcept { ++running_; }
        ~Free() { --running_; }
        Free(const Free&) = delete;
        Free& operator=(const Free&) = delete;

    private:
        friend PendingWaits;
        static inline constinit std::atomic<int> running_{0};
    };

    /// Waits for all work of `context`, which is current, then runs `job`, with a Free. False if it cannot: a stream is
    /// captured, or waits for what this thread may do.
    template <class Job>
    static bool run_when_idle(Context& context, const Job& job) noexcept {
        if (wait_until_idle(context) != Work::Over) return false;
        const Free running;
        if (any_in(context)) return false;  // a wait was queued meanwhile
        job();
        return true;
    }
    /// Puts `free` off if a stream of the current context waits. Otherwise returns false, after a wait for the present
    /// work if a stream ever waited there: the call that frees would wait for it with a Free, and the work may end only
    /// after a wait that the Free holds back.
    template <class Job>
    static bool put_off_or_wait(const Job& free) noexcept {
        while (!wait_for_work())
            if (put_off(free)) return true;
        return false;
    }
    /// Takes `free`, if a stream of the current context waits, for the end of the wait.
    static bool put_off(std::function<void()> free) noexcept;
    /// Drops `object` once all that was put off in the current context is freed: memory of the program whose
    /// registration may end late.
    static void drop_after_frees(std::shared_ptr<void> object) noexcept;
    /// Frees in the current context what was put off, because memory ran out: waits until no stream waits, and for
    /// other threads that free so, which may just have made room. False if no stream ever waited there.
    static bool free_now() noexcept;
    void context_ends(bool reachable) noexcept override;

private:
    static void wait_for_frees() noexcept;
    enum class Work { Over, HeldByWait, Unknown };  ///< Unknown: a capture, or no memory
    static Work wait_until_idle(Context& context) noexcept;
    /// Of the current context, if a stream ever waited there. False at once if one waits.
    static bool wait_for_work() noexcept;
    /// Of the current context; null if no stream ever waited there.
    static std::shared_ptr<PendingWaits> of_current() noexcept;
    void end_one() noexcept;
    bool free_one() noexcept;
    void free_all() noexcept;

    static inline constinit std::atomic<long> in_process_{0};
    static inline constinit std::atomic<bool> ever_{false};
    const std::weak_ptr<Context> context_;
    std::mutex mutex_;
    long count_ = 0;
    std::deque<std::function<void()>> put_off_;  ///< freed in this order
    bool frees_ = false;                         ///< one that is no longer in put_off_
    std::mutex freeing_;                         ///< held while freeing what was put off: who needs room waits for it
};

/// Queues a wait by `call`. A captured one is none until its graph is launched.
template <class Call>
void queue_wait(const Stream* stream, CUstream queue, const Call& call) {
    const bool is_queued = !any_capture_is_open() || !is_captured(queue);
    auto wait = is_queued ? PendingWaits::begin_in(stream) : nullptr;
    call();
    if (wait) keep_until_done(stream, std::move(wait));
}

/// Frees `handle` by `function`, as soon as no stream of the current context waits, in a job of clean_up_unlocked.
/// Without `may_wait`, work that runs meanwhile holds back waits of other threads: for code that holds locks or has
/// waited for the work, and for the end of a context.
template <class Function, class Handle>
void free_when_none_waits(const Function& function, Handle handle, bool may_wait = true) noexcept {
    const auto free = [&function, handle] { function.clean_up(handle); };
    if (may_wait && PendingWaits::put_off_or_wait(free)) return;
    const PendingWaits::Free running;
    if (PendingWaits::any() && PendingWaits::put_off(free)) [[unlikely]]
        return;
    free();
}

}  // namespace pycuda
