#include "pycuda/error.hpp"

#include <cuda.h>

#include <algorithm>
#include <cstdio>

#include "context_stack.hpp"
#include "driver_table.hpp"
#include "failed_stream.hpp"
#include "graphs/captures.hpp"
#include "pycuda/context.hpp"

namespace pycuda {
namespace {

constexpr ResultInfo table[] = {
#define PYCUDA_RESULT(code, name, error_class, text) {code, #name, ErrorClass::error_class, text},
#include "pycuda/results.def"
};

/// The text of the driver in use, which may be more detailed than the table: the CPU device adds the report of a fault.
std::string text_of(int code) {
    const DriverTable* functions = driver_if_initialised();
    const char* text = nullptr;
    if (functions && functions->cuGetErrorString.is_available() &&
        functions->cuGetErrorString.try_call(static_cast<CUresult>(code), &text) == CUDA_SUCCESS && text)
        return text;
    return result_info(code).text;
}

constexpr Advice advice_for_cpp{
    "call pycuda::init(), and make a context", "make a context with Device::make_context(), or push one",
    "call its push() in this thread before CUDA is used, and Context::pop() after",
    "start processes by fork and exec, or fork before pycuda::init()",
    "Install a CUDA toolkit of the driver's major version, and set CUDA_HOME to its folder."};
Advice advice = advice_for_cpp;

bool no_context_is_current() noexcept {
    const DriverTable* functions = driver_if_initialised();
    CUcontext current = nullptr;
    return functions && functions->cuCtxGetCurrent.try_call(&current) == CUDA_SUCCESS && !current;
}

std::string advice_without_context() {
    const int device = device_of_some_context();
    if (device < 0) return std::string(" - no context is current on this thread: ") + advice.no_context;
    return " - no context is current on this thread: each thread has its own. A context of device " +
           std::to_string(device) + " exists: " + advice.push_context;
}

/// The errors that beginners encounter first come with advice.
std::string advice_on(const std::string& routine, int code) {
    if (code == CUDA_ERROR_NOT_INITIALIZED && driver_is_of_parent())
        return std::string(
                   " - this process was forked from one that had initialized CUDA, which does not survive a "
                   "fork: ") +
               advice.forked;
    if (code == CUDA_ERROR_NOT_INITIALIZED) return std::string(" - CUDA is not initialized: ") + advice.not_initialized;
    if (code == CUDA_ERROR_INVALID_CONTEXT && no_context_is_current()) return advice_without_context();
    if (code != CUDA_SUCCESS && result_info(code).error_class == ErrorClass::LogicError &&
        failed_for_its_stream(routine))
        return " - the stream belongs to another context than the current one: use a stream made in the current "
               "context, or make the stream's context current";
    return {};
}

std::string message_of(const std::string& routine, int code, const std::string& detail) {
    std::string message = routine + " failed: ";
    if (code == 0) return message + detail;
    message += text_of(code);
    if (!detail.empty()) message += " - " + detail;
    return message + advice_on(routine, code);
}

std::string compile_message(const std::string& msg, const std::string& stdout_text, const std::string& stderr_text,
                            const std::vector<std::string>& command_line) {
    std::string message = msg;
    if (!command_line.empty()) message += "\n[command:";
    for (const std::string& word : command_line) message += " " + word;
    if (!command_line.empty()) message += "]";
    if (!stdout_text.empty()) message += "\n[stdout:\n" + stdout_text + "]";
    if (!stderr_text.empty()) message += "\n[stderr:\n" + stderr_text + "]";
    return message;
}

/// Nothing is left to clean up: the driver or the context is gone, or a kernel's fault has ended everything in the
/// context.
bool says_that_it_is_gone(int code) noexcept {
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

}  // namespace

void set_advice(const Advice& texts) noexcept {
    advice = texts;
}

std::string install_advice() {
    return advice.install;
}

Error::Error(std::string routine, int code, const std::string& detail)
    : routine_(std::move(routine)), code_(code), message_(message_of(routine_, code, detail)) {}

CompileError::CompileError(std::string msg, std::string stdout_text, std::string stderr_text,
                           std::vector<std::string> command_line)
    : Error(Verbatim{}, "compile", compile_message(msg, stdout_text, stderr_text, command_line)),
      msg_(std::move(msg)),
      stdout_(std::move(stdout_text)),
      stderr_(std::move(stderr_text)),
      command_line_(std::move(command_line)) {}

std::span<const ResultInfo> results() {
    return table;
}

ResultInfo result_info(int code) {
    const auto row = std::lower_bound(std::begin(table), std::end(table), code,
                                      [](const ResultInfo& info, int wanted) { return info.code < wanted; });
    if (row != std::end(table) && row->code == code) return *row;
    return {code, "CUDA_ERROR_UNRECOGNIZED", ErrorClass::RuntimeError, "unrecognized error code"};
}

void raise(const char* routine, int code, const std::string& detail) {
    if (code >= CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED && code <= CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD)
        captures::note_failure(routine);
    switch (result_info(code).error_class) {
        case ErrorClass::LogicError:
            throw LogicError(routine, code, detail);
        case ErrorClass::MemoryError:
            throw MemoryError(routine, code, detail);
        case ErrorClass::LaunchError:
            throw LaunchError(routine, code, detail);
        default:
            throw RuntimeError(routine, code, detail);
    }
}

void raise_closed(const char* what) {
    throw LogicError(Error::Verbatim{}, what, std::string(what) + " is closed");
}

void raise_context_gone(const char* what) {
    throw LogicError(Error::Verbatim{}, what, std::string(what) + " belongs to a context that is gone");
}

void report_cleanup_failure(const char* routine, int code) noexcept {
    if (code == CUDA_SUCCESS || says_that_it_is_gone(code)) return;
    const ResultInfo info = result_info(code);
    std::fprintf(stderr, "[pycuda] %s failed in clean-up: %s (%s)\n", routine, info.text, info.name);
}

}  // namespace pycuda
