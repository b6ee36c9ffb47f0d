#include "pycuda/streams/stream.hpp"

#include "captures/captures.hpp"
#include "contexts/interruptible_wait.hpp"
#include "driver/driver_table.hpp"
#include "pycuda/launching/repeated_launches.hpp"
#include "pycuda/streams/event.hpp"
#include "pycuda/streams/keeping.hpp"
#include "pycuda/threads/waiting.hpp"
#include "streams/host_calls.hpp"
#include "streams/kept_objects.hpp"
#include "streams/staging_pool.hpp"
#include "streams/stream_order.hpp"
#include "threads/deferred_release.hpp"

namespace pycuda {
namespace {

/// Registers the new stream with its context. If that fails, the stream is not returned.
Handle<StreamTraits> known(Handle<StreamTraits> stream, unsigned flags) {
    if (const auto owner = stream.owner())
        owner->attachment<StreamOrder>()->created(stream.get(), flags & CU_STREAM_NON_BLOCKING);
    return stream;
}

CUstream create(unsigned flags, int priority) {
    CUstream stream = nullptr;
    if (priority == 0)
        driver().cuStreamCreate(&stream, flags);
    else
        driver().cuStreamCreateWithPriority(&stream, flags, priority);
    return stream;
}

/// Afterwards the stream's work is complete.
void wait_or_settle(const Stream& stream, CUstream queue) {
    if (driver().cuStreamSynchronize.try_call(queue) == CUDA_SUCCESS) return;
    if (const auto staging = stream.context()->attachment_if_any<StagingPool>()) staging->settle(&queue);
}

void keep(const Stream& stream, std::shared_ptr<void> object, std::shared_ptr<GrowingObject> growing) {
    try {
        const auto queue = stream.use();
        try {
            const auto owner = stream.context();
            const auto kept = owner->attachment<KeptObjects>();
            if (kept->try_keep(queue, object, growing)) return;
            if (growing) growing->seal();
            const ContextHold hold(owner);
            kept->keep(queue, object);
        } catch (...) {
            const WaitScope unlocked;
            wait_or_settle(stream, queue);
            throw;
        }
    } catch (...) {
        growing.reset();
        release_later(std::move(object));  // this thread may hold a lock that its destructor waits for
        throw;
    }
}

}  // namespace

void StreamTraits::destroy(CUstream stream, Context* owner) noexcept {
    captures::abandon(stream);
    if (const auto kept = owner ? owner->attachment_if_any<KeptObjects>() : nullptr) kept->stream_ends(stream);
    if (const auto streams = owner ? owner->attachment_if_any<StreamOrder>() : nullptr) streams->ending(stream);
    forget_launch_graphs_of(stream);
    driver().cuStreamDestroy.clean_up(stream);
}

// Get the context first: nothing may fail between the stream's creation and that of its owner.
Stream::Stream(unsigned flags, int priority) {
    auto owner = Context::owner_of_new();
    stream_ = known({create(flags, priority), std::move(owner)}, flags);
}

Stream Stream::from_handle(CUstream handle) {
    // Null is not a handle of ours, and the legacy default stream has its own name.
    return Stream(Handle<StreamTraits>::borrow(handle ? handle : CU_STREAM_LEGACY, Context::current()));
}

Stream Stream::adopt(CUstream stream, std::shared_ptr<Context> owner, unsigned flags) {
    Handle<StreamTraits> handle(stream, owner);
    const ContextScope scope(*owner);
    return Stream(known(std::move(handle), flags));
}

unsigned Stream::flags() const {
    unsigned flags = 0;
    const auto stream = use();
    if (any_capture_is_open()) captures::require_none_of(stream, "Stream.flags", "ask before it begins");
    driver().cuStreamGetFlags(stream, &flags);
    return flags;
}

int Stream::priority() const {
    int priority = 0;
    driver().cuStreamGetPriority(use(), &priority);
    return priority;
}

std::uint64_t Stream::id() const {
    unsigned long long number = 0;
    const auto stream = use();
    if (any_capture_is_open()) captures::require_none_of(stream, "Stream.id", "ask before it begins");
    driver().cuStreamGetId(stream, &number);
    return number;
}

Device Stream::device() const {
    const auto owner = context();
    const ContextScope scope(*owner);
    if (!driver().cuStreamGetDevice.is_available()) return Context::get_device();
    CUdevice ordinal = 0;
    driver().cuStreamGetDevice(use(), &ordinal);
    return Device(ordinal);
}

void Stream::copy_attributes(const Stream& source) const {
    driver().cuStreamCopyAttributes(use(), source.use());
}

CUlaunchAttributeValue Stream::attribute(LaunchAttribute attribute) const {
    CUlaunchAttributeValue value{};
    const auto& ask = driver().cuStreamGetAttribute;
    if (const CUresult result = ask.try_call(use(), static_cast<CUlaunchAttributeID>(attribute), &value))
        ask.fail(result, "attribute " + std::to_string(static_cast<int>(attribute)));
    return value;
}

void Stream::set_attribute(LaunchAttribute attribute, const CUlaunchAttributeValue& value) const {
    const auto stream = use();
    const auto& set = driver().cuStreamSetAttribute;
    if (const CUresult result = set.try_call(stream, static_cast<CUlaunchAttributeID>(attribute), &value))
        set.fail(result, "attribute " + std::to_string(static_cast<int>(attribute)));
    forget_launch_graphs_of(stream);
}

void Stream::synchronize() const {
    const auto in_use = use();
    const CUstream stream = in_use;
    if (any_capture_is_open()) {
        captures::require_none_of(stream, "Stream.synchronize", "launch its graph first");
        require_no_capture("Stream.synchronize", "wait before it begins");
    }
    wait_in_driver([stream] { return driver().cuStreamQuery.try_call(stream); }, driver().cuStreamSynchronize, stream);
}

bool Stream::is_done() const {
    const auto in_use = use();
    if (any_capture_is_open()) {
        captures::require_none_of(in_use, "Stream.is_done", "launch its graph first");
        require_no_capture("Stream.is_done", "ask before it begins");
    }
    const CUresult result = driver().cuStreamQuery.try_call(in_use);
    if (result != CUDA_SUCCESS && result != CUDA_ERROR_NOT_READY) driver().cuStreamQuery.fail(result, "");
    return result == CUDA_SUCCESS;
}

void Stream::wait_for_event(const Event& event) const {
    driver().cuStreamWaitEvent(use(), event.use(), 0);
}

void Stream::wait_for_external_event(const Event& event) const {
    const auto queue = use();
    const auto graph = any_capture_is_open() ? captures::resources_of(queue) : nullptr;
    driver().cuStreamWaitEvent(queue, event.use(), graph ? CU_EVENT_WAIT_EXTERNAL : 0);
    if (graph) event.keep_in(graph);
}

void Stream::add_host_function(std::function<void()> function) const {
    const auto queue = use();
    const auto owner = context();
    const ContextHold hold(owner);
    owner->attachment<HostCalls>()->queue(queue, std::move(function));
}

void Stream::keep_until_done(std::shared_ptr<void> object) const {
    keep(*this, std::move(object), nullptr);
}

void keep_until_done(const Stream* stream, std::shared_ptr<void> object) {
    if (stream)
        stream->keep_until_done(std::move(object));
    else
        Stream::from_handle(nullptr).keep_until_done(std::move(object));
}

void keep_until_done(const Stream& stream, std::shared_ptr<GrowingObject> object) {
    keep(stream, object, object);
}

}  // namespace pycuda
