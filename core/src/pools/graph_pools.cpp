#include "pools/graph_pools.hpp"

#include <algorithm>
#include <utility>

#include "pools/memory_pools.hpp"
#include "threads/deferred_release.hpp"

namespace pycuda {
namespace {

/// A pool whose blocks return to the driver together, with the last one.
struct PoolThatEnds {
    std::shared_ptr<MemoryPool> pool;
    ~PoolThatEnds() { pool->stop_holding(); }
};

}  // namespace

std::shared_ptr<MemoryPool> GraphPools::pool(Context& context) {
    const auto known = [&]() -> std::shared_ptr<MemoryPool> {
        for (const auto& pool : pools_)
            if (pool->context().get() == &context) return pool;
        return nullptr;
    };
    {
        const std::lock_guard lock(mutex_);
        if (auto pool = known()) return pool;
    }
    auto made = new_pool_of_graph(context);
    const std::lock_guard lock(mutex_);
    if (auto pool = known()) return pool;
    return pools_.emplace_back(std::move(made));
}

bool GraphPools::owns(const MemoryPool& pool) const noexcept {
    const std::lock_guard lock(mutex_);
    return std::any_of(pools_.begin(), pools_.end(), [&pool](const auto& own) { return own.get() == &pool; });
}

void GraphPools::end() noexcept {
    decltype(pools_) pools;
    {
        const std::lock_guard lock(mutex_);
        pools.swap(pools_);
    }
    for (const auto& pool : pools) try {
            release_later(std::shared_ptr<PoolThatEnds>(new PoolThatEnds{pool}));
        } catch (const std::bad_alloc&) {
            // Its memory ends with its context.
        }
}

}  // namespace pycuda
