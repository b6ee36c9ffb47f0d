#pragma once

#include <cuda.h>

#include <cstdint>
#include <string>
#include <vector>

#include "pycuda/constants/constants.hpp"
#include "pycuda/memory/device_memory.hpp"

namespace pycuda {

/// A tensor map's description of a tensor in device memory. Axes are in the order of NumPy's shapes: the elements of
/// the last axis are adjacent. Kernels name coordinates in the opposite order.
struct TensorLayout {
    DevicePtr address = 0;
    TensorMapDataType dtype = TensorMapDataType::UINT8;
    std::vector<std::int64_t> shape;
    std::vector<std::int64_t> strides;        ///< bytes along each axis but the last; empty: C order without gaps
    std::vector<std::int64_t> element_steps;  ///< copy one of this many elements along each axis; empty: every element
    TensorMapInterleave interleave = TensorMapInterleave::NONE;
    TensorMapSwizzle swizzle = TensorMapSwizzle::NONE;
    TensorMapL2Promotion l2_promotion = TensorMapL2Promotion::NONE;
    TensorMapFill fill = TensorMapFill::NONE;
};

/// Describes a tensor to bulk copies between device and shared memory (cp.async.bulk.tensor): an argument of 128
/// bytes for a kernel's parameter `const __grid_constant__ CUtensorMap`. Devices of compute capability 9.0 and newer
/// have such copies. It does not own the memory, which must live as long as kernels use the map. Immutable.
///
/// All requirements of cuda.h are checked: std::invalid_argument says what was expected and given.
class TensorMap {
public:
#ifndef SWIG
    /// For copies of boxes of `box` elements along each axis (cuTensorMapEncodeTiled).
    static TensorMap tiled(const TensorLayout& tensor, const std::vector<std::int64_t>& box);
    /// For copies of pixels with their channels, as convolutions need them (cuTensorMapEncodeIm2col): the tensor has
    /// the axes N, (D, (H,)) W, C. The corners are offsets along D, H and W from the first and from the last pixel.
    static TensorMap im2col(const TensorLayout& tensor, const std::vector<std::int64_t>& lower_corner,
                            const std::vector<std::int64_t>& upper_corner, std::int64_t channels_per_pixel,
                            std::int64_t pixels_per_column);
    /// The same along W only (cuTensorMapEncodeIm2colWide; compute capability 10.0, CUDA 12.8).
    static TensorMap im2col_wide(const TensorLayout& tensor, std::int64_t lower_corner, std::int64_t upper_corner,
                                 std::int64_t channels_per_pixel, std::int64_t pixels_per_column,
                                 TensorMapIm2colWideMode mode);
    const CUtensorMap& value() const noexcept { return map_; }
#endif
    /// The same for other memory with the same alignment (cuTensorMapReplaceAddress).
    TensorMap at_address(DevicePtr address) const;
    /// The same with another window for accesses outside the tensor (cuTensorMapSetAllocationClass). Needs a driver of
    /// CUDA 13.5.
    TensorMap with_allocation_class(TensorMapAllocationClass allocation_class) const;
    /// The one that is in effect, SMALL or LARGE: devices whose copies do not differ keep SMALL.
    TensorMapAllocationClass allocation_class() const noexcept { return allocation_class_; }
    /// The tensor's address.
    std::uint64_t start() const noexcept { return address_; }
    const std::string& text() const noexcept { return text_; }  ///< of dtype, shape and kind, for people
    /// LogicError if the memory has moved since; `address` is its current address.
    void check_address(std::uint64_t address) const {
        if (address != address_) [[unlikely]]
            raise_moved(address);
    }

private:
    TensorMap(const TensorLayout& tensor, std::string kind);
    [[noreturn]] void raise_moved(std::uint64_t address) const;

    CUtensorMap map_{};
    DevicePtr address_;
    std::uint64_t alignment_;
    TensorMapAllocationClass allocation_class_ = TensorMapAllocationClass::SMALL;
    std::string text_;
};

}  // namespace pycuda
