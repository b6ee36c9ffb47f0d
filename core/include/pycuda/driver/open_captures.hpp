#pragma once

#include <cuda.h>

#include <atomic>

namespace pycuda {

/// The number of open captures in this process and of graph nodes whose arguments are being read. Hot paths check only
/// this. Relaxed loads suffice: a thread can only use a captured stream after the capturing thread has passed it on,
/// and all other state of captures is guarded by a mutex.
inline std::atomic<int> open_captures{0};

inline bool any_capture_is_open() noexcept {
    return open_captures.load(std::memory_order_relaxed) != 0;
}

// The table of captures, in captures/, implements these two.

/// LogicError if this thread captures a stream in a mode that forbids `call`, which would invalidate the
/// capture. `instead` says what to do.
void require_no_capture(const char* call, const char* instead);

/// Record a driver call that failed because of a capture, so that the message of an invalid capture names it.
void note_failure_in_captures(const char* call) noexcept;

/// For internal calls on a thread that may be capturing: they do not affect the capture, but the driver cannot
/// know that.
class RelaxedCapture {
public:
    RelaxedCapture() noexcept {
        if (any_capture_is_open()) [[unlikely]]
            exchange();
    }
    /// Also if no capture is open: another thread may begin one before the calls.
    struct Always {};
    explicit RelaxedCapture(Always) noexcept : untraced_(true) { exchange(); }
    ~RelaxedCapture() {
        if (active_) [[unlikely]]
            exchange();
    }
    RelaxedCapture(const RelaxedCapture&) = delete;
    RelaxedCapture& operator=(const RelaxedCapture&) = delete;

private:
    void exchange() noexcept;
    CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
    bool untraced_ = false;  ///< programs do not see these calls in traces
    bool active_ = false;
};

}  // namespace pycuda
