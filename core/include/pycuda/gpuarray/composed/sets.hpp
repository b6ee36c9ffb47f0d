#pragma once

#include <cuda.h>

#include "pycuda/gpuarray/array.hpp"

namespace pycuda::gpuarray {

// Searches in ascending elements, and sets. Numeric arrays of any layout; asynchronous on `stream` unless stated
// otherwise.

/// The indices (int64) at which elements are inserted into ascending elements of one axis: before equal ones or, for
/// `right`, after them. Compared in the common type, with NaN as the greatest value. ArgumentTypeError for complex
/// numbers.
Array searchsorted(Array sorted, Array wanted, bool right, CUstream stream);

/// The distinct elements, ascending: one axis. All NaN count as one. Waits for the stream.
Array unique(Array array, CUstream stream);

/// The distinct elements, ascending; the flat index of the first of each; for each element of the array, the index of
/// its value among them; how often each occurs. Indices are int64. Each NaN is different. Waits for the stream.
struct UniqueAll {
    Array values, indices, inverse, counts;
};
UniqueAll unique_all(Array array, CUstream stream);

/// Whether each element is one of `of` or, for `invert`, is not (bool). Compared in the common type.
Array isin(Array array, Array of, bool invert, CUstream stream);

}  // namespace pycuda::gpuarray
