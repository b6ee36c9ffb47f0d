#include "api/abi.hpp"

#include "state/device.hpp"
#include "state/graphs/capture.hpp"
#include "state/primary_context.hpp"
#include "state/streams/event.hpp"

using namespace cpu::api;
using namespace cpu::state;

namespace {

std::shared_ptr<Context> named_context(CUcontext handle) {
    return handle ? contexts().get(handle, CUDA_ERROR_INVALID_CONTEXT) : current_context_even_if_faulted();
}

/// The green context that was converted to this context, if any: calls then affect its streams only. Null otherwise.
std::shared_ptr<GreenContext> named_green(CUcontext handle) {
    return handle ? green_of(handle) : current_green();
}

void synchronize(const std::shared_ptr<Context>& context, const std::shared_ptr<GreenContext>& green) {
    context->check_fault();
    graphs::refuse_if_captured(*context);
    green ? green->synchronize() : context->synchronize();
    context->check_fault();
}

CUresult create(CUcontext* out, unsigned flags, CUdevice dev, unsigned api_version) {
    return entry("cuCtxCreate", [&] {
        require(out != nullptr && are_context_flags(flags));
        const CUcontext handle = Context::create(device(dev), flags, api_version)->handle();
        ContextStack::of_this_thread().push(handle);
        *out = handle;
    });
}

}  // namespace

CUresult cuCtxCreate(CUcontext* pctx, unsigned int flags, CUdevice dev) {
    return create(pctx, flags, dev, 3010);
}

CUresult cuCtxCreate_v2(CUcontext* pctx, unsigned int flags, CUdevice dev) {
    return create(pctx, flags, dev, 3020);
}

CUresult cuCtxCreate_v3(CUcontext* pctx, CUexecAffinityParam*, int numParams, unsigned int flags, CUdevice dev) {
    if (numParams != 0) return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
    return create(pctx, flags, dev, 3020);
}

CUresult cuCtxCreate_v4(CUcontext* pctx, CUctxCreateParams* params, unsigned int flags, CUdevice dev) {
    if (params && params->numExecAffinityParams)
        return params->execAffinityParams ? CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY : CUDA_ERROR_INVALID_VALUE;
    if (params && params->cigParams) return CUDA_ERROR_NOT_SUPPORTED;
    return create(pctx, flags, dev, 3020);
}

CUresult cuCtxDestroy_v2(CUcontext ctx) {
    return entry("cuCtxDestroy", [&] {
        require(ctx != nullptr);
        const auto context = contexts().get(ctx, CUDA_ERROR_INVALID_CONTEXT);
        require(!primary_context::is_primary(context->handle()), CUDA_ERROR_INVALID_CONTEXT);
        auto& stack = ContextStack::of_this_thread();
        if (stack.top() == ctx) stack.pop();
        context->destroy();
    });
}

CUresult cuCtxDestroy(CUcontext ctx) {
    return cuCtxDestroy_v2(ctx);
}

CUresult cuCtxPushCurrent_v2(CUcontext ctx) {
    return entry("cuCtxPushCurrent", [&] {
        require(ctx != nullptr);
        ContextStack::of_this_thread().push(ctx);
    });
}

CUresult cuCtxPushCurrent(CUcontext ctx) {
    return cuCtxPushCurrent_v2(ctx);
}

CUresult cuCtxPopCurrent_v2(CUcontext* pctx) {
    return entry("cuCtxPopCurrent", [&] { put_optional(pctx, ContextStack::of_this_thread().pop()); });
}

CUresult cuCtxPopCurrent(CUcontext* pctx) {
    return cuCtxPopCurrent_v2(pctx);
}

CUresult cuCtxSetCurrent(CUcontext ctx) {
    return entry("cuCtxSetCurrent", [&] { ContextStack::of_this_thread().set_top(ctx); });
}

CUresult cuCtxGetCurrent(CUcontext* pctx) {
    return entry("cuCtxGetCurrent", [&] { put(pctx, ContextStack::of_this_thread().top()); });
}

CUresult cuCtxGetDevice(CUdevice* out) {
    return entry("cuCtxGetDevice", [&] {
        require(out != nullptr);
        // The driver still gives the device of a destroyed context.
        put(out, ContextStack::of_this_thread().last_top().device().ordinal());
    });
}

CUresult cuCtxGetDevice_v2(CUdevice* out, CUcontext ctx) {
    return entry("cuCtxGetDevice", [&] { put(out, named_context(ctx)->device().ordinal()); });
}

CUresult cuCtxGetFlags(unsigned int* flags) {
    return entry("cuCtxGetFlags", [&] { put(flags, current_context_even_if_faulted()->flags.load()); });
}

CUresult cuCtxSetFlags(unsigned int flags) {
    return entry("cuCtxSetFlags", [&] {
        require(are_context_flags(flags));
        // A context's mapping flags never change.
        current_context()->flags = flags & ~static_cast<unsigned>(CU_CTX_MAP_HOST);
    });
}

CUresult cuCtxGetId(CUcontext ctx, unsigned long long* ctxId) {
    return entry("cuCtxGetId", [&] { put(ctxId, named_context(ctx)->id()); });
}

