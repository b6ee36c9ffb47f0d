#include "api/abi.hpp"

#include "state/launch.hpp"
#include "state/library.hpp"

using namespace cpu::api;
using namespace cpu::state;

namespace {

/// The function, once its context is known to be sound.
std::shared_ptr<Function> sound_function(CUfunction handle) {
    auto function = functions().get(handle);
    function->module()->context()->check_fault();
    return function;
}

CUresult launch_on(const char* name, CUfunction f, CUstream stream, const LaunchRequest& request) {
    return entry(name, [&] {
        const auto function = launchable_function(f);
        launch(*function, *stream_of(stream), request);
    });
}

}  // namespace

CUresult cuFuncGetAttribute(int* pi, CUfunction_attribute attrib, CUfunction hfunc) {
    return entry("cuFuncGetAttribute", [&] { put(pi, sound_function(hfunc)->attribute(attrib)); });
}

CUresult cuFuncSetAttribute(CUfunction hfunc, CUfunction_attribute attrib, int value) {
    return entry("cuFuncSetAttribute", [&] { sound_function(hfunc)->set_attribute(attrib, value); });
}

CUresult cuFuncSetCacheConfig(CUfunction hfunc, CUfunc_cache config) {
    return entry("cuFuncSetCacheConfig", [&] {
        require(config >= CU_FUNC_CACHE_PREFER_NONE && config <= CU_FUNC_CACHE_PREFER_EQUAL);
        sound_function(hfunc);  // a preference; there is one kind of memory here
    });
}

CUresult cuFuncSetSharedMemConfig(CUfunction hfunc, CUsharedconfig config) {
    return entry("cuFuncSetSharedMemConfig", [&] {
        require(config >= CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE &&
                config <= CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE);
        sound_function(hfunc);
    });
}

CUresult cuFuncGetModule(CUmodule* hmod, CUfunction hfunc) {
    return entry("cuFuncGetModule", [&] { put(hmod, sound_function(hfunc)->module()->handle()); });
}

CUresult cuFuncGetName(const char** name, CUfunction hfunc) {
    return entry("cuFuncGetName", [&] { put(name, sound_function(hfunc)->info().name.c_str()); });
}

CUresult cuFuncGetParamInfo(CUfunction func, size_t paramIndex, size_t* paramOffset, size_t* paramSize) {
    return entry("cuFuncGetParamInfo", [&] {
        const auto function = sound_function(func);
        const auto& parameters = function->info().parameters;
        require(paramOffset != nullptr && paramIndex < parameters.size());
        *paramOffset = parameters[paramIndex].offset;
        put_optional(paramSize, parameters[paramIndex].size);
    });
}

CUresult cuFuncIsLoaded(CUfunctionLoadingState* state, CUfunction function) {
    return entry("cuFuncIsLoaded", [&] {
        sound_function(function);
        put(state, CU_FUNCTION_LOADING_STATE_LOADED);
    });
}

CUresult cuFuncLoad(CUfunction function) {
    return entry("cuFuncLoad", [&] { sound_function(function); });
}

CUresult cuLaunchKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ,
                        unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ,
                        unsigned int sharedMemBytes, CUstream hStream, void** kernelParams, void** extra) {
    return launch_on("cuLaunchKernel", f, hStream,
                     {.grid = {gridDimX, gridDimY, gridDimZ},
                      .block = {blockDimX, blockDimY, blockDimZ},
                      .shared_bytes = sharedMemBytes,
                      .parameters = kernelParams,
                      .extra = extra});
}

CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ,
                                   unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ,
                                   unsigned int sharedMemBytes, CUstream hStream, void** kernelParams) {
    return launch_on("cuLaunchCooperativeKernel", f, hStream,
                     {.grid = {gridDimX, gridDimY, gridDimZ},
                      .block = {blockDimX, blockDimY, blockDimZ},
                      .shared_bytes = sharedMemBytes,
                      .parameters = kernelParams,
                      .cooperative = true});
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction f, void** kernelParams, void** extra) {
    if (!config || (config->numAttrs && !config->attrs)) return CUDA_ERROR_INVALID_VALUE;
    LaunchRequest request{.grid = {config->gridDimX, config->gridDimY, config->gridDimZ},
                          .block = {config->blockDimX, config->blockDimY, config->blockDimZ},
                          .shared_bytes = config->sharedMemBytes,
                          .parameters = kernelParams,
                          .extra = extra};
    for (unsigned i = 0; i < config->numAttrs; ++i) {
        const CUlaunchAttribute& attribute = config->attrs[i];
        switch (attribute.id) {
            case CU_LAUNCH_ATTRIBUTE_COOPERATIVE: request.cooperative = attribute.value.cooperative != 0; break;
            case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION: {
                const auto& cluster = attribute.value.clusterDim;
                if (cluster.x * cluster.y * cluster.z != 1) return CUDA_ERROR_NOT_SUPPORTED;
                break;
            }
            // Hints: nothing that a program can see depends on them.
            case CU_LAUNCH_ATTRIBUTE_IGNORE:
            case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
            case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
            case CU_LAUNCH_ATTRIBUTE_PRIORITY:
            case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
            case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
            case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
            // Without it a launch starts later, never differently.
            case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION: break;
            default: return CUDA_ERROR_NOT_SUPPORTED;
        }
    }
    return launch_on("cuLaunchKernelEx", f, config->hStream, request);
}
