#pragma once

#include <cstddef>
#include <vector>

#include "pycuda/constants/constants.hpp"
#include "pycuda/memory/device_memory.hpp"

namespace pycuda {

class Stream;

/// Move `count` bytes of managed memory, in the order of `stream`, to the device that uses them next
/// (cuMemPrefetchAsync); -1 is the host. LogicError for other memory, a `count` of 0, and a device that does not exist.
void mem_prefetch_async(DevicePtr devptr, std::size_t count, int device, const Stream* stream = nullptr);

/// Advise the driver how `count` bytes of managed memory will be used (cuMemAdvise), and by which device; -1 is the
/// host. Advice about reading, and unsetting the preferred location, applies to all devices. LogicError for other
/// memory, a `count` of 0, and a device that does not exist or cannot access managed memory concurrently with the host.
void mem_advise(DevicePtr devptr, std::size_t count, MemAdvice advice, int device = -1);

/// What advice and prefetches have set for `count` bytes of managed memory (cuMemRangeGetAttribute); -2 if it differs
/// within the range. LogicError for other memory, a `count` of 0, and ACCESSED_BY, which has several values.
int mem_range_get_attribute(DevicePtr devptr, std::size_t count, MemRangeAttribute attribute);
/// Whether `device` was advised to access all of the range directly (cuMemRangeGetAttribute); -1 is the host.
bool mem_range_is_accessed_by(DevicePtr devptr, std::size_t count, int device);

/// Where memory is: a device or a NUMA node, by its number, or the host. NONE: nowhere yet.
struct MemoryLocation {
    MemLocationType type;
    int id;
};

/// Where managed or pageable memory is now (cuMemGetLocationInfo): for each `region` bytes of the `count`, where most
/// of their samples are, which are `sampling` bytes apart. 0: one region, and the driver's own distance. LogicError for
/// other memory, and if a device cannot access managed memory concurrently with the host; std::invalid_argument for
/// more than 16,777,216 regions. Needs a driver of CUDA 13.4.
std::vector<MemoryLocation> mem_range_get_locations(DevicePtr devptr, std::size_t count, std::size_t region = 0,
                                                    std::size_t sampling = 0);

}  // namespace pycuda
