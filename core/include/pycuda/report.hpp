#pragma once

#include <string>

namespace pycuda {

/// What a bug report needs: versions, driver, devices, compilers found and where, cache folder and size, and whether a
/// kernel can be compiled and run, which is tried.
struct Report {
    std::string summary;  ///< a few lines
    std::string text;     ///< everything, for people
    std::string json;     ///< the same, one object
    bool ok = false;      ///< a kernel was compiled and gave the right numbers
};

/// Open the driver (PYCUDA_DRIVER picks it) and makes a context on device 0 for the trial. Never raises: what fails is
/// in the report. `language` names the caller, e.g. "Python 3.11.2, pycuda 2026.1".
Report report(const std::string& language = {});

}  // namespace pycuda
