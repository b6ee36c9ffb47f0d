#include "driver/failed_stream.hpp"

#include "driver/driver_table.hpp"

namespace pycuda {
namespace {

constinit thread_local const char* failed_routine = nullptr;
constinit thread_local CUstream failed_stream = nullptr;

}  // namespace

void note_failed_stream(const char* routine, CUstream stream) noexcept {
    failed_routine = routine;
    failed_stream = stream;
}

bool is_of_another_context(CUstream stream) noexcept {
    if (!stream || stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD) return false;
    const DriverTable* const functions = driver_if_initialised();
    CUcontext owner = nullptr, current = nullptr;
    if (!functions || !functions->cuStreamGetCtx.is_available()) return false;
    const auto& ask = functions->cuStreamGetGreenCtx;
    CUgreenCtx green = nullptr;
    if (ask.is_available() && ask.try_call(stream, &green) == CUDA_SUCCESS && green) return false;  // of the primary
    return functions->cuCtxGetCurrent.try_call(&current) == CUDA_SUCCESS && current &&
           functions->cuStreamGetCtx.try_call(stream, &owner) == CUDA_SUCCESS && owner != current;
}

bool failed_for_its_stream(const std::string& routine) noexcept {
    return failed_routine && routine == failed_routine && is_of_another_context(failed_stream);
}

}  // namespace pycuda
