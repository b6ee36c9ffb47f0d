#pragma once

#include <cuda.h>

#include <cstdint>
#include <string>
#include <type_traits>

#include "pycuda/observing/places.hpp"

namespace pycuda {

// What each driver call reports to the timeline, which implements it.

/// The objects of a driver call: the kernel that it launches, the stream that it puts work into, and the context that
/// it names.
struct CallSubject {
    bool has_stream = false;
    CUstream stream = nullptr;
    CUfunction kernel = nullptr;
    CUcontext context = nullptr;

    template <class T>
    void note(const T& argument) noexcept {
        if constexpr (std::is_same_v<T, CUstream>) {
            stream = argument;
            has_stream = true;
        } else if constexpr (std::is_same_v<T, CUfunction>) {
            kernel = argument;
        } else if constexpr (std::is_same_v<T, CUcontext>) {
            context = argument;
        } else if constexpr (std::is_same_v<T, const CUlaunchConfig*>) {
            stream = argument->hStream;
            has_stream = true;
        }
    }
};

/// A driver call while a timeline is recorded, from its construction to end(). Calls that the recorder makes itself,
/// and those of threads that are left untraced, are not recorded.
class RecordedCall {
public:
    RecordedCall(const char* name, const CallSubject& subject);
    RecordedCall(const RecordedCall&) = delete;
    RecordedCall& operator=(const RecordedCall&) = delete;
    bool is_recorded() const noexcept { return recorded_; }
    void end(CUresult result, std::string arguments);

private:
    const char* const name_;
    const CallSubject subject_;
    const bool recorded_;
    CUevent begin_ = nullptr;  ///< before the work on the device; null if the call puts none into a stream
    Place place_ = 0;
    std::uint64_t begun_ = 0;
};

}  // namespace pycuda
