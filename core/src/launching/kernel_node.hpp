#pragma once

#include <cuda.h>

#include "pycuda/launching/launch.hpp"

namespace pycuda {

void set_geometry(CUDA_KERNEL_NODE_PARAMS& params, const LaunchConfig& config);
/// The parameters of a kernel node, without arguments.
CUDA_KERNEL_NODE_PARAMS kernel_parameters(CUfunction function, const LaunchConfig& config);

}  // namespace pycuda
