#include "graphs/executable_uses.hpp"

#include <algorithm>
#include <utility>

#include "graphs/used_by_graphs.hpp"
#include "kept_objects.hpp"

namespace pycuda {

namespace {

bool any_works_in_others(const SharedResources& graph) {
    return std::any_of(graph.begin(), graph.end(), [](const auto& used) { return used->works_in_others(); });
}

}  // namespace

ExecutableUses::ExecutableUses(const std::shared_ptr<Context>& context, SharedResources graph)
    : context_(context), own_(context.get()), works_in_others_(any_works_in_others(graph)), graph_(std::move(graph)) {}

void ExecutableUses::replace(SharedResources graph) noexcept {
    decltype(nodes_) nodes;
    decltype(objects_) objects;
    works_in_others_ = any_works_in_others(graph);
    {
        const std::lock_guard lock(mutex_);
        graph_.swap(graph);
        nodes_.swap(nodes);
        objects_.swap(objects);
    }
    try {
        for (const auto& [node, memory] : nodes) graph.push_back(memory.resources);
        for (const auto& [node, kept] : objects)
            if (kept) graph.push_back(kept);
        keep_until_all_done(std::make_shared<SharedResources>(std::move(graph)));
    } catch (const std::bad_alloc&) {
        // Out of memory: nothing can be kept alive.
    }
}

void ExecutableUses::replace(CUgraphNode node, const std::vector<std::uint64_t>& addresses) {
    std::vector<std::shared_ptr<void>> before;  // destroyed after the lock is released
    std::shared_ptr<GraphResources> used_elsewhere;
    std::unique_lock lock(mutex_);
    const auto found = nodes_.find(node);
    if (found == nodes_.end() && addresses.empty()) return;
    NodeMemory& memory = found == nodes_.end() ? nodes_[node] : found->second;
    const std::uint64_t changes = used_by_graphs::changes();
    const bool same = memory.resources && memory.addresses == addresses;
    if (same && memory.changes == changes) return;
    if (!same) {
        auto resources = std::make_shared<GraphResources>();
        if (!launched_in_.empty())
            used_elsewhere = std::move(memory.resources);
        else if (memory.resources)
            before = memory.resources->take_kept();
        memory.resources = std::move(resources);
        memory.addresses = addresses;
    }
    for (const std::uint64_t address : addresses) used_by_graphs::add(address, memory.resources);
    memory.changes = changes;
    lock.unlock();
    if (used_elsewhere) keep_until_all_done(std::move(used_elsewhere));
}

std::shared_ptr<GraphResources> ExecutableUses::prepare(CUgraphNode node) {
    auto prepared = std::make_shared<GraphResources>();
    const std::lock_guard lock(mutex_);
    objects_.try_emplace(node);
    return prepared;
}

void ExecutableUses::replace(CUgraphNode node, std::shared_ptr<GraphResources> prepared) noexcept {
    {
        const std::lock_guard lock(mutex_);
        if (const auto found = objects_.find(node); found != objects_.end()) found->second.swap(prepared);
    }
    if (!prepared) return;
    try {
        keep_until_all_done(std::move(prepared));
    } catch (const std::bad_alloc&) {
        // Out of memory: nothing can be kept alive.
    }
}

bool ExecutableUses::has_lost_a_context() const noexcept {
    if (!works_in_others_.load(std::memory_order_relaxed)) return false;
    const std::lock_guard lock(mutex_);
    return std::any_of(graph_.begin(), graph_.end(), [](const auto& used) { return used->has_lost_a_context(); });
}

void ExecutableUses::note_launch(const Stream* stream) {
    const auto context = stream ? stream->context() : Context::current_or_null();
    if (!context || context.get() == own_) [[likely]]
        return;
    const std::lock_guard lock(mutex_);
    for (const auto& known : launched_in_)
        if (known.lock() == context) return;
    std::erase_if(launched_in_, [](const auto& known) { return known.expired(); });
    launched_in_.push_back(context);
}

void ExecutableUses::keep_until_all_done(std::shared_ptr<void> kept) const {
    std::vector<std::shared_ptr<Context>> contexts{context_.lock()};
    {
        const std::lock_guard lock(mutex_);
        for (const auto& known : launched_in_) contexts.push_back(known.lock());
    }
    for (const auto& context : contexts) {
        if (!context) continue;
        try {
            context->attachment<KeptObjects>()->keep_until_all_done(kept);
        } catch (const Error&) {
            // The context has ended, and its work with it.
        }
    }
}

}  // namespace pycuda
