#pragma once

#include <cuda.h>

#include <string>

namespace pycuda {

// Drivers reject a stream of another context with many different codes, none of which names the reason.

/// Record that `routine`, the static name of a driver function, has failed with this stream as an argument.
void note_failed_stream(const char* routine, CUstream stream) noexcept;

/// True if the stream belongs to another context than the current one.
bool is_of_another_context(CUstream stream) noexcept;

/// True if this thread's last failed call was to `routine`, with such a stream.
bool failed_for_its_stream(const std::string& routine) noexcept;

}  // namespace pycuda
