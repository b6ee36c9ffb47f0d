#include "launching/kernel_node.hpp"

namespace pycuda {

void set_geometry(CUDA_KERNEL_NODE_PARAMS& params, const LaunchConfig& config) {
    params.gridDimX = config.grid[0];
    params.gridDimY = config.grid[1];
    params.gridDimZ = config.grid[2];
    params.blockDimX = config.block[0];
    params.blockDimY = config.block[1];
    params.blockDimZ = config.block[2];
    params.sharedMemBytes = config.shared_bytes;
}

CUDA_KERNEL_NODE_PARAMS kernel_parameters(CUfunction function, const LaunchConfig& config) {
    CUDA_KERNEL_NODE_PARAMS params{};
    params.func = function;
    set_geometry(params, config);
    return params;
}

}  // namespace pycuda
