#pragma once

#include "state/memory/copy.hpp"

namespace cpu::state::copy {

/// One side of a CUDA_MEMCPY2D or 3D description.
struct BoxSide {
    CUmemorytype type;
    const void* host;
    CUdeviceptr device;
    CUarray array;
    std::size_t x_bytes, y, z;
    std::size_t pitch;   ///< 0: rows touch
    std::size_t height;  ///< rows from one slice to the next; 0: as many as are copied
};

/// The place that the box of `extent` has in `side`. Throws CUDA_ERROR_INVALID_VALUE when the pitch or height is too
/// small or the box reaches outside of the allocation or array, CUDA_ERROR_INVALID_HANDLE for an unknown array.
Place place_of(const BoxSide& side, const Extent& extent);

}  // namespace cpu::state::copy
