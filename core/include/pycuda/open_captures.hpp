#pragma once

#include <cuda.h>

#include <atomic>
#include <cstdint>

namespace pycuda {

/// Captures that are open in this process, and graph nodes whose arguments are being read. Hot paths ask for nothing
/// else. Relaxed: a thread that uses a captured stream was handed it by the one that began the capture, and all else
/// that is known of captures is behind a mutex.
inline std::atomic<int> open_captures{0};

inline bool any_capture_is_open() noexcept {
    return open_captures.load(std::memory_order_relaxed) != 0;
}

/// Work on `stream` is about to use the memory that begins at `address`: if it becomes part of a graph, the graph keeps
/// that memory. For callers that found any_capture_is_open().
void note_memory_of_graph(CUstream stream, std::uint64_t address);

/// The same of host memory, which may begin before `memory`.
void note_host_memory_of_graph(CUstream stream, const void* memory);

/// LogicError when this thread captures a stream in a mode that forbids calls like `call`, which would invalidate the
/// capture. `instead` says what to do.
void require_no_capture(const char* call, const char* instead);

/// For calls of this library's own on a thread that may be capturing: none of them disturbs the capture, but the driver
/// cannot know.
class RelaxedCapture {
public:
    RelaxedCapture() noexcept : active_(any_capture_is_open()) {
        if (active_) [[unlikely]]
            exchange();
    }
    ~RelaxedCapture() {
        if (active_) [[unlikely]]
            exchange();
    }
    RelaxedCapture(const RelaxedCapture&) = delete;
    RelaxedCapture& operator=(const RelaxedCapture&) = delete;

private:
    void exchange() noexcept;
    CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
    bool active_;
};

}  // namespace pycuda
