// Users of a pool's blocks: streams, graphs, and code that has the address as a number.
#include <mutex>

#include "captures/use_in_graph.hpp"
#include "captures/used_by_graphs.hpp"
#include "pools/graph_pools.hpp"
#include "pools/memory_pools.hpp"
#include "pools/pool_shelf.hpp"
#include "pycuda/pools/memory_pool.hpp"
#include "streams/stream_order.hpp"

namespace pycuda {

bool MemoryPool::leave_to_graphs(PoolBlock& block) noexcept {
    struct Left {
        std::shared_ptr<MemoryPool> pool;
        PoolBlock block;
        ~Left() { pool->give(block); }
    };
    block.escapes(PoolBlock::by_address);
    return used_by_graphs::leave_to_graphs(block.address,
                                           [&] { return std::shared_ptr<Left>(new Left{shared_from_this(), block}); });
}

void MemoryPool::note_other_use(PoolBlock& block, CUstream stream) {
    // Fast path for threads that share an array: the block already counts as used on many streams.
    if (block.last_use.load().is_many() && is_over(block.before.load()) && !any_capture_is_open() && is_alive()) return;
    const auto context = this->context();
    if (!context || !is_alive()) raise_context_gone(what());
    if (any_capture_is_open() && note_use_in_graph(block, stream)) return;
    if (block.last_use.load().is(stream)) return;
    const LastUse next = use_on(stream);
    const LastUse before = block.before.load();
    bool nothing_before = false;
    if (!next.comes_after(before) && !is_over(before)) {
        const ContextScope scope(*context);
        if (before.is_epoch())
            order_->order_after_epoch(stream, before.epoch());  // is_over knows from then on
        else
            nothing_before = order_->order(stream, before.stream());
    }
    const bool is_foreign = !next.is_many() && !next.is(nullptr) && order_->life_of(stream) == 0;
    const std::lock_guard lock(home_of(block).lock);
    const LastUse previous = block.last_use.load();
    block.last_use.store(next.comes_after(previous) ? next : LastUse::many());
    // Otherwise every use by many streams would ask for the previous holder's stream again.
    if (nothing_before) block.before.store(LastUse::none());
    if (is_foreign) block.escapes(PoolBlock::foreign);
}

bool MemoryPool::note_use_in_graph(PoolBlock& block, CUstream stream) {
    if (has_noted_use(stream, block.address)) return true;
    const UseInGraph use(stream);
    if (!use) return false;
    const auto pools = use.graph() ? use.graph()->part_if_any<GraphPools>() : nullptr;
    if (pools && pools->owns(*this)) {
        const std::lock_guard lock(home_of(block).lock);
        const LastUse next = use_on(stream), previous = block.last_use.load();
        block.last_use.store(next.comes_after(previous) ? next : LastUse::many());
        return true;
    }
    // A graph cannot wait for work outside.
    if (!is_over(block.before.load())) order_->wait_outside_captures();
    use.note(block.address);
    const std::lock_guard lock(home_of(block).lock);
    block.before.store(LastUse::none());
    block.escapes(PoolBlock::by_address);
    return true;
}

void MemoryPool::note_escape(PoolBlock& block) {
    const auto context = this->context();
    if (!context || !is_alive()) raise_context_gone(what());
    if (any_capture_is_open() && note_use_in_graph(block, nullptr)) return;
    if (block.is_known_by_address()) return;
    if (const LastUse before = block.before.load(); !is_over(before)) {
        const ContextScope scope(*context);
        before.is_epoch() ? order_->order_everything_after_epoch(before.epoch())
                          : order_->order_everything(before.stream());
    }
    const std::lock_guard lock(home_of(block).lock);
    block.before.store(LastUse::none());
    block.escapes(PoolBlock::by_address);
}

}  // namespace pycuda
