#pragma once

#include "gpuarray/composed/decompositions.hpp"

/// Decompositions by cuSOLVER's dense functions, one matrix of a stack after another. The functions are those of
/// decompositions.hpp, with the same results up to rounding and the signs of vectors.
namespace pycuda::gpuarray::cusolver {

/// True if cuSOLVER is installed (VendorLibrary, PYCUDA_CUSOLVER), and is either faster for these matrices or demanded.
bool takes(const Array& stack);

Determinants determinants(const Array& a, CUstream stream);
Checked solve(const Array& a, const Array& b, CUstream stream);
Checked cholesky(const Array& a, CUstream stream);
QR qr(const Array& a, std::int64_t width, CUstream stream);
Singular singular(const Array& a, Vectors vectors, CUstream stream);
Eigen hermitian(const Array& a, bool vectors, CUstream stream);

}  // namespace pycuda::gpuarray::cusolver
