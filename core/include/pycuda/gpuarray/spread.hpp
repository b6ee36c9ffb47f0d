#pragma once

#include <cuda.h>

#include <optional>

#include "pycuda/gpuarray/array.hpp"

namespace pycuda::gpuarray {

/// How far elements lie from their mean.
enum class Spread : std::uint8_t { Variance, StandardDeviation };

/// The variance over `axes` (a bit mask, see reduce), in a new array: the sum of the squares of the deviations from the
/// mean, over the number of elements less `correction`, and no less than 0; or its root. Of the elements where `where`
/// (null: all) is true, which broadcasts to the array's shape. Whole numbers are computed in float64 unless `dtype`
/// says otherwise, 16-bit floats in float32. Asynchronous on `stream`.
Array spread(Spread kind, Array array, const Array* where, std::uint32_t axes, bool keep_axes, double correction,
             std::optional<DType> dtype, CUstream stream);

}  // namespace pycuda::gpuarray
