#pragma once

#include <cuda.h>

#include "pycuda/gpuarray/elementwise.hpp"

namespace pycuda::gpuarray {

/// Lets cuBLAS queue out = a @ b on `stream`, for matrices whose shapes match. Returns false, and queues nothing, if
/// cuBLAS cannot do it or is slower: it is not installed (VendorLibrary, PYCUDA_CUBLAS), the product is small, the
/// three types are not the same one of float32, float64, complex64 and complex128, or the elements of a matrix are
/// adjacent along neither axis. Each context has its own handle. The context must be current. Throws RuntimeError if
/// cuBLAS is demanded and fails.
bool multiply_with_cublas(const ArrayRef& out, const ArrayRef& a, const ArrayRef& b, CUstream stream);

}  // namespace pycuda::gpuarray
