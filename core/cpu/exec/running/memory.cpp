#include "exec/running/memory.hpp"

#include <algorithm>
#include <mutex>

#include "exec/builtins/device_heap.hpp"

namespace cpu::exec {

namespace {

constexpr std::size_t max_freed = 256;

}  // namespace

Memory::~Memory() {
    device_heap_release(*this);
}

void Memory::add(const Range& range) {
    std::unique_lock lock(mutex_);
    // Workers may still have the former size of a range that has changed.
    if (!ranges_.insert_or_assign(range.base, range).second) __atomic_fetch_add(&generation_, 1, __ATOMIC_RELEASE);
}

std::optional<Range> Memory::take(std::uintptr_t base) {
    const auto found = ranges_.find(base);
    if (found == ranges_.end()) return std::nullopt;
    const Range range = found->second;
    ranges_.erase(found);
    __atomic_fetch_add(&generation_, 1, __ATOMIC_RELEASE);
    return range;
}

bool Memory::remove(std::uintptr_t base) {
    std::unique_lock lock(mutex_);
    const auto range = take(base);
    if (!range) return false;
    freed_.push_back(*range);
    if (freed_.size() > max_freed) freed_.pop_front();
    return true;
}

bool Memory::withdraw(std::uintptr_t base) {
    std::unique_lock lock(mutex_);
    return take(base).has_value();
}

/// With the lock held.
const Range* Memory::locate(std::uintptr_t address) const {
    const auto after = ranges_.upper_bound(address);
    if (after == ranges_.begin()) return nullptr;
    const Range& range = std::prev(after)->second;
    return address - range.base < range.size ? &range : nullptr;
}

std::optional<Range> Memory::freed(std::uintptr_t address) const {
    std::shared_lock lock(mutex_);
    if (const Range* const range = locate(address); range && range->lease && !range->lease->is_lent()) {
        Range given_back = *range;
        given_back.size = range->lease->former_limit();
        if (given_back.size > address - given_back.base) return given_back;
    }
    const auto last = std::find_if(freed_.rbegin(), freed_.rend(),
                                   [&](const Range& range) { return address - range.base < range.size; });
    return last == freed_.rend() ? std::nullopt : std::optional(*last);
}

std::optional<Range> Memory::find(std::uintptr_t address, const QueuedAt& work) const {
    std::shared_lock lock(mutex_);
    const Range* const range = locate(address);
    if (!range) return std::nullopt;
    const Range seen = range->as_seen_by(work);
    return address - seen.base < seen.size ? std::optional(seen) : std::nullopt;
}

bool Memory::contains(std::uintptr_t address) const {
    std::shared_lock lock(mutex_);
    return locate(address) != nullptr;
}

std::optional<Range> Memory::nearest(std::uintptr_t address, const QueuedAt& work) const {
    std::shared_lock lock(mutex_);
    const auto next = ranges_.upper_bound(address);
    std::optional<Range> below, above;
    for (auto at = next; at != ranges_.begin() && !below;)
        if (const Range seen = (--at)->second.as_seen_by(work); seen.size != 0) below = seen;
    for (auto at = next; at != ranges_.end() && !above; ++at)
        if (const Range seen = at->second.as_seen_by(work); seen.size != 0) above = seen;
    if (!below || !above) return below ? below : above;
    const std::uintptr_t end = below->base + below->size;
    return address < end || address - end < above->base - address ? below : above;
}

}  // namespace cpu::exec
