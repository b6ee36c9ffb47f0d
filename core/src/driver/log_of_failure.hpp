#pragma once

#include <string>

namespace pycuda {

/// Why the driver has made its `routine` fail with `code` on this thread just now, as far as its log tells; empty if it
/// does not (other threads' failures may have displaced the line), or the driver has no log. Throws nothing of its own.
std::string log_of_failure(const char* routine, int code);

/// From now on PYCUDA_TRACE shows what the driver logs.
void trace_driver_log() noexcept;

}  // namespace pycuda
