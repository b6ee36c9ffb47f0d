#include "captures/graph_resources.hpp"

#include <algorithm>
#include <utility>

#include "captures/captures.hpp"
#include "captures/used_by_graphs.hpp"
#include "graphs/executable_uses.hpp"
#include "graphs/graph_memory.hpp"
#include "pools/memory_pools.hpp"
#include "threads/deferred_release.hpp"

namespace pycuda {
namespace {

/// A pool whose blocks return to the driver together, with the last one.
struct PoolThatEnds {
    std::shared_ptr<MemoryPool> pool;
    ~PoolThatEnds() { pool->stop_holding(); }
};

/// Other graphs may use the memory that one allocates.
void leave_to_others(std::shared_ptr<GraphMemory> memory) noexcept {
    for (const DevicePtr address : memory->addresses())
        for (const auto& user : used_by_graphs::take(address)) user->keep(memory);
    release_later(std::move(memory));
}

}  // namespace

GraphResources::~GraphResources() {
    clear();
}

void GraphResources::keep(const std::shared_ptr<void>& object) {
    const std::lock_guard lock(mutex_);
    if (!ended_) kept_.push_back(object);
}

void GraphResources::keep_owner(const void* object, const std::function<std::shared_ptr<void>()>& keep) {
    if (!object) return this->keep(keep());
    {
        const std::lock_guard lock(mutex_);
        if (ended_ || owners_.contains(object)) return;
    }
    auto kept = keep();  // may run the language's code
    const std::lock_guard lock(mutex_);
    if (!ended_) owners_.try_emplace(object, std::move(kept));
}

std::shared_ptr<MemoryPool> GraphResources::pool(Context& context) {
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

bool GraphResources::owns(const MemoryPool& pool) const noexcept {
    const std::lock_guard lock(mutex_);
    return std::any_of(pools_.begin(), pools_.end(), [&pool](const auto& own) { return own.get() == &pool; });
}

std::vector<std::shared_ptr<void>> GraphResources::take_kept() noexcept {
    const std::lock_guard lock(mutex_);
    return std::exchange(kept_, {});
}

void GraphResources::own(Context& context, DevicePtr address) {
    const std::lock_guard lock(mutex_);
    if (!memory_) memory_ = std::make_shared<GraphMemory>(context);
    memory_->add(address);
}

bool GraphResources::owns_memory() const noexcept {
    const std::lock_guard lock(mutex_);
    return memory_ != nullptr;
}

bool GraphResources::take(CUgraph graph) noexcept {
    const std::lock_guard lock(mutex_);
    if (memory_) memory_->take(graph);
    return memory_ != nullptr;
}

void GraphResources::forget_memory() noexcept {
    const std::lock_guard lock(mutex_);
    if (memory_) memory_->forget();
}

void GraphResources::clear() noexcept {
    std::vector<std::shared_ptr<void>> kept;
    decltype(owners_) owners;
    decltype(pools_) pools;
    std::shared_ptr<GraphMemory> memory;
    {
        const std::lock_guard lock(mutex_);
        kept.swap(kept_);
        owners.swap(owners_);
        pools.swap(pools_);
        memory.swap(memory_);
        ended_ = true;
    }
    for (auto& object : kept) release_later(std::move(object));
    for (auto& [object, kept_owner] : owners) release_later(std::move(kept_owner));
    if (memory) {
        forget_cached_handles();  // of objects that refer to this memory
        leave_to_others(std::move(memory));
    }
    for (const auto& pool : pools) try {
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
