#pragma once

#include <cuda.h>

#include <string>

namespace pycuda {

// A stream of another context is refused in many ways, and the driver never says why.

/// `routine`, the static name of a driver's function, has failed, and was given this stream.
void note_failed_stream(const char* routine, CUstream stream) noexcept;

/// Whether the stream belongs to another context than the current one.
bool is_of_another_context(CUstream stream) noexcept;

/// Whether this thread's last failed call was of `routine`, with such a stream.
bool failed_for_its_stream(const std::string& routine) noexcept;

}  // namespace pycuda
