#pragma once

#include <cuda.h>

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <set>

namespace cpu::state {

/// A device's ordinal, CU_DEVICE_CPU or CU_DEVICE_INVALID.
using Location = int;

/// The program's advice about managed memory. It has no effect, but can be queried.
struct Advice {
    bool read_mostly = false;
    Location preferred = CU_DEVICE_INVALID;
    Location prefetched = CU_DEVICE_INVALID;
    std::set<Location> accessed_by;
};

/// The advice about each page of one managed allocation.
class AdviceMap {
public:
    /// Changes the advice for the pages that [begin, end) overlaps.
    void change(std::size_t begin, std::size_t end, const std::function<void(Advice&)>& how);

    /// An attribute of all those pages, as cuMemRangeGetAttribute reports it: if pages differ, the value for "no
    /// advice". Throws CUDA_ERROR_INVALID_VALUE for an unknown attribute or a wrong size.
    void tell(std::size_t begin, std::size_t end, CUmem_range_attribute attribute, void* data, std::size_t bytes) const;

    /// Where the byte was prefetched to; CU_DEVICE_INVALID: nowhere.
    Location prefetched_at(std::size_t offset) const;

private:
    void split(std::size_t at);
    void visit(std::size_t begin, std::size_t end, const std::function<void(const Advice&)>& what) const;
    bool all_read_mostly(std::size_t begin, std::size_t end) const;
    Location common(std::size_t begin, std::size_t end, Location Advice::* which) const;
    std::set<Location> common_accessors(std::size_t begin, std::size_t end) const;

    mutable std::mutex mutex_;
    std::map<std::size_t, Advice> pieces_{{0, {}}};  ///< by first byte; each extends to the next
};

}  // namespace cpu::state
