#pragma once

#include <cstdint>

#include "driver_table.hpp"

namespace pycuda {

/// A timeline's samples beside calls: the sizes of pools, and on the CPU device the activity of each of its threads.
/// The functions do nothing while no timeline is recorded.

/// The bytes that blocks of a pool use, and those that it holds for reuse. `pool` tells pools apart.
void record_pool(const char* kind, const void* pool, std::uint64_t used, std::uint64_t held) noexcept;

/// The calling thread's share of a launch; times of the steady clock, in nanoseconds.
void record_share(const char* kernel, std::uint64_t begin, std::uint64_t end) noexcept;

/// The driver has been chosen: timelines show the threads of the CPU device.
void connect_worker_lanes(const DriverLibrary& library) noexcept;

/// A timeline begins or ends.
void observe_workers(bool on) noexcept;

}  // namespace pycuda
