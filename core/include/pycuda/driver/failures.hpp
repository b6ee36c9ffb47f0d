#pragma once

#include <string>

namespace pycuda {

/// Throw the exception that `code`, a CUresult of the driver's `routine`, maps to (results.def). The message has the
/// driver's own text, which the CPU device extends by the report of a fault, and what the language advises on failures
/// that beginners encounter.
[[noreturn]] void raise(const char* routine, int code, const std::string& detail = {});

/// Report a failure of clean-up that must not throw (destructors, finalizer threads) in one line on stderr. Codes
/// that mean that the driver or the context has ended already are not failures. Never throws.
void report_cleanup_failure(const char* routine, int code) noexcept;

}  // namespace pycuda
