#include "pycuda/stream.hpp"

#include "driver_table.hpp"
#include "host_calls.hpp"
#include "pycuda/event.hpp"

namespace pycuda {
namespace {

CUstream create(unsigned flags) {
    CUstream stream = nullptr;
    driver().cuStreamCreate(&stream, flags);
    return stream;
}

CUstream create(unsigned flags, int priority) {
    CUstream stream = nullptr;
    driver().cuStreamCreateWithPriority(&stream, flags, priority);
    return stream;
}

}  // namespace

void StreamTraits::destroy(CUstream stream) noexcept {
    driver().cuStreamDestroy.clean_up(stream);
}

// The context is asked for first: nothing may fail once the stream is there.
Stream::Stream(unsigned flags) {
    auto owner = Context::owner_of_new();
    stream_ = {create(flags), std::move(owner)};
}

Stream::Stream(unsigned flags, int priority) {
    auto owner = Context::owner_of_new();
    stream_ = {create(flags, priority), std::move(owner)};
}

void Stream::synchronize() const {
    driver().cuStreamSynchronize(handle());
}

bool Stream::is_done() const {
    const CUresult result = driver().cuStreamQuery.try_call(handle());
    if (result != CUDA_SUCCESS && result != CUDA_ERROR_NOT_READY) driver().cuStreamQuery.fail(result, "");
    return result == CUDA_SUCCESS;
}

void Stream::wait_for_event(const Event& event) const {
    driver().cuStreamWaitEvent(handle(), event.handle(), 0);
}

void Stream::add_host_function(std::function<void()> function) const {
    const CUstream queue = handle();
    const auto owner = context();
    const ContextHold hold(owner);
    owner->attachment<HostCalls>()->queue(queue, std::move(function));
}

void Stream::keep_until_done(std::shared_ptr<void> object) const {
    add_host_function([object = std::move(object)] {});
}

}  // namespace pycuda
