#include "captures/graph_resources.hpp"

#include <algorithm>
#include <utility>

#include "threads/deferred_release.hpp"

namespace pycuda {

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

std::vector<std::shared_ptr<void>> GraphResources::take_kept() noexcept {
    const std::lock_guard lock(mutex_);
    return std::exchange(kept_, {});
}

void GraphResources::capture_is_lost() noexcept {
    const std::lock_guard lock(mutex_);
    for (const auto& [type, part] : parts_) part->capture_is_lost();
}

void GraphResources::clear() noexcept {
    std::vector<std::shared_ptr<void>> kept;
    decltype(owners_) owners;
    decltype(parts_) parts;
    {
        const std::lock_guard lock(mutex_);
        kept.swap(kept_);
        owners.swap(owners_);
        parts.swap(parts_);
        ended_ = true;
    }
    for (auto& object : kept) release_later(std::move(object));
    for (auto& [object, kept_owner] : owners) release_later(std::move(kept_owner));
    for (auto& [type, part] : parts) {
        GraphPart& ending = *part;
        ending.graph_ends(std::move(part));
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

}  // namespace pycuda
