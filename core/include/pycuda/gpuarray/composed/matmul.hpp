#pragma once

#include <cuda.h>

#include "pycuda/gpuarray/elementwise.hpp"

namespace pycuda::gpuarray {

/// out = a @ b, asynchronously on `stream`: matrices are the last two axes (m, k) and (k, n), the axes before them are
/// broadcast as in elementwise operations; out has shape (..., m, n). All may have any strides and numeric types;
/// values are multiplied and added in the common type (float for 16-bit floating types) and converted to out's. An
/// operand that shares memory with `out` is copied first.
///
/// A product with a single row or column is a reduction. Others with 2^23 products of elements and more, unless they
/// are stacks of small matrices, use cuBLAS if it is installed and supports the types and layouts, unless
/// PYCUDA_CUBLAS=0; cuBLAS chooses its own order of summation. The rest are plain kernels, without tensor cores, which
/// add in the order of k. std::invalid_argument for shapes that do not fit; ArgumentTypeError for structures.
void matmul(Kernels& kernels, const ArrayRef& out, const ArrayRef& a, const ArrayRef& b, CUstream stream);

}  // namespace pycuda::gpuarray
