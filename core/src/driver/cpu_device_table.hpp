#pragma once

#include <cuda.h>

#include <cstddef>

#include "driver/driver_table.hpp"

namespace pycuda {

/// The table of functions that cuGetExportTable of the CPU device returns for these 16 letters, which are its own; null
/// for other drivers.
const void* cpu_device_table(const DriverLibrary& library, const char (&id)[sizeof CUuuid::bytes + 1]) noexcept;

}  // namespace pycuda
