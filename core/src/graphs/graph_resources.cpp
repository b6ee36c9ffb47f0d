#include "graphs/graph_resources.hpp"

#include <algorithm>
#include <utility>

#include "deferred_release.hpp"
#include "graphs/captures.hpp"
#include "graphs/executable_uses.hpp"
#include "memory_pools.hpp"

namespace pycuda {
namespace {

/// A pool whose blocks return to the driver together, with the last one.
struct PoolThatEnds {
    std::shared_ptr<MemoryPool> pool;
    ~PoolThatEnds() { pool->stop_holding(); }
};

}  // namespace

void GraphResources::keep(const std::shared_ptr<void>& object) {
    const std::lock_guard lock(mutex_);
    if (!ended_) kept_.push_back(object);
}

std::shared_ptr<MemoryPool> GraphResources::pool(Context& context) {
    {
        const std::lock_guard lock(mutex_);
        if (pool_) return pool_;
    }
    auto made = new_pool_of_graph(context);
    const std::lock_guard lock(mutex_);
    if (!pool_) pool_ = std::move(made);
    return pool_;
}

bool GraphResources::owns(const MemoryPool& pool) const noexcept {
    const std::lock_guard lock(mutex_);
    return pool_.get() == &pool;
}

std::vector<std::shared_ptr<void>> GraphResources::take_kept() noexcept {
    const std::lock_guard lock(mutex_);
    return std::exchange(kept_, {});
}

void GraphResources::clear() noexcept {
    std::vector<std::shared_ptr<void>> kept;
    std::shared_ptr<MemoryPool> pool;
    {
        const std::lock_guard lock(mutex_);
        kept.swap(kept_);
        pool.swap(pool_);
        ended_ = true;
    }
    for (auto& object : kept) release_later(std::move(object));
    if (!pool) return;
    try {
        release_later(std::shared_ptr<PoolThatEnds>(new PoolThatEnds{pool}));
    } catch (const std::bad_alloc&) {
        // Its memory ends with its context.
    }
}

void GraphResources::works_in(const Context& context) {
    const std::lock_guard lock(mutex_);
    const auto& handle = context.live_handle();
    if (std::find(other_contexts_.begin(), other_contexts_.end(), handle) == other_contexts_.end())
        other_contexts_.push_back(handle);
}

bool GraphResources::works_in_others() const noexcept {
    const std::lock_guard lock(mutex_);
    return !other_contexts_.empty();
}

bool GraphResources::has_lost_a_context() const noexcept {
    const std::lock_guard lock(mutex_);
    return std::any_of(other_contexts_.begin(), other_contexts_.end(),
                       [](const auto& handle) { return !handle->load(std::memory_order_acquire); });
}

void GraphsOfContext::add(const std::shared_ptr<GraphResources>& resources) {
    const std::lock_guard lock(mutex_);
    if (all_.size() == all_.capacity()) std::erase_if(all_, [](const auto& known) { return known.expired(); });
    all_.push_back(resources);
}

void GraphsOfContext::add(CUgraphExec graph, std::shared_ptr<ExecutableUses> uses) {
    const std::lock_guard lock(mutex_);
    executables_[graph] = std::move(uses);
}

std::shared_ptr<ExecutableUses> GraphsOfContext::take(CUgraphExec graph) noexcept {
    const std::lock_guard lock(mutex_);
    const auto found = executables_.find(graph);
    if (found == executables_.end()) return nullptr;
    auto uses = std::move(found->second);
    executables_.erase(found);
    return uses;
}

void GraphsOfContext::context_ends(bool reachable) noexcept {
    captures::abandon_all_of(context_, reachable);
    std::vector<std::weak_ptr<GraphResources>> all;
    decltype(executables_) executables;
    {
        const std::lock_guard lock(mutex_);
        all.swap(all_);
        executables.swap(executables_);
    }
    for (const auto& known : all)
        if (const auto resources = known.lock()) resources->clear();
}

}  // namespace pycuda
