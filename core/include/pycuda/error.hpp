#pragma once

#include <exception>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace pycuda {

/// The exception family. Every failure of the driver, the compiler or this library is one of these.
enum class ErrorClass { Error, LogicError, MemoryError, LaunchError, RuntimeError, GraphUpdateError, CompileError };

/// A language's advice if CUDA was not initialised, or no context is current. Ends the messages of
/// such failures.
struct Advice {
    const char* not_initialized;
    const char* no_context;    ///< and none was created
    const char* push_context;  ///< contexts exist, but none is current on this thread
    const char* forked;        ///< in a child process whose parent initialised CUDA
    const char* install;       ///< how to install a toolkit if a part of it was not found; a whole sentence
};
/// Replace C++'s advice with a language's. The texts must be static. Set once, by the language module.
void set_advice(const Advice& advice) noexcept;

/// How to install a CUDA toolkit in the language in use.
std::string install_advice();

/// LogicError "<what> is closed".
[[noreturn]] void raise_closed(const char* what);
/// LogicError "<what> belongs to a context that is gone".
[[noreturn]] void raise_context_gone(const char* what);

/// Base of the family. `what()` reads "cuXxx failed: text", followed by " - detail" where a detail helps.
class Error : public std::exception {
public:
    /// `code` is a CUresult, or 0 if no driver call failed; `routine` is the driver call's name
    /// without version suffix, or the name of the public function that failed.
    Error(std::string routine, int code, const std::string& detail = {});
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

/// Throw the exception that `code` maps to.
[[noreturn]] void raise(const char* routine, int code, const std::string& detail = {});

/// Report a failure of clean-up that must not throw (destructors, finalizer threads) in one line on stderr. Codes
/// that mean that the driver or the context has ended already are not failures. Never throws.
void report_cleanup_failure(const char* routine, int code) noexcept;

}  // namespace pycuda
