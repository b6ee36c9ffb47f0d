#pragma once

#include <cuda.h>

#include "pycuda/gpuarray/array.hpp"

namespace pycuda::gpuarray {

/// Lets cuFFT queue the transforms of the rows of `in`, of n elements each, to those of `out`, on `stream`; both have
/// two axes in C order. Complex to complex: sign -1 is forwards, 1 backwards. Real to complex: forwards, n / 2 + 1
/// results. Complex to real: backwards, from n / 2 + 1 elements, which are overwritten. Not normalised. Returns false,
/// and queues nothing, if cuFFT is not installed (VendorLibrary, PYCUDA_CUFFT), cannot plan the transforms, or would be
/// slower. A context keeps its last plans; their work areas come from its pool. Throws RuntimeError if cuFFT is
/// demanded and fails.
bool transform_with_cufft(const Array& out, const Array& in, std::int64_t n, int sign, CUstream stream);

}  // namespace pycuda::gpuarray
