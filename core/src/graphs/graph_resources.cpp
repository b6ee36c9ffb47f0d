#include "graphs/graph_resources.hpp"

#include <utility>

#include "deferred_release.hpp"
#include "driver_table.hpp"
#include "graphs/captures.hpp"
#include "memory_pools.hpp"

namespace pycuda {
namespace {

/// The driver calls this on a thread of its own, where no driver call is allowed.
void CUDA_CB drop_resources(void* holder) {
    const std::unique_ptr<std::shared_ptr<GraphResources>> held(static_cast<std::shared_ptr<GraphResources>*>(holder));
    release_later(std::move(*held));
}

}  // namespace

GraphResources::~GraphResources() {
    if (pool_) pool_->stop_holding();
}

void GraphResources::attach_to(CUgraph graph) {
    auto holder = std::make_unique<std::shared_ptr<GraphResources>>(shared_from_this());
    CUuserObject object = nullptr;
    driver().cuUserObjectCreate(&object, holder.get(), drop_resources, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC);
    static_cast<void>(holder.release());
    if (const CUresult result =
            driver().cuGraphRetainUserObject.try_call(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE)) {
        driver().cuUserObjectRelease.clean_up(object, 1);
        driver().cuGraphRetainUserObject.fail(result, "");
    }
}

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

void GraphResources::clear() noexcept {
    std::vector<std::shared_ptr<void>> kept;
    {
        const std::lock_guard lock(mutex_);
        kept.swap(kept_);
        ended_ = true;
    }
    for (auto& object : kept) release_later(std::move(object));
}

void GraphsOfContext::add(const std::shared_ptr<GraphResources>& resources) {
    const std::lock_guard lock(mutex_);
    if (all_.size() == all_.capacity()) std::erase_if(all_, [](const auto& known) { return known.expired(); });
    all_.push_back(resources);
}

void GraphsOfContext::context_ends(bool reachable) noexcept {
    captures::abandon_all_of(context_, reachable);
    std::vector<std::weak_ptr<GraphResources>> all;
    {
        const std::lock_guard lock(mutex_);
        all.swap(all_);
    }
    for (const auto& known : all)
        if (const auto resources = known.lock()) resources->clear();
}

}  // namespace pycuda
