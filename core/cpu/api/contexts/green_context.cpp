#include "state/green_context.hpp"

#include "api/abi.hpp"
#include "api/declarations/newer.hpp"
#include "state/device.hpp"
#include "state/graphs/capture.hpp"
#include "state/streams/event.hpp"

#include <algorithm>

using namespace cpu::api;
using namespace cpu::state;

namespace {

constexpr unsigned split_flags =
    CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING | CU_DEV_SM_RESOURCE_SPLIT_MAX_POTENTIAL_CLUSTER_SIZE;

std::shared_ptr<GreenContext> green(CUgreenCtx handle) {
    return green_contexts().get(handle, CUDA_ERROR_INVALID_CONTEXT);
}

void check_type(CUdevResourceType type) {
    require(type == CU_DEV_RESOURCE_TYPE_SM, CUDA_ERROR_INVALID_RESOURCE_TYPE);
}

/// Rejects the call and invalidates captures of its streams, as for a whole context.
void refuse_captured_streams(const GreenContext& green) {
    for (const auto& stream : green.streams()) graphs::refuse_if_captured(*stream);
}

}  // namespace

CUresult cuDeviceGetDevResource(CUdevice dev, CUdevResource* resource, CUdevResourceType type) {
    return entry("cuDeviceGetDevResource", [&] {
        require(resource != nullptr);
        check_type(type);
        *resource = sm_resource::of(device(dev));
    });
}

CUresult cuCtxGetDevResource(CUcontext hCtx, CUdevResource* resource, CUdevResourceType type) {
    return entry("cuCtxGetDevResource", [&] {
        require(resource != nullptr);
        check_type(type);
        const auto context = contexts().get(hCtx, CUDA_ERROR_INVALID_CONTEXT);
        const auto part = green_of(hCtx);
        *resource = part ? part->resource() : sm_resource::of(context->device());
    });
}

CUresult cuGreenCtxGetDevResource(CUgreenCtx hCtx, CUdevResource* resource, CUdevResourceType type) {
    return entry("cuGreenCtxGetDevResource", [&] {
        require(resource != nullptr);
        check_type(type);
        *resource = green(hCtx)->resource();
    });
}

CUresult cuDevSmResourceSplitByCount(CUdevResource* result, unsigned int* nbGroups, const CUdevResource* input,
                                     CUdevResource* remaining, unsigned int useFlags, unsigned int minCount) {
    return entry("cuDevSmResourceSplitByCount", [&] {
        require(nbGroups != nullptr && input != nullptr && (useFlags & ~split_flags) == 0);
        auto made = sm_resource::split(*input, result ? *nbGroups : ~0u, minCount);
        const CUdevResource rest = made.back();
        made.pop_back();
        if (result) std::ranges::copy(made, result);
        *nbGroups = static_cast<unsigned>(made.size());
        if (remaining) *remaining = rest;
    });
}

CUresult cuDevSmResourceSplit(CUdevResource* result, unsigned int nbGroups, const CUdevResource* input,
                              CUdevResource* remainder, unsigned int flags, void* groupParams) {
    return entry("cuDevSmResourceSplit", [&] {
        require(input != nullptr && groupParams != nullptr && nbGroups > 0 && flags == 0);
        auto made = sm_resource::split(*input, {static_cast<sm_resource::Group*>(groupParams), nbGroups});
        if (remainder) *remainder = made.back();
        made.pop_back();
        if (result) std::ranges::copy(made, result);
    });
}

CUresult cuStreamGetDevResource(CUstream hStream, CUdevResource* resource, CUdevResourceType type) {
    return entry_in_host_function("cuStreamGetDevResource", [&] {
        require(resource != nullptr);
        check_type(type);
        const auto stream = stream_of(hStream);
        const auto& part = stream->green();
        *resource = part ? part->resource() : sm_resource::of(stream->context()->device());
    });
}

CUresult cuDevResourceGenerateDesc(CUdevResourceDesc* phDesc, CUdevResource* resources, unsigned int nbResources) {
    return entry("cuDevResourceGenerateDesc", [&] {
        require(phDesc != nullptr && resources != nullptr);
        *phDesc = sm_resource::describe({resources, nbResources});
    });
}

CUresult cuGreenCtxCreate(CUgreenCtx* phCtx, CUdevResourceDesc desc, CUdevice dev, unsigned int flags) {
    return entry("cuGreenCtxCreate", [&] {
        require(phCtx != nullptr && flags == CU_GREEN_CTX_DEFAULT_STREAM);
        *phCtx = GreenContext::create(device(dev), desc)->handle();
    });
}

CUresult cuGreenCtxDestroy(CUgreenCtx hCtx) {
    return entry("cuGreenCtxDestroy", [&] { green(hCtx)->destroy(); });
}

CUresult cuCtxFromGreenCtx(CUcontext* pContext, CUgreenCtx hCtx) {
    return entry("cuCtxFromGreenCtx", [&] { put(pContext, green(hCtx)->converted()); });
}

CUresult cuGreenCtxStreamCreate(CUstream* phStream, CUgreenCtx greenCtx, unsigned int flags, int priority) {
    return entry("cuGreenCtxStreamCreate", [&] {
        require(phStream != nullptr && flags == CU_STREAM_NON_BLOCKING);
        const auto part = green(greenCtx);
        part->primary()->check_fault();
        *phStream = part->create_stream(std::clamp(priority, greatest_stream_priority, 0))->handle;
    });
}

CUresult cuGreenCtxRecordEvent(CUgreenCtx hCtx, CUevent hEvent) {
    return entry("cuGreenCtxRecordEvent", [&] {
        const auto part = green(hCtx);
        refuse_captured_streams(*part);
        const auto event = events().get(hEvent);
        require(event->context() == part->primary(), CUDA_ERROR_INVALID_HANDLE);
        part->record(*event);
    });
}

CUresult cuGreenCtxWaitEvent(CUgreenCtx hCtx, CUevent hEvent) {
    return entry("cuGreenCtxWaitEvent", [&] {
        const auto part = green(hCtx);
        refuse_captured_streams(*part);
        const auto event = events().get(hEvent);
        graphs::refuse_captured(*event);
        part->hold_back(*event);
    });
}

CUresult cuGreenCtxGetId(CUgreenCtx greenCtx, unsigned long long* greenCtxId) {
    return entry("cuGreenCtxGetId", [&] {
        const auto part = greenCtx ? green(greenCtx) : current_green();
        require(part != nullptr, CUDA_ERROR_INVALID_CONTEXT);
        put(greenCtxId, part->id());
    });
}

CUresult cuStreamGetGreenCtx(CUstream hStream, CUgreenCtx* phCtx) {
    return entry_in_host_function("cuStreamGetGreenCtx", [&] {
        const auto& part = stream_of(hStream)->green();
        put(phCtx, part ? part->handle() : nullptr);
    });
}
