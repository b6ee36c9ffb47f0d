#pragma once

#include <string>
#include <vector>

#include "gpuarray/text.hpp"

namespace pycuda::gpuarray {

/// True if code of these tokens may access fewer elements than there are indices: it has conditions, or declares its
/// own i.
bool leaves_out_indices(const std::vector<std::string>& words);

}  // namespace pycuda::gpuarray
