#pragma once

#include <string>
#include <vector>

#include "pycuda/compiler/toolchain.hpp"

namespace pycuda {

/// Everything that find_toolkits depends on besides the file system: if it is the same, so is the result.
std::string toolkit_search_state();

/// find_nvcc, among toolkits that were found already.
std::string find_nvcc_in(const std::string& nvcc, const std::vector<Toolkit>& toolkits);

/// Of `names`, the one that begins with `prefix` and goes on with the highest version, number by number ("13.10" is
/// above "13.9"; no version is below all). Empty when none does.
std::string newest_version(const std::vector<std::string>& names, const std::string& prefix);

/// The path of the library whose file name begins with `prefix` ("libnvJitLink.so"), its highest version in the first
/// of the toolkits that has it. Empty when none does.
std::string find_library(const std::string& prefix);

}  // namespace pycuda
