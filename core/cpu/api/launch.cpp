#include "api/abi.hpp"

#include "state/modules/launch.hpp"
#include "state/modules/library.hpp"
#include "state/streams/event.hpp"

using namespace cpu::api;
using namespace cpu::state;

namespace {

CUresult launch_on(const char* name, CUfunction f, CUstream stream, const LaunchRequest& request) {
    return entry(name, [&] {
        const auto function = launchable_function(f);
        launch(*function, *stream_of(stream), request);
    });
}

}  // namespace

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

namespace {

/// What is no number of its own in a launch: the event that it completes.
struct Completion {
    std::shared_ptr<Event> event;
    void set(CUevent handle, int flags) {
        require((flags & ~CU_EVENT_RECORD_EXTERNAL) == 0);
        require(flags == 0, CUDA_ERROR_ILLEGAL_STATE);  // external ones are for captures only
        event = events().get(handle);
    }
};

void apply(const CUlaunchAttribute& attribute, LaunchRequest& request, Completion& completion) {
    const CUlaunchAttributeValue& value = attribute.value;
    switch (attribute.id) {
        case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
            request.cooperative = value.cooperative != 0;
            return;
        case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
            request.cluster = {value.clusterDim.x, value.clusterDim.y, value.clusterDim.z};
            return;
        // Both may be later than on a GPU: when the whole grid is done, not when its last block has started.
        case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
            return completion.set(value.programmaticEvent.event, value.programmaticEvent.flags);
        case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
            return completion.set(value.launchCompletionEvent.event, value.launchCompletionEvent.flags);
        case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
            return require(value.memSyncDomain <= 1);
        case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
            return require(value.sharedMemCarveout <= 100);
        case CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING:
            return require(value.nvlinkUtilCentricScheduling <= 1);
        // Hints: nothing that a program can see depends on them.
        case CU_LAUNCH_ATTRIBUTE_IGNORE:
        case CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION:
        case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
        case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
        case CU_LAUNCH_ATTRIBUTE_PRIORITY:
        case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
        // Without it a launch starts later, never differently.
        case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
            return;
        case CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE:
            fail(CUDA_ERROR_NOT_SUPPORTED);
        default:
            fail(CUDA_ERROR_INVALID_VALUE);
    }
}

}  // namespace

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction f, void** kernelParams, void** extra) {
    return entry("cuLaunchKernelEx", [&] {
        require(config != nullptr && (config->numAttrs == 0 || config->attrs != nullptr));
        LaunchRequest request{.grid = {config->gridDimX, config->gridDimY, config->gridDimZ},
                              .block = {config->blockDimX, config->blockDimY, config->blockDimZ},
                              .shared_bytes = config->sharedMemBytes,
                              .parameters = kernelParams,
                              .extra = extra};
        const auto function = launchable_function(f);
        const auto stream = stream_of(config->hStream);
        Completion completion;
        for (unsigned i = 0; i < config->numAttrs; ++i) apply(config->attrs[i], request, completion);
        launch(*function, *stream, request);
        if (completion.event) completion.event->record(*stream);
    });
}
