#pragma once

#include <cuda.h>

#include "pycuda/gpuarray/array.hpp"

namespace pycuda::gpuarray {

/// Whether |a - b| <= absolute + relative * |b| (bool); infinities are only close to themselves and, if `equal_nan`,
/// NaN to NaN. Computed in the common type, integers in float64. Asynchronous on `stream`.
Array isclose(Array a, Array b, double relative, double absolute, bool equal_nan, CUstream stream);

}  // namespace pycuda::gpuarray
