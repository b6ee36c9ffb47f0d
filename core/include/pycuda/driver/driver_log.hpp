#pragma once

#include <string>
#include <vector>

namespace pycuda {

/// The place of the next line of the driver's log, for driver_log (cuLogsCurrent). Needs a driver of CUDA 12.9.
unsigned driver_log_position();
/// What the driver has logged about failed calls of the process from `since` on, line by line: "[time][thread][CUDA][E]
/// message" (cuLogsDumpToMemory). It keeps the last 100 lines. Needs a driver of CUDA 12.9.
std::vector<std::string> driver_log(unsigned since = 0);
/// Write the same to a file (cuLogsDumpToFile). RuntimeError if it cannot be written.
void write_driver_log(const std::string& path, unsigned since = 0);

}  // namespace pycuda
