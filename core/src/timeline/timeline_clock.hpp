#pragma once

#include <chrono>
#include <cstdint>

namespace pycuda {

/// The time in nanoseconds, of the clock that all rows of a timeline have.
inline std::uint64_t timeline_time() noexcept {
    const auto time = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
}

}  // namespace pycuda
