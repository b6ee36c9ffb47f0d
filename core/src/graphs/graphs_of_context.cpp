#include "graphs/graphs_of_context.hpp"

#include <utility>

#include "captures/captures.hpp"

namespace pycuda {

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
