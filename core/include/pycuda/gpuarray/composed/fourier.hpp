#pragma once

#include <cuda.h>

#include <cstdint>
#include <span>

#include "pycuda/gpuarray/array.hpp"

namespace pycuda::gpuarray {

/// The kind of transform.
enum class Fourier {
    Complex,  ///< all elements into all results
    Half,     ///< real elements into the first half of the results along the last of the axes: n / 2 + 1
    Whole,    ///< that half, of n / 2 + 1 elements, into the n real elements
};

/// Which direction divides: the backward one by n, the forward one by n, or both by the root of n.
enum class FourierNorm { Backward, Ortho, Forward };

/// Discrete Fourier transforms of float32, float64, complex64 or complex128 along axes, one after another, by cuFFT if
/// it is installed and faster, else by kernels of this library; in a new array in C order. `lengths` of the
/// transforms, one per axis: axes are cut or padded with zeros. -1 is the axis's own length, and for
/// the last axis of Whole, 2 * (length - 1). Backwards with exp(+...) if `backward`. Asynchronous on `stream`.
/// Messages begin with NumPy's name: "irfft", or for `over_axes` "irfftn". ArgumentTypeError for other elements, and
/// for complex ones with Half. std::invalid_argument for lengths below 1, and if their number differs from that of the
/// axes; std::out_of_range if an axis does not exist.
Array fourier(Fourier kind, Array array, std::span<const std::int64_t> lengths, std::span<const std::int64_t> axes,
              bool backward, FourierNorm norm, bool over_axes, CUstream stream);

}  // namespace pycuda::gpuarray
