#pragma once

#include <array>
#include <string>

#include "pycuda/constants/constants.hpp"

namespace pycuda {

/// CUDA version this library was compiled against: major, minor, revision.
std::array<int, 3> version();

/// Version of the driver in use, as major*1000 + minor*10 (cuDriverGetVersion). Opens the driver; needs no init.
int driver_version();

/// Open the driver that PYCUDA_DRIVER selects and initialise it (cuInit). Idempotent, thread-safe.
/// - `cuda`: the real driver, or RuntimeError that names what is missing;
/// - `cpu`: the CPU device;
/// - `auto` or unset: the real driver if it initialises with at least one device, else the CPU device and one notice.
/// A failed init changes nothing: the next call tries again. Raises LogicError for an unknown PYCUDA_DRIVER.
void init(unsigned flags = 0);

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

/// For loaders that hold libpycuda_cpu in an archive: called under a lock when the CPU device is first needed, instead
/// of searching the folder of this shared object. Returns an absolute path, or else the reason why there is none.
void set_cpu_library_source(std::string (*source)());

}  // namespace pycuda
