#pragma once

#include <cstddef>

#include "pycuda/device_memory.hpp"
#include "pycuda/stream.hpp"

namespace pycuda {

/// Moves `count` bytes of managed memory, in the order of `stream`, to where they are used next (cuMemPrefetchAsync):
/// the `device`-th device, or for -1 the host. LogicError for other memory, no bytes, and a device that there is not.
void mem_prefetch_async(DevicePtr devptr, std::size_t count, int device, const Stream* stream = nullptr);

}  // namespace pycuda
