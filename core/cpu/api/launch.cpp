#include "api/abi.hpp"

#include "state/graphs/capture.hpp"
#include "state/modules/launch.hpp"
#include "state/modules/launch_attributes.hpp"
#include "state/modules/library.hpp"
#include "state/streams/event.hpp"

using namespace cpu::api;
using namespace cpu::state;

namespace {

CUresult launch_on(const char* name, CUfunction f, CUstream stream, const LaunchRequest& request) {
    return entry(name, [&] {
        const auto function = launchable_function(f);
        launch(function, *stream_of(stream), request);
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

/// The event that a launch completes. It may complete later than on a GPU: when the whole grid is done, not when the
/// last block has started.
struct Completion {
    std::shared_ptr<Event> event;

    /// Returns false if the attribute does not name an event.
    bool take(const CUlaunchAttribute& attribute) {
        const CUlaunchAttributeValue& value = attribute.value;
        if (attribute.id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT)
            set(value.programmaticEvent.event, value.programmaticEvent.flags);
        else if (attribute.id == CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT)
            set(value.launchCompletionEvent.event, value.launchCompletionEvent.flags);
        else
            return false;
        return true;
    }

private:
    void set(CUevent handle, int flags) {
        require((flags & ~CU_EVENT_RECORD_EXTERNAL) == 0);
        require(flags == 0, CUDA_ERROR_ILLEGAL_STATE);  // external events are only for captures
        event = events().get(handle);
    }
};

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
        request.attributes = {config->attrs, config->numAttrs};
        for (const CUlaunchAttribute& attribute : request.attributes)
            if (!completion.take(attribute)) apply(attribute, request);
        launch(function, *stream, request);
        if (completion.event) graphs::record(*stream, *completion.event);
    });
}
