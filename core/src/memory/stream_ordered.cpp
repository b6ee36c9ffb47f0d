#include "pycuda/stream_ordered.hpp"

#include "deferred_release.hpp"
#include "driver_table.hpp"
#include "graphs/used_by_graphs.hpp"
#include "kept_objects.hpp"
#include "pycuda/waiting.hpp"
#include "stream_ordered_take.hpp"

namespace pycuda {
namespace {

std::atomic<long>& live_allocations() {
    static std::atomic<long>& counter = live_handle_counter(StreamOrderedAllocation::name);
    return counter;
}

/// The driver's own cuMemFree does not wait for work that uses such memory. Waiting for the context would end captures:
/// then the memory goes back later.
void free_when_idle(DevicePtr address, Context& context) noexcept {
    if (any_capture_is_open()) {
        try {
            const auto free = [address] { driver().cuMemFree.clean_up(address); };
            return context.attachment<KeptObjects>()->keep_until_all_done(run_at_end(context, free));
        } catch (...) {
            return;  // out of host memory: leak it rather than break the capture
        }
    }
    static_cast<void>(
        driver().cuCtxSynchronize.try_call());  // a fault of the context is reported by the call that caused it
    driver().cuMemFree.clean_up(address);
}

bool leave_to_graphs(DevicePtr address, Context& owner) noexcept {
    return used_by_graphs::leave_to_graphs(address, &owner, [address, &owner] { free_when_idle(address, owner); });
}

}  // namespace

std::unique_ptr<StreamOrderedAllocation> mem_alloc_async(std::size_t bytes, const Stream* stream) {
    const auto& call = driver().cuMemAllocAsync;
    return StreamOrderedAllocation::take_with(bytes, stream, call, [&](CUdeviceptr* address, CUstream queue) {
        return call.try_call(address, bytes, queue);
    });
}

StreamOrderedAllocation::StreamOrderedAllocation(DevicePtr address, std::size_t size, std::shared_ptr<Context> context)
    : address_(address), size_(size), context_(std::move(context)) {
    ++live_allocations();
}

DevicePtr StreamOrderedAllocation::pointer() const {
    if (is_closed()) [[unlikely]]
        raise_closed(name);
    if (!context_->is_valid()) [[unlikely]]
        raise_context_gone(name);
    return address_;
}

std::shared_ptr<Context> StreamOrderedAllocation::context() const noexcept {
    return is_closed() ? nullptr : context_;
}

void StreamOrderedAllocation::free_async(const Stream* stream) {
    const auto queue = use_of(stream);
    static_cast<void>(pointer());
    if (!take()) raise_closed(name);
    if (leave_to_graphs(address_, *context_)) return;
    const CleanupScope scope(*context_);
    if (!scope) return;  // the memory ended with its context
    if (const CUresult result = driver().cuMemFreeAsync.try_call(address_, queue)) {
        free_when_idle(address_, *context_);
        driver().cuMemFreeAsync.fail(result, "the memory was freed at once instead");
    }
}

bool StreamOrderedAllocation::release() noexcept {
    if (!take()) return false;
    if (leave_to_graphs(address_, *context_)) return true;
    clean_up_unlocked([context = context_, address = address_] {
        if (const CleanupScope scope(*context); scope) free_when_idle(address, *context);
    });
    return true;
}

/// True for the one call that releases the memory.
bool StreamOrderedAllocation::take() noexcept {
    if (!open_.exchange(false, std::memory_order_acq_rel)) return false;
    --live_allocations();
    return true;
}

}  // namespace pycuda
