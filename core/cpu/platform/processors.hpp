#pragma once

#include <cstddef>
#include <cstdint>

namespace cpu::platform {

/// The number of processors that this process may use, at least 1.
unsigned usable_processors() noexcept;
/// The memory that this machine, or the control group of this process, may use.
std::size_t physical_memory() noexcept;
/// In bytes; 0 if the system does not say.
std::int64_t last_level_cache() noexcept;
/// In kHz; 0 if the system does not say.
int clock_rate() noexcept;

}  // namespace cpu::platform
