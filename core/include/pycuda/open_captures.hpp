#pragma once

#include <cuda.h>

#include <atomic>
#include <cstdint>

namespace pycuda {

/// The number of open captures in this process and of graph nodes whose arguments are being read. Hot paths check only
/// this. Relaxed loads suffice: a thread can only use a captured stream after the capturing thread has passed it on,
/// and all other state of captures is guarded by a mutex.
inline std::atomic<int> open_captures{0};

inline bool any_capture_is_open() noexcept {
    return open_captures.load(std::memory_order_relaxed) != 0;
}

/// Record that work on `stream` will use the memory that begins at `address`: if the work becomes part of a graph, the
/// graph keeps that memory. For callers for which any_capture_is_open() is true.
void note_memory_of_graph(CUstream stream, std::uint64_t address);

/// The same for host memory, which may begin before `memory`.
void note_host_memory_of_graph(CUstream stream, const void* memory);

/// LogicError if this thread captures a stream in a mode that forbids `call`, which would invalidate the
/// capture. `instead` says what to do.
void require_no_capture(const char* call, const char* instead);

/// For internal calls on a thread that may be capturing: they do not affect the capture, but the driver cannot
/// know that.
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
