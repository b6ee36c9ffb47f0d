// Capture of streams.
#include "captures/captures.hpp"
#include "pycuda/graphs/graph.hpp"
#include "pycuda/streams/stream.hpp"
#include "streams/stream_order.hpp"

namespace pycuda {
namespace {

/// A capture into a graph without nodes works like one into a new graph, which any driver supports. Returns true if the
/// nodes go to `graph` itself.
bool begin(CUstream stream, const Graph& graph, bool is_new, CaptureMode mode) {
    const auto how = static_cast<CUstreamCaptureMode>(mode);
    if (is_new) {
        const auto& call = driver().cuStreamBeginCapture;
        if (const CUresult result = call.try_call(stream, how))
            call.fail(result, !stream || stream == CU_STREAM_LEGACY ? "the default stream cannot be captured" : "");
        return false;
    }
    driver().cuStreamBeginCaptureToGraph(stream, graph.use_captured(), nullptr, nullptr, 0, how);
    return true;
}

std::string why_invalid(const OpenCapture& capture, CUresult result) {
    std::string why = capture.to_graph ? "the capture has ended, and the graph that it was part of was closed"
                                       : "the capture has ended without a graph";
    if (result == CUDA_ERROR_STREAM_CAPTURE_UNJOINED)
        return why + ": a stream that took part was not joined; record an event on it, and let this stream wait for it";
    return capture.broken_by.empty() ? why : why + ": " + capture.broken_by + " made it invalid";
}

void tell_graph(const OpenCapture& capture, bool valid) noexcept {
    try {
        if (valid && capture.to_graph) capture.graph->note_memory();
    } catch (const std::bad_alloc&) {
        // Out of memory: the driver's graph ends before its memory.
    }
    if (valid || !capture.to_graph)
        capture.graph->capture_ended();
    else
        capture.graph->capture_into_failed();
}

/// The graph that captures `stream`, for `call`.
std::shared_ptr<Graph> captured_graph(CUstream stream, const char* call) {
    auto graph = captures::graph_of(stream);
    if (!graph) throw LogicError(call, CUDA_ERROR_ILLEGAL_STATE, "the stream is not being captured");
    return graph;
}

}  // namespace

std::shared_ptr<Graph> Stream::begin_capture(CaptureMode mode) const {
    auto graph = Graph::of_capture(context());
    begin_capture_to(graph, mode);
    return graph;
}

void Stream::begin_capture_to(std::shared_ptr<Graph> to, CaptureMode mode) const {
    const auto stream = use();
    const auto owner = context();
    const ContextScope scope(*owner);
    if (any_capture_is_open()) captures::require_none_of(stream, "capture", "end that capture first");
    OpenCapture capture;
    capture.origin = stream;
    capture.context = owner->live_handle();
    capture.mode = mode;
    capture.graph = std::move(to);
    capture.resources = capture.graph->resources();
    capture.tell_graph = tell_graph;
    const bool is_new = capture.graph->is_new();
    capture.graph->capture_begins();
    std::unique_lock begins(captures_begin_and_end(), std::defer_lock);
    try {
        owner->attachment<StreamOrder>()->capture_begins();
        begins.lock();
        try {
            capture.to_graph = begin(stream, *capture.graph, is_new, mode);
        } catch (...) {
            --open_captures;
            throw;
        }
    } catch (...) {
        capture.graph->capture_ended();
        throw;
    }
    CUstreamCaptureStatus status{};
    const auto& ask = driver().cuStreamGetCaptureInfo;
    if (ask.is_available()) {
        cuuint64_t id = 0;
        static_cast<void>(ask.try_call(stream, &status, &id, nullptr, nullptr, nullptr));
        capture.id = id;
    }
    captures::add(std::move(capture));
}

std::shared_ptr<Graph> Stream::end_capture() const {
    const auto stream = use();
    const auto owner = context();
    const ContextScope scope(*owner);
    OpenCapture capture;
    std::unique_lock ends(captures_begin_and_end());
    if (!captures::take(stream, capture))
        throw LogicError("end_capture", CUDA_ERROR_ILLEGAL_STATE, "no capture began on this stream");
    if (capture.mode != CaptureMode::RELAXED && capture.thread != std::this_thread::get_id()) {
        captures::add(std::move(capture));  // the capture continues; it would not if the driver rejected the call
        driver().cuStreamEndCapture.fail(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD,
                                         "end it on the thread that began it, or capture in mode RELAXED");
    }
    CUgraph graph = nullptr;
    const CUresult result = driver().cuStreamEndCapture.try_call(stream, &graph);
    ends.unlock();
    captures::ended(capture, result == CUDA_SUCCESS);
    if (result != CUDA_SUCCESS) driver().cuStreamEndCapture.fail(result, why_invalid(capture, result));
    if (!capture.to_graph) {
        capture.graph->adopt(graph, owner);
        capture.graph->note_memory();
    }
    return capture.graph;
}

bool Stream::is_capturing() const {
    CUstreamCaptureStatus status{};
    driver().cuStreamIsCapturing(use(), &status);
    return status != CU_STREAM_CAPTURE_STATUS_NONE;
}

std::vector<GraphNode> Stream::capture_dependencies() const {
    const auto stream = use();
    const ContextScope scope(*context());
    const auto graph = captured_graph(stream, "capture_dependencies");
    CUstreamCaptureStatus status{};
    cuuint64_t id = 0;
    const CUgraphNode* nodes = nullptr;
    std::size_t count = 0;
    driver().cuStreamGetCaptureInfo(stream, &status, &id, nullptr, &nodes, &count);
    std::vector<GraphNode> found;
    for (std::size_t k = 0; k < count; ++k) found.emplace_back(graph, nodes[k]);
    return found;
}

void Stream::add_capture_dependencies(const std::vector<GraphNode>& nodes) const {
    const auto stream = use();
    const ContextScope scope(*context());
    const auto graph = captured_graph(stream, "add_capture_dependencies");
    std::vector<CUgraphNode> handles;
    for (const GraphNode& node : nodes) {
        if (node.graph() != graph)
            throw LogicError("add_capture_dependencies", CUDA_ERROR_INVALID_VALUE,
                             "expected nodes of the graph that is captured, given one of another graph");
        handles.push_back(node.handle_in_capture());
    }
    if (!handles.empty())
        driver().cuStreamUpdateCaptureDependencies(stream, handles.data(), handles.size(),
                                                   CU_STREAM_ADD_CAPTURE_DEPENDENCIES);
}

}  // namespace pycuda
