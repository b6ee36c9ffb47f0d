#include "exec/running/memory.hpp"

#include <algorithm>
#include <mutex>

#include "exec/builtins/device_heap.hpp"

namespace cpu::exec {

namespace {

constexpr std::size_t freed_kept = 256;

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
    if (freed_.size() > freed_kept) freed_.pop_front();
    return true;
}

bool Memory::withdraw(std::uintptr_t base) {
    std::unique_lock lock(mutex_);
    return take(base).has_value();
}

std::optional<Range> Memory::freed(std::uintptr_t address) const {
    std::shared_lock lock(mutex_);
    const auto last = std::find_if(freed_.rbegin(), freed_.rend(),
                                   [&](const Range& range) { return address - range.base < range.size; });
    return last == freed_.rend() ? std::nullopt : std::optional(*last);
}

std::optional<Range> Memory::find(std::uintptr_t address) const {
    std::shared_lock lock(mutex_);
    auto after = ranges_.upper_bound(address);
    if (after == ranges_.begin()) return std::nullopt;
    const Range& range = std::prev(after)->second;
    if (address - range.base >= range.size) return std::nullopt;
    return range;
}

std::optional<Range> Memory::nearest(std::uintptr_t address) const {
    std::shared_lock lock(mutex_);
    auto after = ranges_.upper_bound(address);
    std::optional<Range> best;
    if (after != ranges_.begin()) best = std::prev(after)->second;
    if (after != ranges_.end()) {
        const std::uintptr_t end = best ? best->base + best->size : 0;
        const bool below_is_closer = best && (address < end || address - end < after->second.base - address);
        if (!below_is_closer) best = after->second;
    }
    return best;
}

}  // namespace cpu::exec
