#include "pycuda/streams/ordering.hpp"

#include <optional>
#include <shared_mutex>
#include <string>

#include "captures/captures.hpp"
#include "captures/use_in_graph.hpp"
#include "driver/driver_table.hpp"
#include "pycuda/streams/stream.hpp"
#include "pycuda/threads/waiting.hpp"
#include "streams/stream_marker.hpp"
#include "streams/stream_order.hpp"

namespace pycuda {
namespace {

struct Side {
    Handle<StreamTraits>::Use in_use;
    std::shared_ptr<Context> context;

    CUstream stream() const noexcept { return in_use; }
    bool is_default() const noexcept { return is_default_stream(stream()); }
};

/// Null for a closed stream. The driver's names for default streams mean those of the current context.
std::optional<Side> side_of(const Stream* stream) {
    if (!stream) return Side{{}, Context::current()};
    try {
        auto in_use = stream->use();
        const bool is_named = is_default_stream(in_use) || CUstream(in_use) == CU_STREAM_PER_THREAD;
        return Side{std::move(in_use), is_named ? Context::current() : stream->context()};
    } catch (const LogicError&) {
        return std::nullopt;
    }
}

bool are_same(const Side& one, const Side& other) {
    return *one.context == *other.context &&
           (one.stream() == other.stream() || (one.is_default() && other.is_default()));
}

/// Also in a capture of another library.
bool is_in_a_capture(CUstream stream) {
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    driver().cuStreamIsCapturing(stream, &status);
    return status != CU_STREAM_CAPTURE_STATUS_NONE;
}

/// A stream that the default stream waits for is captured: a call on the default stream would end that capture.
bool default_stream_is_blocked() {
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    const auto& ask = driver().cuStreamIsCapturing;
    const CUresult result = ask.try_call(nullptr, &status);
    if (result != CUDA_SUCCESS && result != CUDA_ERROR_STREAM_CAPTURE_IMPLICIT) ask.fail(result, "");
    return result == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
}

/// True if the driver itself orders a stream and the default stream of the same context.
bool is_blocking(const Side& side) {
    if (side.stream() == CU_STREAM_PER_THREAD) return true;
    if (const auto known = side.context->attachment<StreamOrder>()->is_non_blocking(side.stream())) return !*known;
    if (is_in_a_capture(side.stream())) return false;  // unknown: asking for its flags would end the capture
    unsigned flags = 0;
    driver().cuStreamGetFlags(side.stream(), &flags);
    return (flags & CU_STREAM_NON_BLOCKING) == 0;
}

void order_with_default(const Side& later, const Side& earlier) {
    const Side& other = later.is_default() ? earlier : later;
    const RelaxedCapture relaxed;
    if (*later.context == *earlier.context && is_blocking(other)) return;
    std::optional<StreamMarker> marker;
    {
        const std::shared_lock lock(captures_begin_and_end());
        const bool captured = is_in_a_capture(other.stream());
        // No work outside waits for a graph's. While another library captures, this thread may be forbidden to wait.
        if (captured && (later.is_default() || !any_capture_is_open())) return;
        const bool blocked = default_stream_is_blocked();
        if (!blocked || later.is_default()) marker.emplace(earlier.context, earlier.stream());
        if (!blocked && !captured) return marker->order(later.stream());
    }
    if (marker) return marker->wait();
    if (any_capture_is_open()) earlier.context->attachment<StreamOrder>()->wait_outside_captures();
}

/// A closed stream has no handle by which its remaining work could be waited for.
void order_after_everything(const Side& later) {
    const ContextScope scope(*later.context);
    const auto order = later.context->attachment<StreamOrder>();
    order->order_after_epoch(later.stream(), order->epoch());
}

CUstream named(CUstream stream) {
    return stream ? stream : CU_STREAM_LEGACY;
}

/// The number of the capture that the stream takes part in; 0 if there is none.
unsigned long long capture_of(CUstream stream) {
    return any_capture_is_open() ? captures::id_of(stream) : 0;
}

[[noreturn]] void refuse_producer(CUresult code, const char* why) {
    throw LogicError("__cuda_array_interface__", code,
                     std::string("the memory's stream ") + why + "; the capture continues");
}

/// False if `stream` belongs to another context than the current one.
bool is_of_current_context(CUstream stream) {
    CUcontext owner = nullptr;
    if (is_default_stream(stream) || stream == CU_STREAM_PER_THREAD) return true;
    driver().cuStreamGetCtx(stream, &owner);
    return owner == Context::current_handle_or_null();
}

/// Orders `consumer` on the device; false if the host has to wait instead.
bool try_order_after_producer(const CUstream* consumer, CUstream producer) {
    const std::shared_lock lock(captures_begin_and_end());
    const bool with_default = is_default_stream(producer) || (consumer && is_default_stream(*consumer));
    if (any_capture_is_open() && with_default && default_stream_is_blocked())
        refuse_producer(
            CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
            "is, or has to be waited for on, the default stream, which waits for a captured stream: wait for "
            "it before the capture begins");
    const auto theirs = capture_of(producer), ours = consumer ? capture_of(*consumer) : 0;
    if (theirs != 0 && theirs != ours)
        refuse_producer(CUDA_ERROR_STREAM_CAPTURE_ISOLATION,
                        "is being captured: its work runs when the graph is launched; use the memory in the same "
                        "capture, or after that");
    if (!consumer || theirs != ours || !is_of_current_context(producer)) return false;
    StreamMarker(Context::current(), producer).order(*consumer);
    return true;
}

}  // namespace

void order_after_producer(const CUstream* consumer, CUstream producer) {
    if (node_arguments()) consumer = nullptr;
    if (consumer && named(*consumer) == named(producer)) return;
    const WaitScope unlocked;
    const RelaxedCapture relaxed;
    if (!try_order_after_producer(consumer, producer))
        wait_in_driver([producer] { return driver().cuStreamQuery.try_call(producer); }, driver().cuStreamSynchronize,
                       producer);
}

void order_streams(const Stream* later, const Stream* earlier) {
    const WaitScope unlocked;
    const auto after = side_of(later), before = side_of(earlier);
    if (!after) return;
    if (!before) return order_after_everything(*after);
    if (are_same(*after, *before)) return;
    if (after->is_default() || before->is_default()) return order_with_default(*after, *before);
    StreamMarker(before->context, before->stream()).order(after->stream());
}

}  // namespace pycuda
