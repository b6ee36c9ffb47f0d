#include "pycuda/memory/stream_ordered.hpp"

#include "captures/captures.hpp"
#include "captures/used_by_graphs.hpp"
#include "contexts/run_at_end.hpp"
#include "driver/driver_table.hpp"
#include "memory/graph_memory.hpp"
#include "memory/stream_ordered_take.hpp"
#include "pycuda/streams/stream.hpp"
#include "pycuda/threads/waiting.hpp"
#include "streams/drop_when_idle.hpp"
#include "threads/deferred_release.hpp"

namespace pycuda {
namespace {

std::atomic<long>& live_allocations() {
    static std::atomic<long>& counter = live_handle_counter(StreamOrderedAllocation::name);
    return counter;
}

/// Memory of `owner`, and the pool that it keeps.
struct Taken {
    DevicePtr address;
    std::shared_ptr<Context> owner;
    std::shared_ptr<void> pool;
};

/// An object whose end frees the memory. The driver's own cuMemFree does not wait for work that uses such memory.
std::shared_ptr<void> freed_at_end(const Taken& memory) {
    return run_at_end(*memory.owner, [address = memory.address, pool = memory.pool] {
        driver().cuMemFree.clean_up(address);  // before its pool ends
    });
}

void free_when_idle(const Taken& memory) noexcept {
    try {
        clean_up_unlocked(
            [owner = memory.owner, last = freed_at_end(memory)]() mutable { drop_when_idle(*owner, std::move(last)); });
    } catch (const std::bad_alloc&) {
        // Out of host memory: it ends with its context.
    }
}

bool leave_to_graphs(const Taken& memory) noexcept {
    return used_by_graphs::leave_to_graphs(
        memory.address, [&memory] { return run_at_end(*memory.owner, [memory] { free_when_idle(memory); }); });
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

void StreamOrderedAllocation::belongs_to(const std::shared_ptr<GraphResources>& graph) {
    is_of_graph_ = true;
    graph_ = graph;
    graph->part<GraphMemory>(*context_)->add(address_);
}

void StreamOrderedAllocation::require_open() const {
    if (is_closed()) [[unlikely]]
        raise_closed(name);
    if (!context_->is_valid()) [[unlikely]]
        raise_context_gone(name);
    if (is_of_graph_ && graph_.expired()) [[unlikely]]
        throw LogicError(
            name, 0,
            "it belongs to a graph that is gone, with its executable graphs and launches: keep one of them "
            "while the memory is used");
}

void StreamOrderedAllocation::free() {
    if (!is_of_graph_) return DeviceMemory::free();
    require_open();
    if (captures::is_open(graph_))
        throw LogicError(
            "StreamOrderedAllocation.free", 0,
            "the memory belongs to a graph that is being captured: free_async on its stream lets the graph "
            "free it");
    const auto& call = driver().cuMemFree;
    free_of_graph(call, [&] {
        const WaitScope unlocked;
        const CleanupScope scope(*context_);
        if (!scope) return CUDA_SUCCESS;  // the memory ended with its context
        CUresult result = CUDA_SUCCESS;
        if (PendingWaits::run_when_idle(*context_, [&] { result = call.try_call(address_); })) return result;
        const auto free = [&call, address = address_, graph = graph_.lock()] {  // an error could not be raised there
            static_cast<void>(call.try_call(address));
        };
        drop_when_idle(*context_, run_at_end(*context_, free));
        return CUDA_SUCCESS;
    });
}

/// Free what the last launch of its graph has left, or add a node that does.
template <class Call, class Attempt>
void StreamOrderedAllocation::free_of_graph(const Call& call, Attempt attempt) {
    const auto graph = graph_.lock();  // the address belongs to it
    require_open();
    if (!take()) raise_closed(name);
    if (const CUresult result = attempt()) {
        ++live_allocations();
        open_.store(true, std::memory_order_release);
        call.fail(result, result == CUDA_ERROR_INVALID_VALUE
                              ? "memory of a graph can be freed once after each launch that allocates it, or by a node"
                              : "");
    }
}

std::shared_ptr<Context> StreamOrderedAllocation::context() const noexcept {
    return is_closed() ? nullptr : context_;
}

void StreamOrderedAllocation::free_async(const Stream* stream) {
    const auto queue = use_of(stream);
    require_open();
    const auto& call = driver().cuMemFreeAsync;
    const auto attempt = [&] {
        const CleanupScope scope(*context_);
        return scope ? call.try_call(address_, queue) : CUDA_SUCCESS;  // the memory ended with its context
    };
    if (is_of_graph_) return free_of_graph(call, attempt);
    if (!take()) raise_closed(name);
    const Taken memory{address_, context_, std::move(pool_)};
    if (leave_to_graphs(memory)) return;
    if (HeldEnds::any()) return free_when_idle(memory);  // another call is about to use it
    if (const CUresult result = attempt()) {
        free_when_idle(memory);
        call.fail(result, "the memory was freed at once instead");
    }
}

bool StreamOrderedAllocation::release() noexcept {
    if (!take()) return false;
    if (is_of_graph_) return true;
    const Taken memory{address_, context_, std::move(pool_)};
    if (!leave_to_graphs(memory)) free_when_idle(memory);
    return true;
}

/// True for the one call that releases the memory.
bool StreamOrderedAllocation::take() noexcept {
    if (!open_.exchange(false, std::memory_order_acq_rel)) return false;
    --live_allocations();
    return true;
}

}  // namespace pycuda
