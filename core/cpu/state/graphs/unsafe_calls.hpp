#pragma once

#include <cuda.h>

#include <atomic>

namespace cpu::state::graphs {

extern std::atomic<int> open_captures;
void check_unsafe_call_slowly();

/// For a call that a capture does not record, such as an allocation. Throws CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, and
/// invalidates the captures, if the modes of the thread and of the captures prohibit it.
inline void check_unsafe_call() {
    if (open_captures.load(std::memory_order_relaxed) != 0) check_unsafe_call_slowly();
}

/// Returns the previous mode of the calling thread. Throws CUDA_ERROR_INVALID_VALUE.
CUstreamCaptureMode exchange_thread_mode(CUstreamCaptureMode mode);

}  // namespace cpu::state::graphs
