#pragma once

#include <cstddef>

#include "pycuda/constants.hpp"
#include "pycuda/device_memory.hpp"
#include "pycuda/stream.hpp"

namespace pycuda {

/// Move `count` bytes of managed memory, in the order of `stream`, to where they are used next (cuMemPrefetchAsync):
/// the `device`-th device, or for -1 the host. LogicError for other memory, no bytes, and a device that there is not.
void mem_prefetch_async(DevicePtr devptr, std::size_t count, int device, const Stream* stream = nullptr);

/// Advise the driver how `count` bytes of managed memory will be used (cuMemAdvise), and by which device, -1 being the
/// host; advice about reading, and unsetting the preferred location, is for all. LogicError for other memory, no bytes,
/// and a device that there is not, or that cannot reach managed memory while the host does.
void mem_advise(DevicePtr devptr, std::size_t count, MemAdvice advice, int device = -1);

}  // namespace pycuda
