#pragma once

#include <string>
#include <vector>

#include "pycuda/toolchain/toolchain.hpp"

namespace pycuda {

/// Everything that find_toolkits depends on besides the file system: if it is the same, so is the result.
std::string toolkit_search_state();

/// find_nvcc among toolkits that are already known.
std::string find_nvcc_in(const std::string& nvcc, const std::vector<Toolkit>& toolkits);

/// Among `names`, the one that begins with `prefix` and has the highest version, compared number by number: "13.10" is
/// above "13.9", and a name without a version is the lowest. Empty if no name begins with `prefix`.
std::string newest_version(const std::vector<std::string>& names, const std::string& prefix);

/// The path of the library whose file name begins with `prefix` ("libnvJitLink.so"): its highest version in the first
/// toolkit that contains it. Empty if none does.
std::string find_library(const std::string& prefix);

/// The same, but also in folders of pip and other places that contain neither a compiler nor NVRTC, and in a toolkit's
/// folder of extras: for libraries that only read what the driver does, so that their version need not be the
/// toolkit's.
std::string find_library_anywhere(const std::string& prefix);

}  // namespace pycuda
