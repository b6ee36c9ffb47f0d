#pragma once

#include <exception>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace pycuda {

/// The exception family. Every failure of the driver, the compiler or this library is one of these.
enum class ErrorClass { Error, LogicError, MemoryError, LaunchError, RuntimeError, GraphUpdateError, CompileError };

/// LogicError "<what> was closed", or "was freed" and the like: see closed_text.hpp.
[[noreturn]] void raise_closed(const char* what);
/// LogicError "<what> belongs to a context that is gone".
[[noreturn]] void raise_context_gone(const char* what);

/// Base of the family. `what()` reads "cuXxx failed: text", followed by " - detail" where a detail helps.
class Error : public std::exception {
public:
    /// `code` is a CUresult, or 0 if no driver call failed; `routine` is the driver call's name
    /// without version suffix, or the name of the public function that failed.
    Error(std::string routine, int code, const std::string& detail = {});
    /// The same. `text` says what the code means, possibly more than the table does; without a code it is not used.
    Error(std::string routine, int code, const char* text, const std::string& detail);
    const char* what() const noexcept override { return message_.c_str(); }
    const std::string& routine() const noexcept { return routine_; }
    int code() const noexcept { return code_; }
    virtual ErrorClass error_class() const noexcept { return ErrorClass::Error; }

protected:
    friend void raise_closed(const char* what);
    friend void raise_context_gone(const char* what);
    struct Verbatim {};
    Error(Verbatim, std::string routine, std::string message)
        : routine_(std::move(routine)), code_(0), message_(std::move(message)) {}

private:
    std::string routine_;
    int code_;
    std::string message_;
};

/// A mistake of the program, which would fail on every machine.
class LogicError : public Error {
public:
    using Error::Error;
    ErrorClass error_class() const noexcept override { return ErrorClass::LogicError; }
};

/// An executable graph cannot be updated to another graph, because they differ in more than parameters.
class GraphUpdateError : public LogicError {
public:
    using LogicError::LogicError;
    ErrorClass error_class() const noexcept override { return ErrorClass::GraphUpdateError; }
};

/// Device or page-locked host memory ran out.
class MemoryError : public Error {
public:
    using Error::Error;
    ErrorClass error_class() const noexcept override { return ErrorClass::MemoryError; }
};

/// A kernel failed. The driver often reports it at the next call after the launch.
class LaunchError : public Error {
public:
    using Error::Error;
    ErrorClass error_class() const noexcept override { return ErrorClass::LaunchError; }
};

/// Something outside the program failed: no device, a missing file, a driver too old.
class RuntimeError : public Error {
public:
    using Error::Error;
    ErrorClass error_class() const noexcept override { return ErrorClass::RuntimeError; }
};

/// A compiler rejected a source, or none was found.
class CompileError : public Error {
public:
    CompileError(std::string msg, std::string stdout_text, std::string stderr_text,
                 std::vector<std::string> command_line);
    ErrorClass error_class() const noexcept override { return ErrorClass::CompileError; }
    const std::string& msg() const noexcept { return msg_; }
    const std::string& stdout_text() const noexcept { return stdout_; }
    const std::string& stderr_text() const noexcept { return stderr_; }
    const std::vector<std::string>& command_line() const noexcept { return command_line_; }

private:
    std::string msg_, stdout_, stderr_;
    std::vector<std::string> command_line_;
};

/// An argument of the wrong type: Python's TypeError, Java's IllegalArgumentException.
/// A wrong value of the right type is a std::invalid_argument: ValueError, IllegalArgumentException.
class ArgumentTypeError : public std::invalid_argument {
public:
    using std::invalid_argument::invalid_argument;
};

/// One row of the complete CUresult table (results.def).
struct ResultInfo {
    int code;
    const char* name;        ///< "CUDA_ERROR_OUT_OF_MEMORY"
    ErrorClass error_class;  ///< what is raised
    const char* text;        ///< "out of memory"
};

/// Every CUresult, by ascending code.
std::span<const ResultInfo> results();

/// The row of `code`; unknown codes get a row with class RuntimeError.
ResultInfo result_info(int code);

}  // namespace pycuda
