#pragma once

#include <cstdint>

#include "driver/driver_table.hpp"

namespace pycuda {

/// Samples of a timeline, in addition to calls: the sizes of pools and, on the CPU device, the activity of each of its
/// threads. The functions are no-ops while no timeline is recorded.

/// Record the bytes that blocks of a pool use, and those that it holds for reuse. `pool` identifies the pool.
void record_pool(const char* kind, const void* pool, std::uint64_t used, std::uint64_t held) noexcept;

/// Record the calling thread's share of a launch; times of the steady clock, in nanoseconds.
void record_share(const char* kernel, std::uint64_t begin, std::uint64_t end) noexcept;

/// Called once the driver is chosen: timelines then show the threads of the CPU device.
void connect_worker_lanes(const DriverLibrary& library) noexcept;

/// Called when a timeline begins or ends.
void observe_workers(bool on) noexcept;

}  // namespace pycuda
