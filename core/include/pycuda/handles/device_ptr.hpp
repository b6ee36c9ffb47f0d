#pragma once

#include <cstdint>

namespace pycuda {

/// A device address, as the driver's CUdeviceptr. 64 bits in both languages.
using DevicePtr = std::uint64_t;

}  // namespace pycuda
