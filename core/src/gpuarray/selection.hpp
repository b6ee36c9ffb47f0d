#pragma once

#include <vector>

#include "pycuda/gpuarray/elementwise.hpp"

namespace pycuda::gpuarray {

/// The kernels that count the places of `mask`, and then gather those of `in`, or the places (no layout: without `in`).
std::vector<Kernels::Wanted> wanted_selection(const ArrayRef& in, const ArrayRef& mask);

}  // namespace pycuda::gpuarray
