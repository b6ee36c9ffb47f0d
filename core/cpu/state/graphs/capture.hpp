#pragma once

#include "state/graphs/graph.hpp"
#include "state/graphs/unsafe_calls.hpp"
#include "state/memory/copy.hpp"

#include <cuda.h>

#include <memory>
#include <thread>
#include <vector>

namespace cpu::state {
class Context;
class Event;
class Function;
struct LaunchRequest;
}  // namespace cpu::state

namespace cpu::state::graphs {

/// A capture: the streams that take part add nodes to its graph instead of queuing work.
struct Capture {
    std::uint64_t id = 0;  ///< never reused
    CUstreamCaptureMode mode{};
    std::thread::id thread;  ///< the thread that began it
    std::shared_ptr<Graph> graph;
    bool into_existing = false;  ///< the graph belongs to the program, whatever happens to the capture
    bool invalid = false;
    bool ended = false;
    std::vector<std::shared_ptr<Stream>> streams;  ///< the first one is where it began
    std::vector<Edge> left;                        ///< the last nodes of streams that were destroyed
};

/// A stream's part in a capture. All of this is guarded by structure_mutex().
struct StreamCapture {
    std::shared_ptr<Capture> capture;
    std::vector<Edge> dependencies;  ///< the nodes that the next node depends on

    std::vector<CUgraphNode> reported_nodes;  ///< what cuStreamGetCaptureInfo returns a pointer to
    std::vector<CUgraphEdgeData> reported_edges;
};

/// What an event refers to that was recorded in a captured stream.
struct CapturedPoint {
    std::weak_ptr<Capture> capture;  ///< expired or ended if the capture is over
    std::vector<Edge> dependencies;
};

// ---- what calls on a stream do instead; for streams whose is_captured() is true ----
// They throw CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, and CUDA_ERROR_STREAM_CAPTURE_IMPLICIT for a legacy stream, which
// invalidates the captures that its work would wait for.

void capture(Stream& stream, std::shared_ptr<const Content> content);
void capture_launch(Stream& stream, const std::shared_ptr<Function>& function, const LaunchRequest& request);
void capture_copy(Stream& stream, copy::Place to, copy::Place from, const copy::Extent& extent);
void capture_fill(Stream& stream, copy::Fill fill);
CUdeviceptr capture_allocation(Stream& stream, std::size_t bytes);
/// Throws CUDA_ERROR_INVALID_VALUE if no graph allocated it.
void capture_free(Stream& stream, CUdeviceptr pointer);
/// Records the event in the stream, captured or not.
void record(Stream& stream, Event& event);
/// For a call that no graph can contain: throws CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED and invalidates the capture.
[[noreturn]] void refuse(Stream& stream);
inline void refuse_if_captured(Stream& stream) {
    if (stream.is_captured()) refuse(stream);
}
/// The same for a call that waits for, or queries, all streams of the context.
void refuse_if_captured(Context& context);

// ---- events ----

/// Makes a stream wait for an event, where either is part of a capture. Throws CUDA_ERROR_STREAM_CAPTURE_MERGE,
/// _ISOLATION, and CUDA_ERROR_INVALID_VALUE for an event whose capture is over.
void capture_wait(Stream& stream, const Event& event);
/// For a call that needs a point in time. Throws CUDA_ERROR_CAPTURED_EVENT and invalidates the capture, or
/// CUDA_ERROR_INVALID_VALUE if that is over.
void refuse_captured(const Event& event);
/// True if it was recorded in a capture that is open. Throws CUDA_ERROR_INVALID_VALUE if that is over.
bool is_in_capture(const Event& event);

// ---- the capture itself; with structure_mutex() held ----

/// `graph` is nullptr for a new one. Throws CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED for a legacy stream,
/// CUDA_ERROR_ILLEGAL_STATE if the stream is being captured already.
void begin(Stream& stream, CUstreamCaptureMode mode, const std::shared_ptr<Graph>& graph, std::vector<Edge> after);
/// Ends the capture even if an error is returned, except for ILLEGAL_STATE and UNMATCHED.
CUresult end(Stream& stream, CUgraph& graph);
/// nullptr if it is not captured. Throws CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, which does not affect any capture.
StreamCapture* part_of(Stream& stream);
inline CUstreamCaptureStatus status_of(const StreamCapture* part) noexcept {
    if (!part) return CU_STREAM_CAPTURE_STATUS_NONE;
    return part->capture->invalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED : CU_STREAM_CAPTURE_STATUS_ACTIVE;
}
void update_dependencies(Stream& stream, std::vector<Edge> edges, bool replace);

/// The stream is destroyed: a capture that began on it ends. It leaves another one, whose origin must have joined what
/// it did. Takes structure_mutex().
void abandon(Stream& stream);

}  // namespace cpu::state::graphs
