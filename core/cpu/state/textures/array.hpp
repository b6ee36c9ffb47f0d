#pragma once

#include "state/memory/page_block.hpp"
#include "state/registry.hpp"
#include "state/textures/array_format.hpp"

#include <cuda.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

namespace cpu::state {

class Context;
class Device;

/// An array: texels of one format, in rows without gaps, followed by further slices or layers.
class Array {
public:
    /// Throws CUDA_ERROR_INVALID_VALUE for an invalid description.
    Array(Context& context, const CUDA_ARRAY3D_DESCRIPTOR& descriptor);
    ~Array();
    Array(const Array&) = delete;
    Array& operator=(const Array&) = delete;

    const CUDA_ARRAY3D_DESCRIPTOR& descriptor() const noexcept { return descriptor_; }
    const Context* owner() const noexcept { return owner_; }
    std::size_t texel_bytes() const noexcept { return texel_bytes_; }
    std::size_t row_bytes() const noexcept { return descriptor_.Width * texel_bytes_; }
    std::size_t rows() const noexcept { return descriptor_.Height ? descriptor_.Height : 1; }
    std::size_t slices() const noexcept { return descriptor_.Depth ? descriptor_.Depth : 1; }
    std::size_t slice_bytes() const noexcept { return row_bytes() * rows(); }
    std::size_t bytes() const noexcept { return slice_bytes() * slices(); }
    std::byte* data() const noexcept { return block_.data(); }
    bool is_level = false;           ///< belongs to a mipmapped array
    std::atomic<bool> freed{false};  ///< texture and surface objects may keep it alive

private:
    CUDA_ARRAY3D_DESCRIPTOR descriptor_;
    const Context* owner_;
    Device& device_;
    std::size_t texel_bytes_ = 0;
    std::size_t charged_ = 0;
    PageBlock block_;
};

/// A full image, and its successively halved versions.
class MipmappedArray {
public:
    MipmappedArray(Context& context, const CUDA_ARRAY3D_DESCRIPTOR& descriptor, unsigned levels);
    ~MipmappedArray();
    MipmappedArray(const MipmappedArray&) = delete;
    MipmappedArray& operator=(const MipmappedArray&) = delete;

    const Context* owner() const noexcept { return owner_; }
    unsigned levels() const noexcept { return static_cast<unsigned>(levels_.size()); }
    CUarray level(unsigned index) const;
    std::atomic<bool> freed{false};  ///< texture objects may keep it alive

private:
    const Context* owner_;
    std::vector<CUarray> levels_;
};

inline Registry<Array, CUarray>& arrays() {
    return registry<Array, CUarray>();
}
inline Registry<MipmappedArray, CUmipmappedArray>& mipmapped_arrays() {
    return registry<MipmappedArray, CUmipmappedArray>();
}

}  // namespace cpu::state
