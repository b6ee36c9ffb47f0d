#pragma once

#include <string>
#include <vector>

#include "pycuda/gpuarray/random/random.hpp"

namespace pycuda::gpuarray {

/// The names of all kernels of one kind.
std::vector<std::string> random_kernel_names(RandomKind kind);
}  // namespace pycuda::gpuarray
