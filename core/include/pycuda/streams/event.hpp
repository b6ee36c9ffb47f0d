#pragma once

#include <cuda.h>

#include <array>
#include <atomic>

#include "pycuda/handles/handle.hpp"

namespace pycuda {

class GraphResources;
class Stream;

struct EventTraits {
    using type = CUevent;
    static constexpr const char* what = "event";
    /// If graphs use it, they destroy it.
    static void destroy(CUevent event, Context* owner) noexcept;
};

using IpcEventHandle = std::array<unsigned char, sizeof(CUipcEventHandle)>;

/// A marker in a stream. Exclusive owner; move-only.
class Event {
public:
    explicit Event(unsigned flags = 0);  ///< `flags`: event_flags (cuEventCreate)

    void record(const Stream* stream = nullptr);  ///< cuEventRecord; null: the default stream
    /// Record it. On a captured stream, each launch of the graph records it, so that work outside the graph can wait
    /// for it (cuEventRecordWithFlags).
    void record_external(const Stream* stream = nullptr);
    // While the stream on which it was recorded last is captured, the event can only order streams: these refuse it
    // (LogicError), and the capture goes on.
    void synchronize() const;  ///< cuEventSynchronize
    bool query() const;        ///< cuEventQuery; false if not reached yet
    /// Milliseconds between `start` and this one (cuEventElapsedTime). LogicError if either was not reached or has
    /// no timing.
    float time_since(const Event& start) const;
    float time_till(const Event& end) const { return end.time_since(*this); }

    IpcEventHandle ipc_handle() const;                           ///< cuIpcGetEventHandle
    static Event from_ipc_handle(const IpcEventHandle& handle);  ///< cuIpcOpenEventHandle

    /// The event stays alive as long as the graph, even after close.
    void keep_in(const std::shared_ptr<GraphResources>& graph) const;

    CUevent handle() const { return event_.get(); }
    Handle<EventTraits>::Use use() const { return event_.use(); }
    /// Does not wait for calls on other threads, such as synchronize, which complete
    /// normally.
    void close() noexcept { event_.reset(); }

private:
    explicit Event(Handle<EventTraits> event) : event_(std::move(event)) {}
    /// LogicError if it was recorded in an open capture, which `call` would invalidate.
    void require_not_captured(const char* call) const;

    /// The number of the capture in which it was recorded last; 0: none.
    struct Capture {
        std::atomic<unsigned long long> id{0};
        Capture() = default;
        Capture(Capture&& other) noexcept : id(other.id.load(std::memory_order_relaxed)) {}
    };
    Handle<EventTraits> event_;
    Capture capture_;
};

}  // namespace pycuda
