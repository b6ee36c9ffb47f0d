#pragma once

#include <cuda.h>

#include <span>

#include "pycuda/gpuarray/array.hpp"

namespace pycuda::gpuarray {

// Medians and quantiles: elements sorted along `axes` (a bit mask, see reduce), in a new array: NaN where one of them
// is NaN. Asynchronous on `stream`. ArgumentTypeError for structures.

/// The mean of the two middle elements; NaN if there are none. Integers and booleans are computed in float64.
Array median(Array array, std::uint32_t axes, bool keepdims, CUstream stream);

/// The elements at these indices, counted from 0, along a new first axis. A fraction is interpolated between its
/// neighbours, in `dtype`, a floating-point type. std::out_of_range for indices out of bounds, as all are if there are
/// no elements; ArgumentTypeError for booleans and complex numbers.
Array take_sorted(Array array, std::span<const double> indices, std::uint32_t axes, bool keepdims, DType dtype,
                  CUstream stream);

}  // namespace pycuda::gpuarray
