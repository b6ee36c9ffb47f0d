#pragma once

#include <cuda.h>

#include <cstdint>

#include "pycuda/gpuarray/array.hpp"

namespace pycuda::gpuarray {

// Products of vectors of any layout and of numbers, in the common type: ArgumentTypeError for bool and structures. Axes
// are counted from the last one, -1, and other axes broadcast. std::invalid_argument for another axis, and for vectors
// that do not fit. Asynchronous on `stream`.

/// The sums of the products of the elements along an axis of one length, those of `a` conjugated.
Array vecdot(Array a, Array b, std::int64_t axis, CUstream stream);
/// The cross products along an axis of three elements.
Array cross(Array a, Array b, std::int64_t axis, CUstream stream);
/// The products of each element of the vector `a`, by rows, and each of the vector `b`.
Array outer(Array a, Array b, CUstream stream);

}  // namespace pycuda::gpuarray
