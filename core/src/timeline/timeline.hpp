#pragma once

#include <cstdint>

#include "observing/observers.hpp"

namespace pycuda {

/// True while a timeline is recorded (trace.hpp).
inline bool timeline_is_on() noexcept {
    return is_observed_by(timeline_observer);
}

/// A span of this library's own work, such as a compilation, while a timeline is recorded.
class TimelineSpan {
public:
    explicit TimelineSpan(const char* name) noexcept;
    ~TimelineSpan();
    TimelineSpan(const TimelineSpan&) = delete;
    TimelineSpan& operator=(const TimelineSpan&) = delete;
    void note(const char* what) noexcept { note_ = what; }

private:
    const char* const name_;
    const char* note_ = "";
    const std::uint64_t begun_;  ///< 0 if nothing is recorded
};

}  // namespace pycuda
