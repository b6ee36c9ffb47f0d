#pragma once

#include <cuda.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <shared_mutex>
#include <vector>

namespace pycuda {

/// The number of open captures in this process and of graph nodes whose arguments are being read. Hot paths check only
/// this. Relaxed loads suffice: a thread can only use a captured stream after the capturing thread has passed it on,
/// and all other state of captures is guarded by a mutex.
inline std::atomic<int> open_captures{0};

inline bool any_capture_is_open() noexcept {
    return open_captures.load(std::memory_order_relaxed) != 0;
}

/// The streams that are known to take part in captures. Valid while the caller holds captures_begin_and_end() shared.
std::vector<CUstream> captured_streams();

/// Held exclusively while a capture begins or ends, both in the driver and in the table of open captures, so that the
/// two agree.
std::shared_mutex& captures_begin_and_end() noexcept;

/// True if `stream` takes part in a capture that this library began.
bool is_captured(CUstream stream);

/// If `stream` is captured, its graph keeps the object; otherwise false.
bool keep_in_graph(CUstream stream, const std::shared_ptr<void>& object);

/// Record that work on `stream` will use the memory that begins at `address`: if the work becomes part of a graph, the
/// graph keeps that memory. For callers for which any_capture_is_open() is true.
void note_memory_of_graph(CUstream stream, std::uint64_t address);

/// The same for host memory, which may begin before `memory`.
void note_host_memory_of_graph(CUstream stream, const void* memory);

/// The same for memory that this library does not free: the graph keeps what `keep` returns, which owns the memory.
/// `keep` is called if there is a graph that does not have that object yet. `object` identifies it for as long as it
/// lives; null: it is kept each time.
void note_owner_of_graph(CUstream stream, const void* object, const std::function<std::shared_ptr<void>()>& keep);

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
