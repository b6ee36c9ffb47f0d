#pragma once

#include <cuda.h>

#include "pycuda/gpuarray/array.hpp"

namespace pycuda::gpuarray {

/// Lets cuFFT queue the transforms of the rows of `in` to those of `out`, of n elements each, on `stream`; both have
/// two axes in C order. complex to complex: sign -1 forwards, 1 backwards. Real to complex: forwards, n / 2 + 1
/// results. Complex to real: backwards, of n / 2 + 1 elements, which are overwritten. Not normalised. False, and
/// nothing is queued, where cuFFT is not there (VendorLibrary, PYCUDA_CUFFT), cannot plan it, or it does not pay. A
/// context keeps its last plans; their work areas are of its pool. RuntimeError where cuFFT is demanded, and fails.
bool transform_with_cufft(const Array& out, const Array& in, std::int64_t n, int sign, CUstream stream);

}  // namespace pycuda::gpuarray
