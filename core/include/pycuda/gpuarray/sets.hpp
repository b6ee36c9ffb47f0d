#pragma once

#include <cuda.h>

#include "pycuda/gpuarray/array.hpp"

namespace pycuda::gpuarray {

// Searches in ascending elements, and sets. Arrays of any layout and of numbers; asynchronous on `stream` where nothing
// else is said.

/// Where, in ascending elements of one axis, others go in (int64): before those that are equal or, for `right`, behind
/// them. In the common type, of which NaN is the greatest value. ArgumentTypeError for complex numbers.
Array search_sorted(Array sorted, Array wanted, bool right, CUstream stream);

/// The different elements, ascending; the place of the first of each in C order; which of them each element is, in the
/// array's shape; how often each occurs. Places are int64. Each NaN is different; complex numbers go by their real part
/// first. Waits for the stream.
struct UniqueElements {
    Array values, indices, inverse, counts;
};
UniqueElements unique_elements(Array array, CUstream stream);

/// Whether each element is one of `of` (bool) or, for `invert`, is none. In the common type.
Array is_in(Array array, Array of, bool invert, CUstream stream);

}  // namespace pycuda::gpuarray
