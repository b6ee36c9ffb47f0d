#pragma once

#include "pycuda/gpuarray/elementwise.hpp"

namespace pycuda::gpuarray {

/// out[k] = the number of elements in bin k (int64) or, with `weights`, the sum of theirs: of integers as int64 or
/// uint64, which wraps, of any numbers but complex ones as float64. A bin's sum does not depend on the order of its
/// weights, nor on those of other bins.
///
/// With `edges`, one more than there are bins and ascending, a bin includes its left edge, the last one also its right
/// edge; without, an element is the number of its bin, an integer or bool. Elements outside all bins do not count. All
/// arrays are C contiguous; the edges' type is the common type of both. Allocates scratch memory for real weights.
void count_in_bins(Kernels& kernels, const ArrayRef& out, const ArrayRef& in, const ArrayRef* edges,
                   const ArrayRef* weights, CUstream stream);

}  // namespace pycuda::gpuarray
