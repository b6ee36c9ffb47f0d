#include "contexts/converted_contexts.hpp"

#include "driver_table.hpp"

namespace pycuda {
namespace {

/// In that context, whatever is current; the first failure.
template <class Call>
CUresult in(const Context& context, Call&& call) noexcept {
    if (const CUresult result = driver().cuCtxPushCurrent.try_call(context.handle_or_null())) return result;
    const CUresult result = call();
    CUcontext popped = nullptr;
    driver().cuCtxPopCurrent.clean_up(&popped);
    return result;
}

}  // namespace

void order_default_streams(const Context& earlier, const Context& later) noexcept {
    const RelaxedCapture relaxed;
    CUevent event = nullptr;
    const bool ordered =
        in(earlier,
           [&] {
               const CUresult made = driver().cuEventCreate.try_call(&event, CU_EVENT_DISABLE_TIMING);
               return made == CUDA_SUCCESS ? driver().cuEventRecord.try_call(event, nullptr) : made;
           }) == CUDA_SUCCESS &&
        in(later, [&] { return driver().cuStreamWaitEvent.try_call(nullptr, event, 0); }) == CUDA_SUCCESS;
    if (event) driver().cuEventDestroy.clean_up(event);
    // A fault is found by the next call.
    if (!ordered) static_cast<void>(in(earlier, [] { return driver().cuStreamSynchronize.try_call(nullptr); }));
}

}  // namespace pycuda
