#pragma once

#include <string>
#include <vector>

#include "pycuda/toolchain/toolchain.hpp"

namespace pycuda {

/// Everything that find_toolkits depends on besides the file system: if it is the same, so is the result.
std::string toolkit_search_state();

/// find_nvcc among toolkits that are already known.
std::string find_nvcc_in(const std::string& nvcc, const std::vector<Toolkit>& toolkits);

/// The path of a library ("nvJitLink", as library_prefix takes it): its highest version in the first toolkit that
/// contains it. Empty if none does.
std::string find_library(const std::string& library);

/// The same, but also in folders of pip and other places that contain neither a compiler nor NVRTC, and in a toolkit's
/// folder of extras: for libraries that only read what the driver does, so that their version need not be the
/// toolkit's.
std::string find_library_anywhere(const std::string& library);

}  // namespace pycuda
