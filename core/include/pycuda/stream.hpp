#pragma once

#include <cuda.h>

#include <functional>
#include <memory>

#include "pycuda/constants.hpp"
#include "pycuda/handle.hpp"

namespace pycuda {

class Event;
class Graph;

struct StreamTraits {
    using type = CUstream;
    static constexpr const char* what = "stream";
    static void destroy(CUstream stream, Context* owner) noexcept;
};

/// A queue of operations carried out in order, in the context current at its creation. Exclusive owner; move-only.
/// Every method raises LogicError after close.
class Stream {
public:
    /// `flags`: stream_flags. `priority`: lower is more urgent, 0 is the usual one; Context::get_stream_priority_range
    /// says which there are, and others become the nearest of these (cuStreamCreate, cuStreamCreateWithPriority).
    explicit Stream(unsigned flags = 0, int priority = 0);
    /// A stream of another library, in the current context, by its handle; 0 is the default stream. It is never
    /// destroyed here, and must outlive this object.
    static Stream from_handle(CUstream handle);
#ifndef SWIG
    /// A stream that has just been created in `owner`, which from now on is destroyed here.
    static Stream adopt(CUstream stream, std::shared_ptr<Context> owner, unsigned flags);
#endif

    unsigned flags() const;  ///< stream_flags (cuStreamGetFlags)
    int priority() const;    ///< lower is more urgent (cuStreamGetPriority)

    void synchronize() const;  ///< cuStreamSynchronize
    bool is_done() const;      ///< cuStreamQuery; raises only for real failures, never for "not ready"
    void wait_for_event(const Event& event) const;  ///< cuStreamWaitEvent

    /// From here on work that is queued becomes part of a new graph instead, also on streams that wait for events of
    /// this one (cuStreamBeginCapture). `mode` says what other calls are refused meanwhile. Gives the graph, which can
    /// be used when the capture has ended. LogicError for the default stream.
    std::shared_ptr<Graph> begin_capture(CaptureMode mode = CaptureMode::THREAD_LOCAL) const;
    /// The same, of `graph`, which may be the body of a condition, and, with a driver of CUDA 12.3
    /// (cuStreamBeginCaptureToGraph), may have nodes.
    void begin_capture_to(std::shared_ptr<Graph> graph, CaptureMode mode = CaptureMode::THREAD_LOCAL) const;
    /// The graph (cuStreamEndCapture). LogicError that says why when a call has made the capture invalid: it has ended
    /// then too, and the stream can be used.
    std::shared_ptr<Graph> end_capture() const;
    bool is_capturing() const;  ///< cuStreamIsCapturing

    /// Queue `function` (cuLaunchHostFunc): it runs when all earlier work of the stream is complete, and later work
    /// waits for it. It runs on a driver thread: it must not call the driver, wait for a thread that does, or throw.
    /// Soon after it ran, it is destroyed on a thread of this library, where all that is allowed. If the stream never
    /// reaches it, because of a fault or because the context ends, it is destroyed without being called.
    void add_host_function(std::function<void()> function) const;
    /// Release `object` once all that was queued before is done, on a thread of this library's own. Where the driver
    /// does not take that, waits until it is done, and raises.
    void keep_until_done(std::shared_ptr<void> object) const;

    CUstream handle() const { return stream_.get(); }
    Handle<StreamTraits>::Use use() const { return stream_.use(); }
    /// LogicError after close.
    std::shared_ptr<Context> context() const { return stream_.live_owner(); }
    /// Work that is queued goes on. Calls with the stream that are under way on other threads, a synchronize, are not
    /// waited for, and end as they would.
    void close() noexcept { stream_.reset(); }

private:
    explicit Stream(Handle<StreamTraits> stream) : stream_(std::move(stream)) {}
    Handle<StreamTraits> stream_;
};

/// An optional stream, for driver calls: null is the context's default stream.
inline Handle<StreamTraits>::Use use_of(const Stream* stream) {
    return stream ? stream->use() : Handle<StreamTraits>::Use();
}

}  // namespace pycuda
