#pragma once

#include <cuda.h>

#include <optional>

#include "pycuda/gpuarray/array.hpp"

namespace pycuda::gpuarray {

/// How far elements lie from their mean.
enum class Spread : std::uint8_t { Variance, StandardDeviation };

/// The variance over `axes` (a bit mask, see reduce), or its root, in a new array: the sum of the squared
/// deviations from the mean, divided by the number of elements minus `correction` (at least 0). Only elements at
/// which `where` is true count (null: all); it broadcasts to the array's shape. Integers are computed in
/// float64 unless `dtype` is given, 16-bit floats in float32. Asynchronous on `stream`.
Array spread(Spread kind, Array array, const Array* where, std::uint32_t axes, bool keep_axes, double correction,
             std::optional<DType> dtype, CUstream stream);

}  // namespace pycuda::gpuarray
