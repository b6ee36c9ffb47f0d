// Settings of a context; each is one driver call.
#include "contexts/interruptible_wait.hpp"
#include "driver/driver_table.hpp"
#include "driver/known_contexts.hpp"
#include "pycuda/contexts/context.hpp"

namespace pycuda {

/// A context that has no object yet has no attachments either.
void Context::tell_settings_changed() {
    const CUcontext handle = current_handle_or_null();
    std::shared_ptr<Context> context;
    {
        KnownContexts& known = known_contexts();
        const std::lock_guard lock(known.mutex);
        if (const auto found = known.contexts.find(handle); found != known.contexts.end())
            context = found->second.context.lock();
    }
    if (!context) return;
    for (const AttachmentPtr& attachment : context->attachments()) attachment->settings_changed();
}

void Context::set_limit(Limit limit, std::size_t value) {
    if (any_capture_is_open()) require_no_capture("Context.set_limit", "set it before the capture");
    driver().cuCtxSetLimit(static_cast<CUlimit>(limit), value);
    tell_settings_changed();
}

std::size_t Context::get_limit(Limit limit) {
    std::size_t value = 0;
    driver().cuCtxGetLimit(&value, static_cast<CUlimit>(limit));
    return value;
}

void Context::set_cache_config(FuncCache config) {
    if (any_capture_is_open()) require_no_capture("Context.set_cache_config", "set it before the capture");
    driver().cuCtxSetCacheConfig(static_cast<CUfunc_cache>(config));
    tell_settings_changed();
}

FuncCache Context::get_cache_config() {
    CUfunc_cache config{};
    driver().cuCtxGetCacheConfig(&config);
    return static_cast<FuncCache>(config);
}

void Context::set_shared_config(SharedConfig config) {
    driver().cuCtxSetSharedMemConfig(static_cast<CUsharedconfig>(config));
    tell_settings_changed();
}

SharedConfig Context::get_shared_config() {
    CUsharedconfig config{};
    driver().cuCtxGetSharedMemConfig(&config);
    return static_cast<SharedConfig>(config);
}

StreamPriorityRange Context::get_stream_priority_range() {
    StreamPriorityRange range{};
    driver().cuCtxGetStreamPriorityRange(&range.least, &range.greatest);
    return range;
}

unsigned Context::get_api_version() const {
    unsigned version = 0;
    driver().cuCtxGetApiVersion(handle(), &version);
    return version;
}

std::uint64_t Context::id() const {
    unsigned long long number = 0;
    driver().cuCtxGetId(handle(), &number);
    return number;
}

unsigned Context::get_flags() {
    unsigned flags = 0;
    driver().cuCtxGetFlags(&flags);
    return flags;
}

void Context::set_flags(unsigned flags) {
    if (any_capture_is_open()) require_no_capture("Context.set_flags", "set them before the capture");
    if (const CUresult result = driver().cuCtxSetFlags.try_call(flags))
        driver().cuCtxSetFlags.fail(result, "flags " + std::to_string(flags));
    tell_settings_changed();
}

void Context::reset_persisting_l2_cache() {
    driver().cuCtxResetPersistingL2Cache();
}

unsigned Context::get_execution_affinity() {
    CUexecAffinityParam affinity{};
    driver().cuCtxGetExecAffinity(&affinity, CU_EXEC_AFFINITY_TYPE_SM_COUNT);
    return affinity.param.smCount.val;
}

void Context::flush_remote_writes(RemoteWritesScope scope) {
    driver().cuFlushGPUDirectRDMAWrites(CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX,
                                        static_cast<CUflushGPUDirectRDMAWritesScope>(scope));
}

void Context::enable_peer_access(const Context& peer, unsigned flags) {
    driver().cuCtxEnablePeerAccess(peer.handle(), flags);
}

void Context::disable_peer_access(const Context& peer, unsigned flags) {
    // The driver's function has no flags; the parameter makes both functions alike.
    if (flags != 0)
        driver().cuCtxDisablePeerAccess.fail(CUDA_ERROR_INVALID_VALUE, "flags must be 0, not " + std::to_string(flags));
    driver().cuCtxDisablePeerAccess(peer.handle());
}

void Context::synchronize() {
    if (any_capture_is_open()) require_no_capture("Context.synchronize", "end it first");
    InterruptibleWait wait;
    wait.until_context_is_done();
    const CUresult result = driver().cuCtxSynchronize.try_call();
    wait.check();
    if (result != CUDA_SUCCESS) driver().cuCtxSynchronize.fail(result, "");
}

}  // namespace pycuda
