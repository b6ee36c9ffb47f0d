#pragma once

#include <cuda.h>

#include "pycuda/gpuarray/elementwise.hpp"

namespace pycuda::gpuarray {

/// Lets cuBLAS queue out = a @ b on `stream`, of matrices whose shapes fit; false if it cannot or is slower, and
/// nothing is queued: it is not there (VendorLibrary, PYCUDA_CUBLAS), there are few products of elements, the three
/// types are not one of float32, float64, complex64 and complex128, or the elements of a matrix are adjacent along
/// neither axis. Each context has a handle of its own. The context must be current. RuntimeError where cuBLAS is
/// demanded, and fails.
bool multiply_with_cublas(const ArrayRef& out, const ArrayRef& a, const ArrayRef& b, CUstream stream);

}  // namespace pycuda::gpuarray
