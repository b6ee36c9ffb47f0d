#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "timeline/cupti.hpp"

namespace pycuda {

/// A kernel, copy or fill, with CUPTI's numbers and times.
struct ActivityRecord {
    std::string name;
    std::uint32_t context, stream;
    std::uint64_t begin, end;
    std::uint64_t bytes;  ///< 0 for kernels
};

struct ActivityRecords {
    std::vector<ActivityRecord> records;
    std::size_t lost = 0;
};

/// Give CUPTI buffers, and collect the records of those that it completes, from now on. False if CUPTI refuses.
bool collect_activity_records(const Cupti& cupti) noexcept;

/// What was collected so far. Buffers that CUPTI completes later are discarded.
ActivityRecords take_activity_records() noexcept;

}  // namespace pycuda
