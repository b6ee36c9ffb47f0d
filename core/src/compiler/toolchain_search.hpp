#pragma once

#include <string>
#include <vector>

#include "pycuda/compiler/toolchain.hpp"

namespace pycuda {

/// All that find_toolkits goes by besides the file system: while it is the same, so is the answer.
std::string toolkit_search_state();

/// find_nvcc, among toolkits that were found already.
std::string find_nvcc_in(const std::string& nvcc, const std::vector<Toolkit>& toolkits);

}  // namespace pycuda
