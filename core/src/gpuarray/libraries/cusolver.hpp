#pragma once

#include "gpuarray/composed/decompositions.hpp"

/// Decompositions by cuSOLVER's dense functions, one matrix of a stack after another. The functions are those of
/// decompositions.hpp, with the same results but for rounding, and signs of vectors.
namespace pycuda::gpuarray::cusolver {

/// Whether it is installed (VendorLibrary, PYCUDA_CUSOLVER), and faster for these matrices or required.
bool takes(const Array& stack);

Determinants determinants(const Array& a, CUstream stream);
Checked solve(const Array& a, const Array& b, CUstream stream);
Checked cholesky(const Array& a, CUstream stream);
QR qr(const Array& a, std::int64_t width, CUstream stream);
Singular singular(const Array& a, Vectors vectors, CUstream stream);
Eigen hermitian(const Array& a, bool vectors, CUstream stream);

}  // namespace pycuda::gpuarray::cusolver
