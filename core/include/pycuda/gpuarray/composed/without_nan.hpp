#pragma once

#include <cuda.h>

#include <cstdint>
#include <optional>

#include "pycuda/gpuarray/array.hpp"
#include "pycuda/gpuarray/scan.hpp"

namespace pycuda::gpuarray {

// Functions of the elements that are not NaN; sums, products and extrema are rows of reductions.def. Types without NaN
// are treated as in the functions for all elements. Axes are bit masks, see reduce. Asynchronous on `stream` unless
// stated otherwise.

/// The elements, with `number` in place of each NaN. The array itself, if its type has no NaN.
Array without_nan(Array array, double number, CUstream stream);

/// nanmean: the mean, of `dtype` if it is given; where `where` is true, if it is given: it broadcasts to the array's
/// shape.
Array nanmean(Array array, std::optional<Array> where, std::uint32_t axes, bool keepdims, std::optional<DType> dtype,
              CUstream stream);
/// As variance() and standard_deviation().
Array nanvar(Array array, std::optional<Array> where, std::uint32_t axes, bool keepdims, double correction,
             std::optional<DType> dtype, CUstream stream);
Array nanstd(Array array, std::optional<Array> where, std::uint32_t axes, bool keepdims, double correction,
             std::optional<DType> dtype, CUstream stream);
/// The index of the smallest or the largest element (int64). std::invalid_argument where all are NaN: for types with
/// NaN, it waits for the stream.
Array nanargmin(Array array, std::uint32_t axes, bool keepdims, CUstream stream);
Array nanargmax(Array array, std::uint32_t axes, bool keepdims, CUstream stream);
/// nancumsum and nancumprod: running sums or products along an axis.
Array scanned_without_nan(Scan op, Array array, int axis, CUstream stream);

}  // namespace pycuda::gpuarray
