#include "state/graphs/capture.hpp"

#include "state/context.hpp"
#include "state/graphs/allocation_contents.hpp"
#include "state/graphs/kernel_content.hpp"
#include "state/graphs/memory_contents.hpp"
#include "state/streams/event.hpp"

#include <algorithm>
#include <functional>
#include <unordered_set>

namespace cpu::state::graphs {

std::atomic<int> open_captures{0};

namespace {

thread_local CUstreamCaptureMode thread_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

/// Guarded by structure_mutex().
std::vector<std::shared_ptr<Capture>>& captures() {
    static auto* const all = new std::vector<std::shared_ptr<Capture>>;
    return *all;
}

bool is_in(const Capture& capture, const Context& context) {
    return std::ranges::any_of(capture.streams, [&](const auto& s) { return s->context().get() == &context; });
}

bool would_hold_back_legacy(const Capture& capture, const Context& context) {
    return std::ranges::any_of(capture.streams, [&](const auto& stream) {
        return stream->context().get() == &context && !stream->non_blocking();
    });
}

/// A legacy stream cannot be used while a stream that its work waits for is being captured.
void update_legacy(Context& context) {
    if (context.is_destroyed()) return;
    const bool held_back =
        std::ranges::any_of(captures(), [&](const auto& capture) { return would_hold_back_legacy(*capture, context); });
    if (held_back || context.has_legacy_stream()) context.legacy_stream()->set_captured(held_back);
}

void join(const std::shared_ptr<Capture>& capture, Stream& stream, std::vector<Edge> dependencies) {
    stream.capture = std::make_shared<StreamCapture>(StreamCapture{capture, std::move(dependencies), {}, {}});
    capture->streams.push_back(stream.shared_from_this());
    stream.set_captured(true);
    update_legacy(*stream.context());
}

void leave(Capture& capture, const std::shared_ptr<Stream>& stream) {
    stream->set_captured(false);
    stream->capture = nullptr;
    std::erase(capture.streams, stream);
}

void finish(Capture& capture) {
    capture.ended = true;
    capture.graph->capturing = false;
    const auto streams = capture.streams;
    for (const auto& stream : streams) leave(capture, stream);
    std::erase_if(captures(), [&](const auto& other) { return other.get() == &capture; });
    open_captures.store(static_cast<int>(captures().size()));
    for (const auto& stream : streams) update_legacy(*stream->context());
}

[[noreturn]] void refuse_legacy(Stream& legacy) {
    for (const auto& capture : captures())
        if (would_hold_back_legacy(*capture, *legacy.context())) capture->invalid = true;
    fail(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
}

/// The stream's part in the capture, to which a node will be added.
StreamCapture& active_part(Stream& stream) {
    if (stream.kind() == Stream::Kind::Legacy) refuse_legacy(stream);
    require(stream.capture != nullptr, CUDA_ERROR_ILLEGAL_STATE);  // another thread may have just ended it
    require(!stream.capture->capture->invalid, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    return *stream.capture;
}

void add_edge(std::vector<Edge>& edges, const Edge& edge) {
    if (std::ranges::find(edges, edge.node, &Edge::node) == edges.end()) edges.push_back(edge);
}

void add_locked(Stream& stream, std::shared_ptr<const Content> content, bool programmatic) {
    StreamCapture& part = active_part(stream);
    std::vector<Edge> after = part.dependencies;
    if (programmatic)
        for (Edge& edge : after)
            if (edge.node->type() == CU_GRAPH_NODE_TYPE_KERNEL)
                edge.data = {CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC, 0, CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC, {}};
    part.dependencies = {{&part.capture->graph->add(std::move(content), after), {}}};
}

void add(Stream& stream, std::shared_ptr<const Content> content, bool programmatic) {
    std::lock_guard lock(structure_mutex());
    add_locked(stream, std::move(content), programmatic);
}

/// Throws CUDA_ERROR_INVALID_VALUE if the capture in which the event was recorded is over.
std::shared_ptr<Capture> open_capture_of(const CapturedPoint& point) {
    auto capture = point.capture.lock();
    require(capture && !capture->ended);
    return capture;
}

/// Checks that the stream is still in an open capture. Call with structure_mutex() held.
void require_active(Stream& stream) {
    std::lock_guard lock(structure_mutex());
    active_part(stream);
}

std::unordered_set<const Node*> with_ancestors(const std::vector<Edge>& edges) {
    std::unordered_set<const Node*> found;
    std::vector<const Node*> open;
    const auto visit = [&](const std::vector<Edge>& from) {
        for (const Edge& edge : from)
            if (found.insert(edge.node).second) open.push_back(edge.node);
    };
    visit(edges);
    while (!open.empty()) {
        const Node& node = *open.back();
        open.pop_back();
        visit(node.dependencies());
    }
    return found;
}

bool is_joined(const Capture& capture) {
    const auto reached = with_ancestors(capture.streams.front()->capture->dependencies);
    const auto all_reached = [&](const std::vector<Edge>& edges) {
        return std::ranges::all_of(edges, [&](const Edge& edge) { return reached.contains(edge.node); });
    };
    return all_reached(capture.left) && std::ranges::all_of(capture.streams, [&](const auto& stream) {
               return all_reached(stream->capture->dependencies);
           });
}

}  // namespace

void capture(Stream& stream, std::shared_ptr<const Content> content) {
    add(stream, std::move(content), false);
}

void capture_launch(Stream& stream, const std::shared_ptr<Function>& function, const LaunchRequest& request) {
    require_active(stream);
    add(stream, std::make_shared<KernelContent>(function, request), request.programmatic);
}

void capture_copy(Stream& stream, copy::Place to, copy::Place from, const copy::Extent& extent) {
    require_active(stream);
    capture(stream, std::make_shared<CopyContent>(stream.context(), std::move(to), std::move(from), extent));
}

void capture_fill(Stream& stream, copy::Fill fill) {
    require_active(stream);
    capture(stream, std::make_shared<FillContent>(stream.context(), std::move(fill)));
}

CUdeviceptr capture_allocation(Stream& stream, std::size_t bytes) {
    std::lock_guard lock(structure_mutex());
    const Graph& graph = *active_part(stream).capture->graph;
    auto content = AllocContent::of(stream.context()->device(), bytes, graph);
    const CUdeviceptr address = content->parameters().alloc.dptr;
    add_locked(stream, std::move(content), false);
    return address;
}

void capture_free(Stream& stream, CUdeviceptr pointer) {
    std::lock_guard lock(structure_mutex());
    const Graph& graph = *active_part(stream).capture->graph;
    add_locked(stream, FreeContent::of(pointer, graph), false);
}

void record(Stream& stream, Event& event) {
    if (!stream.is_captured()) return event.record(stream);
    std::lock_guard lock(structure_mutex());
    const StreamCapture& part = active_part(stream);
    event.set_captured(std::make_shared<CapturedPoint>(CapturedPoint{part.capture, part.dependencies}));
}

void refuse(Stream& stream) {
    std::lock_guard lock(structure_mutex());
    active_part(stream).capture->invalid = true;
    fail(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
}

void refuse_if_captured(Context& context) {
    if (open_captures.load(std::memory_order_relaxed) == 0) return;
    std::lock_guard lock(structure_mutex());
    bool captured = false;
    for (const auto& capture : captures())
        if (is_in(*capture, context)) captured = capture->invalid = true;
    require(!captured, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
}

void capture_wait(Stream& stream, const Event& event) {
    std::lock_guard lock(structure_mutex());
    const auto point = event.captured();
    if (!point) {
        StreamCapture& part = active_part(stream);
        if (!event.is_recorded()) return;
        part.capture->invalid = true;
        fail(CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
    }
    const auto its_capture = open_capture_of(*point);
    require(!its_capture->invalid, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    if (stream.kind() == Stream::Kind::Legacy) {
        its_capture->invalid = true;
        fail(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    }
    if (!stream.capture) return join(its_capture, stream, point->dependencies);
    StreamCapture& part = active_part(stream);
    if (part.capture != its_capture) {
        part.capture->invalid = its_capture->invalid = true;
        fail(CUDA_ERROR_STREAM_CAPTURE_MERGE);
    }
    for (const Edge& edge : point->dependencies) add_edge(part.dependencies, edge);
}

void refuse_captured(const Event& event) {
    if (!event.is_captured()) return;
    std::lock_guard lock(structure_mutex());
    const auto point = event.captured();
    if (!point) return;
    open_capture_of(*point)->invalid = true;
    fail(CUDA_ERROR_CAPTURED_EVENT);
}

bool is_in_capture(const Event& event) {
    if (!event.is_captured()) return false;
    std::lock_guard lock(structure_mutex());
    const auto point = event.captured();
    return point && open_capture_of(*point);
}

void check_unsafe_call_slowly() {
    if (thread_mode == CU_STREAM_CAPTURE_MODE_RELAXED) return;
    std::lock_guard lock(structure_mutex());
    bool prohibited = false;
    for (const auto& capture : captures()) {
        const bool own = capture->thread == std::this_thread::get_id();
        const bool concerned =
            own ? capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED
                : thread_mode == CU_STREAM_CAPTURE_MODE_GLOBAL && capture->mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
        if (concerned) prohibited = capture->invalid = true;
    }
    require(!prohibited, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
}

CUstreamCaptureMode exchange_thread_mode(CUstreamCaptureMode mode) {
    require(mode >= CU_STREAM_CAPTURE_MODE_GLOBAL && mode <= CU_STREAM_CAPTURE_MODE_RELAXED);
    return std::exchange(thread_mode, mode);
}

void begin(Stream& stream, CUstreamCaptureMode mode, const std::shared_ptr<Graph>& graph, std::vector<Edge> after) {
    static std::atomic<std::uint64_t> next_id{1};
    require(mode >= CU_STREAM_CAPTURE_MODE_GLOBAL && mode <= CU_STREAM_CAPTURE_MODE_RELAXED);
    if (stream.kind() == Stream::Kind::Legacy && stream.is_captured()) refuse_legacy(stream);
    require(stream.kind() != Stream::Kind::Legacy, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    require(!stream.capture, CUDA_ERROR_ILLEGAL_STATE);
    require(!graph || !graph->capturing);
    auto made = std::make_shared<Capture>();
    made->id = next_id.fetch_add(1);
    made->mode = mode;
    made->thread = std::this_thread::get_id();
    made->graph = graph ? graph : std::make_shared<Graph>();
    made->graph->capturing = true;
    made->into_existing = graph != nullptr;
    if (!graph) made->graph->publish();
    captures().push_back(made);
    open_captures.store(static_cast<int>(captures().size()));
    join(made, stream, std::move(after));
}

CUresult end(Stream& stream, CUgraph& graph) {
    graph = nullptr;
    if (!stream.capture) return CUDA_ERROR_ILLEGAL_STATE;
    const std::shared_ptr<Capture> ending = stream.capture->capture;
    if (ending->streams.front().get() != &stream) {
        ending->invalid = true;
        return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
    }
    CUresult result = CUDA_SUCCESS;
    if (ending->mode != CU_STREAM_CAPTURE_MODE_RELAXED && ending->thread != std::this_thread::get_id())
        result = CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
    else if (ending->invalid)
        result = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    else if (!is_joined(*ending))
        result = CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
    finish(*ending);
    if (result == CUDA_SUCCESS)
        graph = ending->graph->handle();
    else if (!ending->into_existing)
        ending->graph->retract();
    return result;
}

StreamCapture* part_of(Stream& stream) {
    const bool implicit = stream.kind() == Stream::Kind::Legacy && stream.is_captured();
    require(!implicit, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    return stream.capture.get();
}

void update_dependencies(Stream& stream, std::vector<Edge> edges, bool replace) {
    require(stream.capture != nullptr, CUDA_ERROR_ILLEGAL_STATE);
    StreamCapture& part = active_part(stream);
    for (const Edge& edge : edges) require(&edge.node->graph() == part.capture->graph.get());
    if (replace) part.dependencies.clear();
    for (const Edge& edge : edges) add_edge(part.dependencies, edge);
}

void abandon(Stream& stream) {
    std::lock_guard lock(structure_mutex());
    if (!stream.capture) return;
    const std::shared_ptr<Capture> left = stream.capture->capture;
    if (left->streams.front().get() != &stream) {
        for (const Edge& edge : stream.capture->dependencies) add_edge(left->left, edge);
        leave(*left, stream.shared_from_this());
        update_legacy(*stream.context());
        return;
    }
    finish(*left);
    if (!left->into_existing) left->graph->retract();
}

}  // namespace cpu::state::graphs
