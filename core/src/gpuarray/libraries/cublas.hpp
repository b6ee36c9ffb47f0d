#pragma once

#include <cuda.h>

#include "pycuda/gpuarray/elementwise.hpp"

namespace pycuda::gpuarray {

/// Lets cuBLAS queue out = a @ b on `stream`, of matrices whose shapes fit; false where it cannot, and nothing is
/// queued: it is not installed, PYCUDA_CUBLAS=0, the device is the CPU device, the three types are not one of float32,
/// float64, complex64 and complex128, or the elements of a matrix are adjacent along neither axis. Looked for once a
/// process, in the toolkits that find_toolkits() gives. Each context has a handle of its own, made at the first product
/// (tens of milliseconds, and device memory that is cuBLAS's). The context must be current.
bool multiply_with_cublas(const ArrayRef& out, const ArrayRef& a, const ArrayRef& b, CUstream stream);

}  // namespace pycuda::gpuarray
