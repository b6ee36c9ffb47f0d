#include "graphs/node_parameters.hpp"

#include <stdexcept>
#include <string>

#include "captures/used_by_graphs.hpp"

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

CUDA_MEMSET_NODE_PARAMS fill_parameters(DevicePtr dest, unsigned value, std::size_t count, unsigned width) {
    if (width != 1 && width != 2 && width != 4)
        throw std::invalid_argument("a fill sets elements of 1, 2 or 4 bytes, not " + std::to_string(width));
    if (width < 4 && value >> (8 * width) != 0)
        throw std::invalid_argument("the value " + std::to_string(value) + " does not fit in elements of " +
                                    std::to_string(width) + (width == 1 ? " byte" : " bytes"));
    CUDA_MEMSET_NODE_PARAMS params{};
    params.dst = dest;
    params.value = value;
    params.elementSize = width;
    params.width = count;
    params.height = 1;
    return params;
}

void keep_end(const CopyEnd& end, const std::shared_ptr<GraphResources>& resources) {
    if (end.owner()) resources->keep(end.owner());
    if (end.owner() || end.kind() == CopyEnd::Kind::Host) used_by_graphs::add(end.key(), resources);
}

}  // namespace pycuda
