#include "pycuda/errors/error.hpp"

#include <algorithm>

#include "errors/closed_text.hpp"

namespace pycuda {
namespace {

constexpr ResultInfo table[] = {
#define PYCUDA_RESULT(code, name, error_class, text) {code, #name, ErrorClass::error_class, text},
#include "pycuda/errors/results.def"
};

std::string message_of(const std::string& routine, int code, const char* text, const std::string& detail) {
    std::string message = routine + " failed: ";
    if (code == 0) return message + detail;
    message += text;
    return detail.empty() ? message : message + " - " + detail;
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

}  // namespace

Error::Error(std::string routine, int code, const char* text, const std::string& detail)
    : routine_(std::move(routine)), code_(code), message_(message_of(routine_, code, text, detail)) {}

Error::Error(std::string routine, int code, const std::string& detail)
    : Error(std::move(routine), code, result_info(code).text, detail) {}

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

void raise_closed(const char* what) {
    throw LogicError(Error::Verbatim{}, what, closed_text(what));
}

void raise_context_gone(const char* what) {
    throw LogicError(Error::Verbatim{}, what, std::string(what) + " belongs to a context that is gone");
}

}  // namespace pycuda
