#pragma once

#include <cuda.h>

#include "pycuda/gpuarray/elementwise.hpp"

namespace pycuda::gpuarray {

/// Lets cuBLAS queue out = a @ b on `stream`, for stacks of matrices whose shapes match; `stack` is the walk over the
/// matrices of out, a and b. Returns false, and queues nothing, if it is neither said to be faster nor demanded, is not
/// installed (VendorLibrary, PYCUDA_CUBLAS), or cannot do it: the three types are not the same real or complex
/// floating-point type, the elements of a matrix are adjacent along neither axis, or the matrices of a stack are not
/// equally far apart. Each context has its own handle. The context must be current. Throws RuntimeError if cuBLAS is
/// demanded and fails.
bool multiply_with_cublas(const ArrayRef& out, const ArrayRef& a, const ArrayRef& b, const CollapsedLayouts& stack,
                          bool is_faster, CUstream stream);

}  // namespace pycuda::gpuarray
