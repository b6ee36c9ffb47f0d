#pragma once

namespace pycuda {

struct DriverLibrary;

/// Called when a driver has been loaded. While allocations are recorded, the CPU device's reports then say which lines
/// of the program allocated the memory near a bad access, and which freed it.
void connect_memory_lines(const DriverLibrary& library) noexcept;

}  // namespace pycuda
