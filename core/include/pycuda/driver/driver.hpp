#pragma once

#include <array>
#include <string>

#include "pycuda/constants/constants.hpp"

namespace pycuda {

/// CUDA version this library was compiled against: major, minor, revision.
std::array<int, 3> version();

/// Version of the driver in use, as major*1000 + minor*10 (cuDriverGetVersion). Opens the driver; needs no init.
int driver_version();

/// The driver in use; opens one if none is open.
struct DriverInfo {
    bool is_cpu_device;
    std::string library;  ///< path or soname that was opened
};
DriverInfo driver_info();

/// Whether OpenGL's library is installed. Opens no driver.
bool have_gl_ext();

/// Set the configuration and output file of the profiler of old toolkits, for the current context
/// (cuProfilerInitialize). RuntimeError if the driver lacks the call; LogicError if the driver does not support it.
void initialize_profiler(const std::string& config_file, const std::string& output_file,
                         ProfilerOutputMode output_mode);
/// cuProfilerStart / cuProfilerStop on the current context.
void start_profiler();
void stop_profiler();

}  // namespace pycuda
