#include "kernels/launch_text.hpp"

#include "driver/driver_table.hpp"
#include "driver/failed_stream.hpp"
#include "pycuda/kernels/launch_attributes.hpp"

namespace pycuda {
namespace {

std::string triple(const unsigned (&values)[3]) {
    return "(" + std::to_string(values[0]) + ", " + std::to_string(values[1]) + ", " + std::to_string(values[2]) + ")";
}

int attribute_or(CUfunction function, CUfunction_attribute attribute, int otherwise) {
    int value = 0;
    return driver().cuFuncGetAttribute.try_call(&value, attribute, function) == CUDA_SUCCESS ? value : otherwise;
}

/// The lengths, if any, that are 0 or above the device's limits. `max` is the attribute of the limit along x; those of
/// y and z follow.
std::string wrong_lengths(const char* has, const unsigned (&lengths)[3], int max) {
    CUdevice device = 0;
    if (driver().cuCtxGetDevice.try_call(&device) != CUDA_SUCCESS) return "";
    std::string text;
    for (int k = 0; k < 3; ++k) {
        int limit = 0;
        const auto attribute = static_cast<CUdevice_attribute>(max + k);
        if (driver().cuDeviceGetAttribute.try_call(&limit, attribute, device) != CUDA_SUCCESS) continue;
        if (lengths[k] == 0 || lengths[k] > static_cast<unsigned>(limit))
            text += std::string("; a ") + has + " along " + "xyz"[k] + ": 1 to " + std::to_string(limit) + ", not " +
                    std::to_string(lengths[k]);
    }
    return text;
}

/// Which part of the geometry, if any, exceeds the limits of the kernel or of the device.
std::string excess(CUfunction function, const LaunchConfig& config) {
    const auto threads = static_cast<unsigned long long>(config.block[0]) * config.block[1] * config.block[2];
    const int max = attribute_or(function, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 0);
    std::string text = wrong_lengths("block has threads", config.block, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X) +
                       wrong_lengths("grid has blocks", config.grid, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X);
    if (max > 0 && threads > static_cast<unsigned long long>(max))
        text += "; it can run with at most " + std::to_string(max) + " threads per block, " + std::to_string(threads) +
                " were requested";
    const int dynamic = attribute_or(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, -1);
    if (dynamic >= 0 && config.shared_bytes > static_cast<unsigned>(dynamic))
        text += "; it may have at most " + std::to_string(dynamic) +
                " bytes of dynamic shared memory (MAX_DYNAMIC_SHARED_SIZE_BYTES)";
    return text;
}

std::string needs(CUfunction function) {
    return "; it needs " + std::to_string(attribute_or(function, CU_FUNC_ATTRIBUTE_NUM_REGS, 0)) +
           " registers per thread and " +
           std::to_string(attribute_or(function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, 0)) +
           " bytes of static shared memory per block";
}

std::string attribute_text(const CUlaunchAttribute& attribute) {
    switch (attribute.id) {
        case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
            return ", cooperative";
        case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION: {
            const auto& [x, y, z] = attribute.value.clusterDim;
            const unsigned extents[] = {x, y, z};
            return ", clusters of " + triple(extents) + " blocks";
        }
        default:
            return ", " + launch_attribute_text(attribute.id);
    }
}

}  // namespace

std::string launch_text(const std::string& name, CUfunction function, const LaunchConfig& config, std::size_t nbytes,
                        CUresult result) {
    std::string text = "kernel '" + name + "', grid " + triple(config.grid) + ", block " + triple(config.block) + ", " +
                       std::to_string(config.shared_bytes) + " bytes of dynamic shared memory, " +
                       std::to_string(nbytes) + " bytes of arguments";
    if (result == CUDA_ERROR_INVALID_VALUE || result == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES)
        text += excess(function, config);
    if (result == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES) text += needs(function);
    for (const CUlaunchAttribute& attribute : config.attributes) text += attribute_text(attribute);
    if (result == CUDA_ERROR_INVALID_HANDLE && !is_of_another_context(config.stream))
        text += "; the current context must be the one that the module was loaded in";
    return text;
}

}  // namespace pycuda
