#include "pycuda/driver/failures.hpp"

#include <cuda.h>

#include <cstdio>

#include "driver/driver_table.hpp"
#include "driver/failed_stream.hpp"
#include "driver/known_contexts.hpp"
#include "driver/log_of_failure.hpp"
#include "pycuda/driver/open_captures.hpp"
#include "pycuda/errors/advice.hpp"
#include "pycuda/errors/error.hpp"
#include "pycuda/threads/waiting.hpp"

namespace pycuda {
namespace {

/// The text of the driver in use, which may be more detailed than the table: the CPU device adds the report of a fault.
std::string text_of(int code) {
    const DriverTable* functions = driver_if_initialised();
    const char* text = nullptr;
    if (functions && functions->cuGetErrorString.is_available() &&
        functions->cuGetErrorString.try_call(static_cast<CUresult>(code), &text) == CUDA_SUCCESS && text)
        return text;
    return result_info(code).text;
}

bool no_context_is_current() noexcept {
    const DriverTable* functions = driver_if_initialised();
    CUcontext current = nullptr;
    return functions && functions->cuCtxGetCurrent.try_call(&current) == CUDA_SUCCESS && !current;
}

std::string advice_without_context() {
    const int device = device_of_some_context();
    if (device < 0) return std::string("no context is current on this thread: ") + advice().no_context;
    return "no context is current on this thread: each thread has its own. A context of device " +
           std::to_string(device) + " exists: " + advice().push_context;
}

/// The errors that beginners encounter first come with advice.
std::string advice_on(const std::string& routine, int code) {
    if (code == CUDA_ERROR_NOT_INITIALIZED && is_forked_child())
        return std::string(
                   "this process was forked from one that had initialized CUDA, which does not survive a fork: ") +
               advice().forked;
    if (code == CUDA_ERROR_NOT_INITIALIZED) return std::string("CUDA is not initialized: ") + advice().not_initialized;
    if (code == CUDA_ERROR_INVALID_CONTEXT && no_context_is_current()) return advice_without_context();
    if (code != CUDA_SUCCESS && result_info(code).error_class == ErrorClass::LogicError &&
        failed_for_its_stream(routine))
        return "the stream belongs to another context than the current one: use a stream made in the current "
               "context, or make the stream's context current";
    return {};
}

/// Nothing is left to clean up: the driver or the context is gone, or a kernel's fault has ended everything in the
/// context.
bool means_destroyed(int code) noexcept {
    switch (code) {
        case CUDA_ERROR_NOT_INITIALIZED:
        case CUDA_ERROR_DEINITIALIZED:
        case CUDA_ERROR_INVALID_CONTEXT:
        case CUDA_ERROR_CONTEXT_IS_DESTROYED:
        case CUDA_ERROR_ECC_UNCORRECTABLE:
            return true;
        default:
            return result_info(code).error_class == ErrorClass::LaunchError;
    }
}

void note_if_capture_failed(const char* routine, int code) noexcept {
    if (code >= CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED && code <= CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD)
        note_failure_in_captures(routine);
}

}  // namespace

void raise(const char* routine, int code, const std::string& detail) {
    note_if_capture_failed(routine, code);
    const std::string said = log_of_failure(routine, code);  // before other calls log
    const std::string text = text_of(code), advice = advice_on(routine, code);
    std::string details = detail.empty() || advice.empty() ? detail + advice : detail + " - " + advice;
    if (!said.empty()) details += (details.empty() ? "the driver's log: " : " - the driver's log: ") + said;
    switch (result_info(code).error_class) {
        case ErrorClass::LogicError:
            throw LogicError(routine, code, text.c_str(), details);
        case ErrorClass::MemoryError:
            throw MemoryError(routine, code, text.c_str(), details);
        case ErrorClass::LaunchError:
            throw LaunchError(routine, code, text.c_str(), details);
        default:
            throw RuntimeError(routine, code, text.c_str(), details);
    }
}

void report_cleanup_failure(const char* routine, int code) noexcept {
    if (code == CUDA_SUCCESS || means_destroyed(code)) return;
    note_if_capture_failed(routine, code);
    const ResultInfo info = result_info(code);
    std::fprintf(stderr, "[pycuda] %s failed in clean-up: %s (%s)\n", routine, info.text, info.name);
}

}  // namespace pycuda
