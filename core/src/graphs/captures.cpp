#include "graphs/captures.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>

#include "graphs/used_by_graphs.hpp"
#include "pycuda/graphs/executable_graph.hpp"
#include "pycuda/staging.hpp"

namespace pycuda {
namespace {

struct Table {
    std::mutex mutex;
    std::vector<OpenCapture> open;
};

/// Leaked: streams may be destroyed at any time during process exit.
Table& table() {
    static auto* const instance = new Table;
    return *instance;
}

bool takes_part(const OpenCapture& capture, CUstream stream) {
    return std::find(capture.streams.begin(), capture.streams.end(), stream) != capture.streams.end();
}

/// Changes when a stream joins or leaves a capture.
std::atomic<std::uint64_t> changes_of_streams{0};

/// What this thread last noted for one stream.
struct NotedOfLate {
    std::uint64_t changes = 0;
    CUstream stream = nullptr;
    std::array<std::uint64_t, 64> keys{};

    static std::uint64_t present() noexcept { return used_by_graphs::changes() + changes_of_streams.load(); }
    std::uint64_t& place_of(std::uint64_t key) noexcept { return keys[(key >> 4 ^ key >> 10) % keys.size()]; }
    bool has(CUstream of, std::uint64_t key) noexcept {
        return stream == of && place_of(key) == key && changes == present();
    }
};

/// The nodes whose arguments this thread is reading are the first `depth` elements. The others keep their capacity.
thread_local std::vector<NodeArguments> arguments;

/// The thread-local state that each captured launch and each argument of a node needs, found by a single access.
struct GraphsOfThread {
    std::size_t depth = 0;
    NodeArguments* reading = nullptr;  ///< the last of `depth`
    NotedOfLate noted;
};
constinit thread_local GraphsOfThread here;

void set_depth(std::size_t depth) noexcept {
    here.depth = depth;
    here.reading = depth == 0 ? nullptr : &arguments[depth - 1];
}

void push_arguments(std::shared_ptr<GraphResources> resources) {
    const std::size_t depth = here.depth;
    if (arguments.size() == depth) arguments.emplace_back();
    arguments[depth].resources = std::move(resources);
    arguments[depth].memory.clear();
    set_depth(depth + 1);
    ++open_captures;
}

void note(NodeArguments& node, std::uint64_t address) {
    node.resources ? used_by_graphs::add(address, node.resources) : node.memory.push_back(address);
}

/// True if this thread must not make calls that could invalidate this capture.
bool forbids_calls_here(const OpenCapture& capture) {
    return capture.mode == CaptureMode::GLOBAL ||
           (capture.mode == CaptureMode::THREAD_LOCAL && capture.thread == std::this_thread::get_id());
}

/// A stream that joined another stream's capture is about to be destroyed.
void forget_part_of(CUstream stream) noexcept {
    Table& known = table();
    const std::lock_guard lock(known.mutex);
    for (OpenCapture& capture : known.open)
        if (capture.origin != stream && std::erase(capture.streams, stream) != 0) ++changes_of_streams;
}

/// The graph belongs to a graph that is being built, or is no longer needed.
void drop(CUgraph graph, const OpenCapture& capture) noexcept {
    if (graph && !capture.to_graph) driver().cuGraphDestroy.clean_up(graph);
}

}  // namespace

namespace captures {

void add(OpenCapture capture) {
    Table& known = table();
    const std::lock_guard lock(known.mutex);
    capture.streams.push_back(capture.origin);
    known.open.push_back(std::move(capture));
    ++changes_of_streams;
}

bool take(CUstream origin, OpenCapture& capture) noexcept {
    Table& known = table();
    const std::lock_guard lock(known.mutex);
    const auto found = std::find_if(known.open.begin(), known.open.end(),
                                    [origin](const OpenCapture& open) { return open.origin == origin; });
    if (found == known.open.end()) return false;
    capture = std::move(*found);
    known.open.erase(found);
    ++changes_of_streams;
    return true;
}

std::shared_ptr<GraphResources> resources_of(CUstream stream) {
    if (!stream || stream == CU_STREAM_LEGACY) return nullptr;  // cannot be captured
    Table& known = table();
    {
        const std::lock_guard lock(known.mutex);
        if (known.open.empty()) return nullptr;
        for (const OpenCapture& capture : known.open)
            if (takes_part(capture, stream)) return capture.graph->resources();
    }
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    cuuint64_t id = 0;
    const auto& ask = driver().cuStreamGetCaptureInfo;
    if (!ask.is_available() || ask.try_call(stream, &status, &id, nullptr, nullptr, nullptr) != CUDA_SUCCESS ||
        status == CU_STREAM_CAPTURE_STATUS_NONE)
        return nullptr;
    const std::lock_guard lock(known.mutex);
    for (OpenCapture& capture : known.open) {
        if (capture.id != id) continue;
        capture.streams.push_back(stream);
        auto resources = capture.graph->resources();
        if (const auto here = Context::current_or_null(); here && here->live_handle() != capture.context)
            resources->works_in(*here);
        return resources;
    }
    return nullptr;
}

bool has_noted(CUstream stream, std::uint64_t key) noexcept {
    return !here.reading && here.noted.has(stream, key);
}

void note_use(CUstream stream, std::uint64_t key, const std::shared_ptr<GraphResources>& resources) {
    const std::uint64_t changes = NotedOfLate::present();
    used_by_graphs::add(key, resources);
    if (here.reading) return;
    NotedOfLate& noted = here.noted;
    if (noted.stream != stream || noted.changes != changes) noted = {changes, stream, {}};
    noted.place_of(key) = key;
}

void abandon(CUstream stream, bool reachable) noexcept {
    if (!any_capture_is_open()) return;
    OpenCapture capture;
    CUgraph graph = nullptr;
    bool valid = false;
    {
        const std::lock_guard alone(begins_and_ends());
        forget_part_of(stream);
        if (!take(stream, capture)) return;
        valid = reachable && driver().cuStreamEndCapture.try_call(stream, &graph) == CUDA_SUCCESS;
    }
    drop(graph, capture);
    ended(capture, valid);
}

void ended(const OpenCapture& capture, bool valid) noexcept {
    --open_captures;
    if (valid || !capture.to_graph)
        capture.graph->capture_ended();
    else
        capture.graph->capture_into_failed();
}

void abandon_all_of(const std::shared_ptr<const std::atomic<CUcontext>>& context, bool reachable) noexcept {
    Table& known = table();
    for (;;) {
        CUstream stream = nullptr;
        {
            const std::lock_guard lock(known.mutex);
            const auto found = std::find_if(known.open.begin(), known.open.end(),
                                            [&](const OpenCapture& open) { return open.context == context; });
            if (found == known.open.end()) return;
            stream = found->origin;
        }
        abandon(stream, reachable);
    }
}

void note_failure(const char* call) noexcept {
    Table& known = table();
    const std::lock_guard lock(known.mutex);
    for (OpenCapture& capture : known.open)
        if (capture.broken_by.empty() && forbids_calls_here(capture)) capture.broken_by = call;
}

void require_none_of(CUstream stream, const char* call, const char* instead) {
    if (resources_of(stream))
        throw LogicError(call, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                         std::string("the stream is being captured: ") + instead + "; the capture continues");
}

void require_page_locked(CUstream stream, const char* call, const void* memory, std::size_t nbytes) {
    if (nbytes != 0 && !is_page_locked(memory, nbytes))
        require_none_of(stream, call, "a graph copies page-locked host memory, and this is pageable");
}

std::shared_mutex& begins_and_ends() noexcept {
    static auto* const mutex = new std::shared_mutex;  // captures may end while statics are destroyed
    return *mutex;
}

std::vector<CUstream> streams() {
    Table& known = table();
    const std::lock_guard lock(known.mutex);
    std::vector<CUstream> all;
    for (const OpenCapture& capture : known.open) all.insert(all.end(), capture.streams.begin(), capture.streams.end());
    return all;
}

}  // namespace captures

void note_memory_of_graph(CUstream stream, std::uint64_t address) {
    GraphsOfThread& mine = here;
    if (mine.reading) return note(*mine.reading, address);
    if (mine.noted.has(stream, address)) return;
    if (const auto graph = captures::resources_of(stream)) captures::note_use(stream, address, graph);
}

void note_host_memory_of_graph(CUstream stream, const void* memory) {
    note_memory_of_graph(stream, used_by_graphs::start_of(memory));
}

void require_no_capture(const char* call, const char* instead) {
    Table& known = table();
    {
        const std::lock_guard lock(known.mutex);
        if (std::none_of(known.open.begin(), known.open.end(), forbids_calls_here)) return;
    }
    throw LogicError(call, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                     std::string("this thread is capturing a stream: ") + instead + "; the capture continues");
}

void RelaxedCapture::exchange() noexcept {
    const auto& call = driver().cuThreadExchangeStreamCaptureMode;
    if (call.is_available()) static_cast<void>(call.try_call(&mode_));
}

NodeArguments* node_arguments() noexcept {
    return here.reading;
}

UseInGraph::UseInGraph(CUstream stream)
    : stream_(stream), node_(node_arguments()), graph_(node_ ? node_->resources : captures::resources_of(stream)) {}

void UseInGraph::note(std::uint64_t address) const {
    node_ ? pycuda::note(*node_, address) : captures::note_use(stream_, address, graph_);
}

void begin_node_arguments(std::shared_ptr<Graph> graph) {
    push_arguments(graph->resources());
}

void begin_updated_arguments() {
    push_arguments(nullptr);
}

void end_node_arguments() {
    if (!here.reading) return;
    --open_captures;
    NodeArguments& read = *here.reading;
    set_depth(here.depth - 1);
    read.resources.reset();
}

}  // namespace pycuda
