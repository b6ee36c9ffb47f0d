#include "pycuda/streams/event.hpp"

#include <cstring>

#include "captures/captures.hpp"
#include "captures/used_by_graphs.hpp"
#include "contexts/interruptible_wait.hpp"
#include "driver/driver_table.hpp"
#include "pycuda/streams/stream.hpp"

namespace pycuda {

void EventTraits::destroy(CUevent event, Context* owner) noexcept {
    used_by_graphs::destroy_unless_used(event, owner, [event] { driver().cuEventDestroy.clean_up(event); });
}

void Event::keep_in(const std::shared_ptr<GraphResources>& graph) const {
    used_by_graphs::add(reinterpret_cast<std::uintptr_t>(handle()), graph);
}

Event::Event(unsigned flags) {
    auto owner = Context::owner_of_new();
    CUevent event = nullptr;
    driver().cuEventCreate(&event, flags);
    event_ = {event, std::move(owner)};
}

void Event::record(const Stream* stream) {
    const auto queue = use_of(stream);
    driver().cuEventRecord(use(), queue);
    const auto capture = any_capture_is_open() ? captures::id_of(queue) : 0;
    if (capture != capture_.id.load(std::memory_order_relaxed)) [[unlikely]]
        capture_.id.store(capture, std::memory_order_relaxed);
}

void Event::record_external(const Stream* stream) {
    const auto queue = use_of(stream);
    const auto graph = any_capture_is_open() ? captures::resources_of(queue) : nullptr;
    driver().cuEventRecordWithFlags(use(), queue, graph ? CU_EVENT_RECORD_EXTERNAL : CU_EVENT_RECORD_DEFAULT);
    if (graph) keep_in(graph);
    capture_.id.store(0, std::memory_order_relaxed);
}

void Event::require_not_captured(const char* call) const {
    if (!any_capture_is_open()) [[likely]]
        return;
    const auto capture = capture_.id.load(std::memory_order_relaxed);
    if (capture != 0 && captures::is_open(capture))
        throw LogicError(call, CUDA_ERROR_CAPTURED_EVENT,
                         "the event was recorded on a captured stream: it is reached when the graph runs; the capture "
                         "continues");
}

void Event::synchronize() const {
    require_not_captured("Event.synchronize");
    if (any_capture_is_open()) require_no_capture("Event.synchronize", "wait before it begins");
    const auto in_use = use();
    const CUevent event = in_use;
    wait_in_driver([event] { return driver().cuEventQuery.try_call(event); }, driver().cuEventSynchronize, event);
}

bool Event::query() const {
    require_not_captured("Event.query");
    if (any_capture_is_open()) require_no_capture("Event.query", "ask before it begins");
    const CUresult result = driver().cuEventQuery.try_call(use());
    if (result != CUDA_SUCCESS && result != CUDA_ERROR_NOT_READY) driver().cuEventQuery.fail(result, "");
    return result == CUDA_SUCCESS;
}

float Event::time_since(const Event& start) const {
    for (const Event* const event : {&start, this}) event->require_not_captured("Event.time_since");
    float milliseconds = 0;
    const auto& elapsed = driver().cuEventElapsedTime;
    const CUresult result = elapsed.try_call(&milliseconds, start.use(), use());
    // Elsewhere "not ready" is not an error; here it means that the program asked too early.
    if (result == CUDA_ERROR_NOT_READY)
        throw LogicError(elapsed.name(), result, "an event has not completed yet; synchronize first");
    if (result == CUDA_ERROR_INVALID_HANDLE)
        elapsed.fail(result, "an event was never recorded, or was created with DISABLE_TIMING");
    if (result != CUDA_SUCCESS) elapsed.fail(result, "");
    return milliseconds;
}

IpcEventHandle Event::ipc_handle() const {
    CUipcEventHandle handle{};
    if (const CUresult result = driver().cuIpcGetEventHandle.try_call(&handle, use()))
        driver().cuIpcGetEventHandle.fail(result, result == CUDA_ERROR_NOT_SUPPORTED
                                                      ? ""
                                                      : "the event needs the flags INTERPROCESS and DISABLE_TIMING");
    IpcEventHandle bytes;
    std::memcpy(bytes.data(), &handle, sizeof handle);
    return bytes;
}

Event Event::from_ipc_handle(const IpcEventHandle& bytes) {
    CUipcEventHandle handle;
    std::memcpy(&handle, bytes.data(), sizeof handle);
    auto owner = Context::owner_of_new();
    CUevent event = nullptr;
    driver().cuIpcOpenEventHandle(&event, handle);
    return Event({event, std::move(owner)});
}

}  // namespace pycuda
