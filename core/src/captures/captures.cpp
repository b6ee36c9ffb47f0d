#include "captures/captures.hpp"

#include <algorithm>
#include <mutex>
#include <shared_mutex>
#include <utility>

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

std::shared_ptr<Graph> graph_of(CUstream stream) {
    const auto resources = resources_of(stream);
    Table& known = table();
    const std::lock_guard lock(known.mutex);
    for (const OpenCapture& capture : known.open)
        if (resources && capture.resources == resources) return capture.graph;
    return nullptr;
}

std::shared_ptr<GraphResources> resources_of(CUstream stream) {
    if (!stream || stream == CU_STREAM_LEGACY) return nullptr;  // cannot be captured
    Table& known = table();
    {
        const std::lock_guard lock(known.mutex);
        if (known.open.empty()) return nullptr;
        for (const OpenCapture& capture : known.open)
            if (takes_part(capture, stream)) return capture.resources;
    }
    const unsigned long long id = captures::id_of(stream);
    if (id == 0) return nullptr;
    const std::lock_guard lock(known.mutex);
    for (OpenCapture& capture : known.open) {
        if (capture.id != id) continue;
        capture.streams.push_back(stream);
        auto resources = capture.resources;
        if (const auto here = Context::current_or_null(); here && here->live_handle() != capture.context)
            resources->works_in(*here);
        return resources;
    }
    return nullptr;
}

bool is_open(const std::weak_ptr<GraphResources>& graph) noexcept {
    Table& known = table();
    const std::lock_guard lock(known.mutex);
    return std::any_of(known.open.begin(), known.open.end(), [&graph](const OpenCapture& capture) {
        const auto& other = capture.resources;
        return !graph.owner_before(other) && !other.owner_before(graph);
    });
}

unsigned long long id_of(CUstream stream) {
    if (!stream || stream == CU_STREAM_LEGACY) return 0;  // cannot be captured
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    cuuint64_t id = 0;
    const auto& ask = driver().cuStreamGetCaptureInfo;
    const bool is_known =
        ask.is_available() && ask.try_call(stream, &status, &id, nullptr, nullptr, nullptr) == CUDA_SUCCESS;
    return is_known && status != CU_STREAM_CAPTURE_STATUS_NONE ? id : 0;
}

bool is_open(unsigned long long id) {
    Table& known = table();
    const std::lock_guard lock(known.mutex);
    return std::any_of(known.open.begin(), known.open.end(), [id](const OpenCapture& open) { return open.id == id; });
}

std::uint64_t changes() noexcept {
    return changes_of_streams.load();
}

void abandon(CUstream stream, bool reachable) noexcept {
    if (!any_capture_is_open()) return;
    OpenCapture capture;
    CUgraph graph = nullptr;
    bool valid = false;
    {
        const std::lock_guard alone(captures_begin_and_end());
        forget_part_of(stream);
        if (!take(stream, capture)) return;
        valid = reachable && driver().cuStreamEndCapture.try_call(stream, &graph) == CUDA_SUCCESS;
    }
    if (graph && !capture.to_graph) {  // no longer needed
        capture.resources->capture_is_lost();
        driver().cuGraphDestroy.clean_up(graph);
    }
    ended(capture, valid);
}

void ended(const OpenCapture& capture, bool valid) noexcept {
    --open_captures;
    capture.tell_graph(capture, valid);
    if (!valid) capture.resources->capture_is_lost();
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

void require_none_of(CUstream stream, const char* call, const char* instead) {
    if (resources_of(stream))
        throw LogicError(call, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                         std::string("the stream is being captured: ") + instead + "; the capture continues");
}

}  // namespace captures

std::shared_mutex& captures_begin_and_end() noexcept {
    static auto* const mutex = new std::shared_mutex;  // captures may end while statics are destroyed
    return *mutex;
}

std::vector<CUstream> captured_streams() {
    Table& known = table();
    const std::lock_guard lock(known.mutex);
    std::vector<CUstream> all;
    for (const OpenCapture& capture : known.open) all.insert(all.end(), capture.streams.begin(), capture.streams.end());
    return all;
}

bool is_captured(CUstream stream) {
    return captures::resources_of(stream) != nullptr;
}

bool keep_in_graph(CUstream stream, const std::shared_ptr<void>& object) {
    const auto graph = captures::resources_of(stream);
    if (graph) graph->keep(object);
    return graph != nullptr;
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

void note_failure_in_captures(const char* call) noexcept {
    Table& known = table();
    const std::lock_guard lock(known.mutex);
    for (OpenCapture& capture : known.open)
        if (capture.broken_by.empty() && forbids_calls_here(capture)) capture.broken_by = call;
}

}  // namespace pycuda
