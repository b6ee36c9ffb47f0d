#include "pycuda/driver/driver.hpp"

#include <cuda.h>

#include "driver/driver_messages.hpp"
#include "driver/driver_table.hpp"
#include "platform/libraries.hpp"
#include "pycuda/driver/open_captures.hpp"

namespace pycuda {

std::array<int, 3> version() {
    return {CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10, CUDA_VERSION % 10};
}

int driver_version() {
    int version = 0;
    choose_driver().functions.cuDriverGetVersion(&version);
    return version;
}

DriverInfo driver_info() {
    const DriverLibrary& library = choose_driver();
    return {library.is_cpu_device, library.name};
}

bool have_gl_ext() {
    return has_opengl();
}

void initialize_profiler(const std::string& config_file, const std::string& output_file,
                         ProfilerOutputMode output_mode) {
    driver().cuProfilerInitialize(config_file.c_str(), output_file.c_str(), static_cast<int>(output_mode));
}
void start_profiler() {
    const RelaxedCapture relaxed;  // no capture is affected
    driver().cuProfilerStart();
}
void stop_profiler() {
    const RelaxedCapture relaxed;
    driver().cuProfilerStop();
}

void raise_missing_function(const char* name, int version) {
    int installed = 0;
    std::string detail = "the driver in use lacks it";
    if (const DriverTable* table = driver_if_initialised(); table && !table->cuDriverGetVersion.try_call(&installed))
        detail += " (it is of CUDA " + version_text(installed) + ")";
    // New drivers no longer have it.
    if (installed < version) detail += "; a driver of CUDA " + version_text(version) + " or newer is needed";
    throw RuntimeError(name, 0, detail);
}

}  // namespace pycuda
