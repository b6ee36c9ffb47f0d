#include "exec/memory.hpp"

#include <mutex>

namespace cpu::exec {

void Memory::add(const Range& range) {
    std::unique_lock lock(mutex_);
    ranges_[range.base] = range;
}

bool Memory::remove(std::uintptr_t base) {
    std::unique_lock lock(mutex_);
    if (ranges_.erase(base) == 0) return false;
    __atomic_fetch_add(&generation_, 1, __ATOMIC_RELEASE);
    return true;
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
