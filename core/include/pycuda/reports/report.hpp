#pragma once

#include <string>

namespace pycuda {

/// The facts for a bug report: versions, driver, devices, compilers and their paths, cache folder and size, and
/// whether compiling and running a kernel works.
struct Report {
    std::string summary;  ///< a few lines
    std::string text;     ///< all facts
    std::string json;     ///< the same, one object
    bool ok = false;      ///< a kernel was compiled and returned the right values
};

/// Open the driver (PYCUDA_DRIVER picks it) and create a context on device 0 for the test kernel. Never raises:
/// failures are in the report. `language` names the caller, e.g. "Python 3.11.2, pycuda 2026.1".
Report report(const std::string& language = {});

}  // namespace pycuda
