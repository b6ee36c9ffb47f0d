#pragma once

#include <cuda.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "pycuda/contexts/context.hpp"

namespace pycuda {

inline bool is_default_stream(CUstream stream) noexcept {
    return !stream || stream == CU_STREAM_LEGACY;
}

/// The order of work in one context, needed if one stream uses an object after another stream. It tracks the streams
/// that this library created, including those that ended with pending work, and points in all work that is queued in
/// the context, also by other libraries.
///
/// Functions that may call the driver need the context current. Thread-safe.
class StreamOrder : public ContextAttachment {
public:
    explicit StreamOrder(const Context& context);
    ~StreamOrder() override = default;
    void context_ends(bool reachable) noexcept override;

    // ---- streams

    /// `stream` has been created. The driver reuses handles: work left by an ended stream of the same handle comes
    /// before everything on this one.
    void created(CUstream stream, bool non_blocking);
    /// `stream` is about to be destroyed.
    void ending(CUstream stream) noexcept;
    /// From now on later work may have to be ordered after that of ended streams: there is a pool, which reuses memory.
    void ends_matter() noexcept { ends_matter_.store(true, std::memory_order_release); }

    /// A number unique to this stream within the context, even if the handle is reused later; 0 for a stream that was
    /// created elsewhere, or has ended.
    std::uint64_t life_of(CUstream stream) const;

    /// True if the driver does not order it with the default stream; empty for a stream that was created elsewhere.
    std::optional<bool> is_non_blocking(CUstream stream) const;

    /// Work queued on `later` from now on runs after the present work of `earlier`. True if that is complete already:
    /// no other stream has to be ordered after it then.
    bool order(CUstream later, CUstream earlier);
    /// The same for what is queued on any stream of the context from now on.
    void order_everything(CUstream earlier);

    // ---- epochs: all work that is queued in the context, on any stream, also by other libraries

    /// The latest epoch of the work queued so far. Makes no driver call. It adds zero instead of loading, because a
    /// load may return an older value, and record_point() must see this thread's work.
    std::uint64_t epoch() noexcept { return epoch_.fetch_add(0, std::memory_order_acq_rel); }
    /// True if the work queued up to the end of `epoch` is known to be complete. Makes no driver call.
    bool is_over(std::uint64_t epoch) const noexcept { return epoch < over_.load(std::memory_order_acquire); }
    /// Ends `epoch`, if it is the present one, so that is_over can find out as soon as its work is over.
    void end_epoch(std::uint64_t epoch);
    /// Asks the driver which epochs are complete, for later calls of is_over.
    void poll();
    /// Ask the driver whether the work queued up to the end of `epoch` is complete; true after a fault.
    /// While a capture is open, possibly false until it has ended.
    bool is_reached(std::uint64_t epoch) noexcept;
    /// Wait until the work queued up to the end of `epoch` is complete.
    void wait(std::uint64_t epoch);
    // For clean-up, which must not end a capture that another thread begins meanwhile, as cuCtxSynchronize would:
    /// Ends the present epoch, and returns it; empty while a stream is captured.
    std::optional<std::uint64_t> end_present_epoch();
    /// The same as wait, but the language cannot interrupt it. False if a stream is captured: ask is_reached later.
    bool wait_uninterrupted(std::uint64_t epoch);
    /// Work queued on `later` from now on runs after the work queued up to the end of `epoch`.
    void order_after_epoch(CUstream later, std::uint64_t epoch);
    /// The same for what is queued on any stream of the context from now on.
    void order_everything_after_epoch(std::uint64_t epoch);

    // ---- captures: nothing in a graph can wait for work outside, nor work outside for a captured stream

    /// A capture is about to begin, and counts from now on. Work that was queued before it can still be waited for.
    void capture_begins();
    /// Wait on the host for all work outside captures. While a capture is open, the functions above use this instead of
    /// ordering on the device.
    void wait_outside_captures();

private:
    struct Known {
        bool alive = true;
        bool non_blocking = false;
        std::uint64_t life = 0;
        CUevent left = nullptr;  ///< for an ended stream: reached when its work is complete; null: it is complete
    };
    /// The end of an epoch.
    struct Point {
        std::uint64_t epoch;
        CUevent event;
    };
    /// A stream that ended. The driver may reuse its handle.
    struct Ended {
        CUstream stream;
        std::uint64_t life;
    };
    /// Waits for `epoch` by `wait_for`, event by event, until a stream is captured: then returns with the lock held.
    template <class WaitFor>
    std::unique_lock<std::mutex> wait_unless_captured(std::uint64_t epoch, const WaitFor& wait_for);
    // With the lock held:
    /// Forgets the oldest ended stream if there are many, unless its work goes on.
    void remember_ended(Ended ended) noexcept;
    /// Reached when the stream's present work is complete; null if it is already.
    CUevent end_of(CUstream stream, Known& known);
    CUevent end_of(CUstream stream);
    /// Reached when the work queued up to the end of `epoch` is complete; null if it is already.
    CUevent end_of_epoch(std::uint64_t epoch);
    CUevent record_point();
    bool captures_block_default_stream() const;
    std::vector<CUevent> ends_outside_captures();
    void wait_outside_captures(std::unique_lock<std::mutex> lock);
    void record_everything(CUevent event);
    void hold_everything_back(CUevent event);
    void drop_reached_points();

    const std::shared_ptr<std::atomic<CUcontext>> context_;
    mutable std::mutex mutex_;
    std::map<CUstream, Known> streams_;
    std::deque<Ended> ended_;  ///< those in streams_ that ended, the oldest first
    std::uint64_t lives_ = 0;
    std::atomic<bool> ends_matter_{false};
    CUevent marker_ = nullptr;  ///< recorded and waited for repeatedly: a wait uses the latest record
    /// Reached when everything that all streams had to wait for is done; streams created meanwhile wait for it too.
    /// Null: never used.
    CUevent barrier_ = nullptr;

    std::atomic<std::uint64_t> epoch_{0}, over_{0};
    std::deque<Point> points_;
    std::vector<CUevent> spare_;
};

}  // namespace pycuda
