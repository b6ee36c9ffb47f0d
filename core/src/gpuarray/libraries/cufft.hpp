#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "pycuda/gpuarray/array.hpp"

namespace pycuda::gpuarray {

inline constexpr std::size_t max_fourier_axes = 3;  ///< of one transform of cuFFT

/// Whether cuFFT is installed (VendorLibrary, PYCUDA_CUFFT) and not slower than our kernels for so many results.
bool is_for_cufft(std::int64_t results);

/// Lets cuFFT queue the transforms of the rows of `in` to those of `out`, on `stream`; both have two axes in C order. A
/// row has the elements of a transform over axes of the lengths `n`, in C order. Complex to complex: sign -1 is
/// forwards, 1 backwards. Real to complex, over one axis: forwards, n / 2 + 1 results. Complex to real, likewise:
/// backwards, from n / 2 + 1 elements, which are overwritten. Not normalised. Returns false, and queues nothing, unless
/// is_for_cufft, or if it cannot plan the transforms. A context keeps its last plans; their work areas come from its
/// pool. Throws RuntimeError if cuFFT is demanded and fails.
bool transform_with_cufft(const Array& out, const Array& in, std::span<const std::int64_t> n, int sign,
                          CUstream stream);

}  // namespace pycuda::gpuarray
