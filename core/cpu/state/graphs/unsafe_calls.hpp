#pragma once

#include <cuda.h>

#include <atomic>

namespace cpu::state::graphs {

extern std::atomic<int> open_captures;
void check_unsafe_call_slowly();

/// For a call that a capture would not see, such as an allocation. Throws CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED where
/// the modes of the thread and of the captures say so; these are invalid then.
inline void check_unsafe_call() {
    if (open_captures.load(std::memory_order_relaxed) != 0) check_unsafe_call_slowly();
}

/// Returns the mode that the calling thread had. Throws CUDA_ERROR_INVALID_VALUE.
CUstreamCaptureMode exchange_thread_mode(CUstreamCaptureMode mode);

}  // namespace cpu::state::graphs
