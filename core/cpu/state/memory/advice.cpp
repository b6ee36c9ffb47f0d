#include "state/memory/advice.hpp"

#include "state/error.hpp"
#include "state/memory/page_block.hpp"

#include <algorithm>
#include <optional>

namespace cpu::state {

void AdviceMap::split(std::size_t at) {
    const auto piece = std::prev(pieces_.upper_bound(at));
    if (piece->first != at) pieces_.emplace(at, piece->second);
}

void AdviceMap::change(std::size_t begin, std::size_t end, const std::function<void(Advice&)>& how) {
    begin = begin / page_size() * page_size();
    end = round_to_pages(end);
    std::lock_guard lock(mutex_);
    split(begin);
    split(end);
    for (auto piece = pieces_.find(begin); piece != pieces_.end() && piece->first < end; ++piece) how(piece->second);
}

void AdviceMap::visit(std::size_t begin, std::size_t end, const std::function<void(const Advice&)>& what) const {
    std::lock_guard lock(mutex_);
    auto piece = std::prev(pieces_.upper_bound(begin));
    for (; piece != pieces_.end() && piece->first < end; ++piece) what(piece->second);
}

bool AdviceMap::all_read_mostly(std::size_t begin, std::size_t end) const {
    bool all = true;
    visit(begin, end, [&](const Advice& advice) { all = all && advice.read_mostly; });
    return all;
}

Location AdviceMap::common(std::size_t begin, std::size_t end, Location Advice::* which) const {
    std::optional<Location> shared;
    visit(begin, end, [&](const Advice& advice) {
        if (shared.value_or(advice.*which) == advice.*which)
            shared = advice.*which;
        else
            shared = CU_DEVICE_INVALID;
    });
    return *shared;
}

std::set<Location> AdviceMap::common_accessors(std::size_t begin, std::size_t end) const {
    std::optional<std::set<Location>> shared;
    visit(begin, end, [&](const Advice& advice) {
        if (!shared)
            shared = advice.accessed_by;
        else
            std::erase_if(*shared, [&](Location location) { return !advice.accessed_by.contains(location); });
    });
    return *shared;
}

namespace {

int location_type(Location location) {
    if (location == CU_DEVICE_INVALID) return CU_MEM_LOCATION_TYPE_INVALID;
    return location == CU_DEVICE_CPU ? CU_MEM_LOCATION_TYPE_HOST : CU_MEM_LOCATION_TYPE_DEVICE;
}

/// Devices by ordinal, then the host, then the end of the list.
void list(const std::set<Location>& locations, int* out, std::size_t count) {
    int* const end = out + count;
    for (const Location location : locations)
        if (location != CU_DEVICE_CPU && out != end) *out++ = location;
    if (locations.contains(CU_DEVICE_CPU) && out != end) *out++ = CU_DEVICE_CPU;
    std::fill(out, end, CU_DEVICE_INVALID);
}

}  // namespace

void AdviceMap::tell(std::size_t begin, std::size_t end, CUmem_range_attribute attribute, void* data,
                     std::size_t bytes) const {
    auto* const out = static_cast<int*>(data);
    if (attribute == CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY) {
        require(bytes > 0 && bytes % sizeof *out == 0);
        return list(common_accessors(begin, end), out, bytes / sizeof *out);
    }
    require(bytes == sizeof *out);
    switch (attribute) {
        case CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY:
            *out = all_read_mostly(begin, end);
            return;
        case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION:
        case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID:
            *out = common(begin, end, &Advice::preferred);
            return;
        case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE:
            *out = location_type(common(begin, end, &Advice::preferred));
            return;
        case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION:
        case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID:
            *out = common(begin, end, &Advice::prefetched);
            return;
        case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE:
            *out = location_type(common(begin, end, &Advice::prefetched));
            return;
        default:
            fail(CUDA_ERROR_INVALID_VALUE);
    }
}

Location AdviceMap::prefetched_at(std::size_t offset) const {
    const std::lock_guard lock(mutex_);
    return std::prev(pieces_.upper_bound(offset))->second.prefetched;
}

}  // namespace cpu::state
