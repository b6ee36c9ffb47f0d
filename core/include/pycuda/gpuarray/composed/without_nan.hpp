#pragma once

#include <cuda.h>

#include <cstdint>
#include <optional>

#include "pycuda/gpuarray/array.hpp"
#include "pycuda/gpuarray/composed/spread.hpp"
#include "pycuda/gpuarray/scan.hpp"

namespace pycuda::gpuarray {

// Functions of the elements that are not NaN; sums, products and extrema are rows of reductions.def. Types without NaN
// are treated as in the functions for all elements. Axes are bit masks, see reduce. Asynchronous on `stream` unless
// stated otherwise.

/// The elements, with `number` in place of each NaN. The array itself, if its type has no NaN.
Array without_nan(Array array, double number, CUstream stream);

/// The mean, of `dtype` if it is given; where `where` is true, if it is given: it broadcasts to the array's shape.
Array mean_without_nan(Array array, std::optional<Array> where, std::uint32_t axes, bool keep_axes,
                       std::optional<DType> dtype, CUstream stream);
/// As spread().
Array spread_without_nan(Spread kind, Array array, std::optional<Array> where, std::uint32_t axes, bool keep_axes,
                         double correction, std::optional<DType> dtype, CUstream stream);
/// The index of the least or, for `greatest`, the greatest element (int64). std::invalid_argument where all are NaN:
/// for types with NaN, it waits for the stream.
Array place_without_nan(Array array, bool greatest, std::uint32_t axes, bool keep_axes, CUstream stream);
/// Running sums or products along an axis.
Array scanned_without_nan(Scan op, Array array, int axis, CUstream stream);

}  // namespace pycuda::gpuarray
