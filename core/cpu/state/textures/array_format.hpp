#pragma once

#include <cuda.h>

#include <cstddef>

namespace cpu::state {

/// How the texels of a format are stored: like those of a plain format, one of the 8 to 32-bit integers and floats.
struct TexelFormat {
    CUarray_format plain;
    bool normalized = false;  ///< CU_AD_FORMAT_UNORM_... and SNORM_...: always read as floats
};

/// Throws CUDA_ERROR_INVALID_VALUE for an unknown format or one with another number of channels,
/// CUDA_ERROR_NOT_SUPPORTED for one that is not supported here (block compression).
TexelFormat texel_format(CUarray_format format, unsigned channels);

bool is_plain_format(CUarray_format format) noexcept;

/// The size of one channel of a plain format; throws CUDA_ERROR_INVALID_VALUE for other formats.
std::size_t channel_bytes(CUarray_format plain);

}  // namespace cpu::state
