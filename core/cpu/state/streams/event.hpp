#pragma once

#include "state/registry.hpp"
#include "state/streams/ipc_event.hpp"
#include "state/streams/timeline.hpp"

#include <cuda.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace cpu::state {

class Context;
class Stream;

namespace graphs {
struct CapturedPoint;
}

/// A recording by work that is still to be queued.
struct PendingRecording {
    /// Called after the work is queued and before the event is destroyed: from then on, waits for the event wait for
    /// this work. If called earlier, a waiting operation could be queued before the work in its own stream.
    std::function<void()> publish;
    /// Called by the work when it is done.
    std::function<void()> complete;
};

/// A point in a stream's work, and the time when it was reached.
class Event {
public:
    Event(std::shared_ptr<Context> context, unsigned flags);
    /// An event of another process.
    Event(std::shared_ptr<Context> context, std::shared_ptr<SharedPoint> shared);

    const std::shared_ptr<Context>& context() const noexcept { return context_; }
    unsigned flags() const noexcept { return flags_; }

    /// The state shared with other processes; nullptr unless created with CU_EVENT_INTERPROCESS.
    const std::shared_ptr<SharedPoint>& shared() const noexcept { return shared_; }

    /// Replaces the last recording by the point after all current work of `stream`.
    void record(Stream& stream);
    /// The same for the point after all current work of all streams of `context`.
    void record(Context& context);
    /// Begins a recording, which the result completes.
    PendingRecording begin_recording();
    /// A function that waits for the current last recording, whenever it is called.
    std::function<void()> waiting() const;
    bool is_recorded() const { return shared_ ? shared_->recorded() != 0 : recording() != nullptr; }
    /// Also true if it was never recorded, as in the real driver.
    bool reached() const;
    void synchronize() const;
    /// The point of the last recording; none for an event shared with other processes.
    std::vector<Fence> fences() const;
    /// Makes later work in `stream` wait for the last recording.
    void hold_back(Stream& stream) const;
    /// The same for every stream of `context`, including those created later.
    void hold_back(Context& context) const;
    /// The milliseconds from this event's point to `end`'s. Throws CUDA_ERROR_INVALID_HANDLE for an event that was not
    /// recorded or has no timing, CUDA_ERROR_NOT_READY if one is pending.
    float milliseconds_to(const Event& end) const;

    /// True if it was last recorded in a stream being captured: then it is not a point in time.
    bool is_captured() const noexcept { return is_captured_.load(std::memory_order_relaxed); }
    std::shared_ptr<const graphs::CapturedPoint> captured() const;
    void set_captured(std::shared_ptr<const graphs::CapturedPoint> point);

private:
    /// One call of record.
    struct Recording {
        std::vector<Fence> fences;
        bool reached() const noexcept;
        std::atomic<std::int64_t> nanoseconds{0};
    };
    std::shared_ptr<const Recording> recording() const;

    std::shared_ptr<Context> context_;
    unsigned flags_;
    std::shared_ptr<SharedPoint> shared_;
    mutable std::mutex mutex_;
    std::shared_ptr<Recording> recording_;
    std::atomic<bool> is_captured_{false};
    std::shared_ptr<const graphs::CapturedPoint> captured_;
};

inline Registry<Event, CUevent>& events() {
    return registry<Event, CUevent>();
}

}  // namespace cpu::state
