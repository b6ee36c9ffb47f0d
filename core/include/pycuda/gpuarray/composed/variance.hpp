#pragma once

#include <cuda.h>

#include <optional>

#include "pycuda/gpuarray/array.hpp"

namespace pycuda::gpuarray {

/// NumPy's var() over `axes` (a bit mask, see reduce), in a new array: the sum of the squared deviations from the mean,
/// divided by the number of elements minus `correction` (at least 0). Only elements at which `where` is true count, if
/// it is given; it broadcasts to the array's shape. Integers are computed in float64 unless `dtype` is given, 16-bit
/// floats in float32. Asynchronous on `stream`.
Array variance(Array array, std::optional<Array> where, std::uint32_t axes, bool keepdims, double correction,
               std::optional<DType> dtype, CUstream stream);
/// NumPy's std(): the root of the variance.
Array standard_deviation(Array array, std::optional<Array> where, std::uint32_t axes, bool keepdims, double correction,
                         std::optional<DType> dtype, CUstream stream);

}  // namespace pycuda::gpuarray
