#pragma once

#include <cuda.h>

#include <cstddef>

#include "pycuda/device_memory.hpp"

namespace pycuda::gpuarray {

/// Device memory for the time of a few launches on one stream.
class Scratch {
public:
    Scratch(std::size_t nbytes, CUstream) : memory_(nbytes) {}
    DevicePtr pointer() const { return memory_.pointer(); }

private:
    DeviceAllocation memory_;  // freeing waits for the device, so the launches are done by then
};

}  // namespace pycuda::gpuarray
