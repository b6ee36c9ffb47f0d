#pragma once

#include <cuda.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "pycuda/constants/constants.hpp"
#include "pycuda/devices/device.hpp"
#include "pycuda/handles/device_ptr.hpp"
#include "pycuda/handles/handle.hpp"

namespace pycuda {

class Event;
class ExternalSemaphore;
class Graph;
class GraphNode;
class SemaphoreValues;

struct StreamTraits {
    using type = CUstream;
    static constexpr const char* what = "stream";
    static void destroy(CUstream stream, Context* owner) noexcept;
};

/// A queue of operations that run in order, in the context current at its creation. Exclusive owner; move-only.
/// Every method raises LogicError after close.
class Stream {
public:
    /// `flags`: stream_flags. `priority`: lower is more urgent, 0 is the default; others than those
    /// of Context::get_stream_priority_range are clamped (cuStreamCreate, cuStreamCreateWithPriority).
    explicit Stream(unsigned flags = 0, int priority = 0);
    /// A stream of another library, in the current context, by its handle; 0 is the default stream. This object
    /// never destroys it, and must not outlive it.
    static Stream from_handle(CUstream handle);
#ifndef SWIG
    /// Take ownership of a stream that has just been created in `owner`.
    static Stream adopt(CUstream stream, std::shared_ptr<Context> owner, unsigned flags);
#endif

    unsigned flags() const;  ///< stream_flags (cuStreamGetFlags)
    int priority() const;    ///< lower is more urgent (cuStreamGetPriority)
    /// A number that no other stream of the process has (cuStreamGetId). Needs a driver of CUDA 12.0.
    std::uint64_t id() const;
    Device device() const;  ///< that of its context (cuStreamGetDevice, if the driver has it)
    /// Take over all attributes of `source`, a stream of the same context (cuStreamCopyAttributes).
    void copy_attributes(const Stream& source) const;
#ifndef SWIG
    /// One of the attributes that a stream has: ACCESS_POLICY_WINDOW, SYNCHRONIZATION_POLICY, PRIORITY,
    /// MEM_SYNC_DOMAIN_MAP, MEM_SYNC_DOMAIN (cuStreamGetAttribute). LogicError for another.
    CUlaunchAttributeValue attribute(LaunchAttribute attribute) const;
    /// Set it for all work that is queued from now on (cuStreamSetAttribute).
    void set_attribute(LaunchAttribute attribute, const CUlaunchAttributeValue& value) const;
#endif

    void synchronize() const;  ///< cuStreamSynchronize
    bool is_done() const;      ///< cuStreamQuery; raises only for real failures, never for "not ready"
    void wait_for_event(const Event& event) const;  ///< cuStreamWaitEvent
    /// The same, but on a captured stream each launch of the graph waits for the event as it was recorded last by then,
    /// outside the graph or by Event::record_external.
    void wait_for_external_event(const Event& event) const;

    // Words of device, managed or page-locked memory, at addresses that are multiples of their size. Later work of the
    // stream waits for them. A word may be written by the host or by another device, too.

    /// Write a word when all earlier work of the stream is complete (cuStreamWriteValue32). `flags`:
    /// stream_write_value_flags.
    void write_value32(DevicePtr word, std::uint32_t value, unsigned flags = 0) const;
    void write_value64(DevicePtr word, std::uint64_t value, unsigned flags = 0) const;  ///< cuStreamWriteValue64
    /// Let later work wait until a word has a value (cuStreamWaitValue32). `flags`: stream_wait_value_flags.
    void wait_value32(DevicePtr word, std::uint32_t value, unsigned flags = 0) const;
    void wait_value64(DevicePtr word, std::uint64_t value, unsigned flags = 0) const;  ///< cuStreamWaitValue64

    // Semaphores of other interfaces, such as Vulkan's. `value` is a timeline's; binary semaphores have none. A
    // semaphore is kept until this work is complete, and by the graph of a captured stream, even if the program closes
    // it.

    /// Signal a semaphore when all earlier work of the stream is complete (cuSignalExternalSemaphoresAsync): a timeline
    /// gets the value, a binary semaphore ends one wait.
    void signal_semaphore(std::shared_ptr<ExternalSemaphore> semaphore, std::uint64_t value = 0) const;
    /// The same for several, by one driver call; without any, a no-op.
    void signal_semaphores(const SemaphoreValues& semaphores) const;
    /// Let later work wait until a timeline has at least the value, or a binary semaphore is signalled, which the wait
    /// resets (cuWaitExternalSemaphoresAsync).
    void wait_for_semaphore(std::shared_ptr<ExternalSemaphore> semaphore, std::uint64_t value = 0) const;
    /// The same for all of several, by one driver call; without any, a no-op.
    void wait_for_semaphores(const SemaphoreValues& semaphores) const;

    /// Capture: work that is queued from here on becomes part of a new graph instead, also on streams that wait for
    /// this one's events (cuStreamBeginCapture). `mode` selects the calls that the driver rejects meanwhile. Return the
    /// graph, which can be used once the capture has ended. LogicError for the default stream.
    std::shared_ptr<Graph> begin_capture(CaptureMode mode = CaptureMode::THREAD_LOCAL) const;
    /// The same, into `graph`, which may be the body of a condition. With a driver of CUDA 12.3 or
    /// newer (cuStreamBeginCaptureToGraph) it may have nodes.
    void begin_capture_to(std::shared_ptr<Graph> graph, CaptureMode mode = CaptureMode::THREAD_LOCAL) const;
    /// End the capture and return the graph (cuStreamEndCapture). LogicError, which says why, if a call has made the
    /// capture invalid; the capture has then ended, and the stream can be used.
    std::shared_ptr<Graph> end_capture() const;
    bool is_capturing() const;  ///< cuStreamIsCapturing
    /// The nodes that the next captured node will wait for; they can be used once the capture has ended
    /// (cuStreamGetCaptureInfo). LogicError if the stream is not captured.
    std::vector<GraphNode> capture_dependencies() const;
    /// Let the next captured node wait for `nodes` of the same graph, too (cuStreamUpdateCaptureDependencies).
    void add_capture_dependencies(const std::vector<GraphNode>& nodes) const;

    /// Queue `function` (cuLaunchHostFunc): it runs when all earlier work of the stream is complete, and later work
    /// waits for it. It runs on a driver thread: it must not call the driver, wait for a thread that does, or throw.
    /// Soon afterwards it is destroyed on a thread of this library, where all of this is allowed. If the stream never
    /// reaches it, because of a fault or because the context ends, it is destroyed without being called.
    void add_host_function(std::function<void()> function) const;
    /// Release `object` on a thread of this library once all earlier work is complete. If the
    /// driver rejects that, wait for the work, then raise.
    void keep_until_done(std::shared_ptr<void> object) const;

    CUstream handle() const { return stream_.get(); }
    Handle<StreamTraits>::Use use() const { return stream_.use(); }
    /// LogicError after close.
    std::shared_ptr<Context> context() const { return stream_.live_owner(); }
    /// Queued work continues. Does not wait for calls on other threads, such as
    /// synchronize, which complete normally.
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
