#pragma once

#include <cuda.h>

#include "pycuda/launching/launch.hpp"

namespace pycuda {

/// The driver's form of a launch with attributes; it points to those of `config`.
inline CUlaunchConfig driver_config(const LaunchConfig& config) {
    CUlaunchConfig launch{};
    launch.gridDimX = config.grid[0];
    launch.gridDimY = config.grid[1];
    launch.gridDimZ = config.grid[2];
    launch.blockDimX = config.block[0];
    launch.blockDimY = config.block[1];
    launch.blockDimZ = config.block[2];
    launch.sharedMemBytes = config.shared_bytes;
    launch.hStream = config.stream;
    launch.attrs = const_cast<CUlaunchAttribute*>(config.attributes.data());
    launch.numAttrs = static_cast<unsigned>(config.attributes.size());
    return launch;
}

}  // namespace pycuda
