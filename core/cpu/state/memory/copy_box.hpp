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
    std::size_t pitch;   ///< 0: rows are contiguous
    std::size_t height;  ///< distance between slices in rows; 0: as many rows as are copied
};

inline BoxSide source(const CUDA_MEMCPY2D& c) {
    return {c.srcMemoryType, c.srcHost, c.srcDevice, c.srcArray, c.srcXInBytes, c.srcY, 0, c.srcPitch, 0};
}
inline BoxSide target(const CUDA_MEMCPY2D& c) {
    return {c.dstMemoryType, c.dstHost, c.dstDevice, c.dstArray, c.dstXInBytes, c.dstY, 0, c.dstPitch, 0};
}
// CUDA_MEMCPY3D and CUDA_MEMCPY3D_PEER have the same names for these. The levels of detail should be 0, but the driver
// does not check.
template <class Copy>
BoxSide source(const Copy& c) {
    return {c.srcMemoryType, c.srcHost, c.srcDevice, c.srcArray, c.srcXInBytes,
            c.srcY,          c.srcZ,    c.srcPitch,  c.srcHeight};
}
template <class Copy>
BoxSide target(const Copy& c) {
    return {c.dstMemoryType, c.dstHost, c.dstDevice, c.dstArray, c.dstXInBytes,
            c.dstY,          c.dstZ,    c.dstPitch,  c.dstHeight};
}
inline Extent extent(const CUDA_MEMCPY2D& c) {
    return {c.WidthInBytes, c.Height, 1};
}
template <class Copy>
Extent extent(const Copy& c) {
    return {c.WidthInBytes, c.Height, c.Depth};
}

/// The place of the box `extent` in `side`. Throws CUDA_ERROR_INVALID_VALUE if the pitch or height is too small or the
/// box exceeds the allocation or array, CUDA_ERROR_INVALID_HANDLE for an unknown array.
Place place_of(const BoxSide& side, const Extent& extent);

}  // namespace cpu::state::copy