CUresult cuCtxGetExecAffinity(CUexecAffinityParam* pExecAffinity, CUexecAffinityType type) {
    return entry("cuCtxGetExecAffinity", [&] {
        require(pExecAffinity != nullptr);
        require(type == CU_EXEC_AFFINITY_TYPE_SM_COUNT, CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY);
        const int all = current_context()->device().attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
        pExecAffinity->type = type;
        const auto& green = current_green();
        pExecAffinity->param.smCount.val = green ? green->sms() : static_cast<unsigned>(all);
    });
}

CUresult cuCtxGetApiVersion(CUcontext ctx, unsigned int* version) {
    return entry("cuCtxGetApiVersion", [&] { put(version, named_context(ctx)->api_version()); });
}

CUresult cuCtxSynchronize() {
    return entry("cuCtxSynchronize", [&] {
        const std::shared_ptr<Context> context = current_context();
        synchronize(context, current_green());
    });
}

CUresult cuCtxSynchronize_v2(CUcontext ctx) {
    return entry("cuCtxSynchronize", [&] {
        const auto context = named_context(ctx);
        synchronize(context, named_green(ctx));
    });
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
    return entry_unseen_by_captures("cuCtxSetLimit", [&] { current_context()->set_limit(limit, value); });
}

CUresult cuCtxGetLimit(size_t* pvalue, CUlimit limit) {
    return entry("cuCtxGetLimit", [&] { put(pvalue, current_context()->limit(limit)); });
}

CUresult cuCtxGetCacheConfig(CUfunc_cache* pconfig) {
    return entry("cuCtxGetCacheConfig", [&] { put(pconfig, current_context()->cache_config.load()); });
}

CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
    return entry_unseen_by_captures("cuCtxSetCacheConfig", [&] {
        require(config >= CU_FUNC_CACHE_PREFER_NONE && config <= CU_FUNC_CACHE_PREFER_EQUAL);
        current_context()->cache_config = config;
    });
}

CUresult cuCtxGetSharedMemConfig(CUsharedconfig* pConfig) {
    return entry("cuCtxGetSharedMemConfig", [&] {
        current_context();
        put(pConfig, CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE);
    });
}

CUresult cuCtxSetSharedMemConfig(CUsharedconfig config) {
    return entry("cuCtxSetSharedMemConfig", [&] {
        require(config >= CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE &&
                config <= CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE);
        current_context();  // the banks' width cannot be chosen since compute capability 5.0
    });
}

CUresult cuCtxGetStreamPriorityRange(int* leastPriority, int* greatestPriority) {
    return entry("cuCtxGetStreamPriorityRange", [&] {
        current_context();
        put_optional(leastPriority, 0);
        put_optional(greatestPriority, greatest_stream_priority);
    });
}

CUresult cuCtxResetPersistingL2Cache() {
    return entry("cuCtxResetPersistingL2Cache", [&] { current_context(); });
}

CUresult cuCtxAttach(CUcontext* pctx, unsigned int flags) {
    return entry("cuCtxAttach", [&] {
        require(flags == 0 && pctx != nullptr);
        const auto& context = current_context();
        ++context->users;
        *pctx = context->handle();
    });
}

CUresult cuCtxDetach(CUcontext ctx) {
    return entry("cuCtxDetach", [&] {
        const auto context = contexts().get(ctx, CUDA_ERROR_INVALID_CONTEXT);
        require(ContextStack::of_this_thread().top() == ctx, CUDA_ERROR_INVALID_CONTEXT);
        if (--context->users > 0) return;
        const CUresult result = cuCtxDestroy_v2(ctx);
        require(result == CUDA_SUCCESS, result);
    });
}

CUresult cuCtxRecordEvent(CUcontext hCtx, CUevent hEvent) {
    return entry("cuCtxRecordEvent", [&] {
        const auto context = named_context(hCtx);
        graphs::refuse_if_captured(*context);
        const auto event = events().get(hEvent);
        const auto green = named_green(hCtx);
        green ? green->record(*event) : event->record(*context);
    });
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* pctx, CUdevice dev) {
    return entry("cuDevicePrimaryCtxRetain", [&] {
        require(pctx != nullptr);
        *pctx = primary_context::retain(dev);
    });
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice dev) {
    return entry("cuDevicePrimaryCtxRelease", [&] { primary_context::release(dev); });
}

CUresult cuDevicePrimaryCtxRelease(CUdevice dev) {
    return cuDevicePrimaryCtxRelease_v2(dev);
}

CUresult cuDevicePrimaryCtxReset_v2(CUdevice dev) {
    return entry("cuDevicePrimaryCtxReset", [&] { primary_context::reset(dev); });
}

CUresult cuDevicePrimaryCtxReset(CUdevice dev) {
    return cuDevicePrimaryCtxReset_v2(dev);
}

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice dev, unsigned int flags) {
    return entry("cuDevicePrimaryCtxSetFlags", [&] { primary_context::set_flags(dev, flags); });
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice dev, unsigned int flags) {
    return cuDevicePrimaryCtxSetFlags_v2(dev, flags);
}

CUresult cuDevicePrimaryCtxGetState(CUdevice dev, unsigned int* flags, int* active) {
    return entry("cuDevicePrimaryCtxGetState", [&] {
        require(flags != nullptr && active != nullptr);
        *flags = primary_context::flags(dev);
        *active = primary_context::active(dev) ? 1 : 0;
    });
}
