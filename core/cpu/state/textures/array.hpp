#pragma once

#include "state/memory/page_block.hpp"
#include "state/memory/shared_file.hpp"
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

/// A part of a shared file, which an array is mapped onto.
struct FileRange {
    const SharedFile* file = nullptr;  ///< null: none
    std::size_t offset = 0, size = 0;
};

/// An array: texels of one format, in rows without gaps, followed by further slices or layers.
class Array {
public:
    /// Throws CUDA_ERROR_INVALID_VALUE for an invalid description, and if it does not fit into `onto`.
    Array(Context& context, const CUDA_ARRAY3D_DESCRIPTOR& descriptor, const FileRange& onto = {});
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
    std::byte* data() const noexcept { return data_; }
    bool is_level = false;           ///< belongs to a mipmapped array
    std::atomic<bool> freed{false};  ///< texture and surface objects may keep it alive

private:
    CUDA_ARRAY3D_DESCRIPTOR descriptor_;
    const Context* owner_;
    Device& device_;
    std::size_t texel_bytes_ = 0;
    std::size_t charged_ = 0;
    PageBlock block_;
    std::byte* data_ = nullptr;  ///< in the block
};

/// A full image, and its successively halved versions.
class MipmappedArray {
public:
    /// With `onto`, each level begins at the next multiple of level_alignment.
    MipmappedArray(Context& context, const CUDA_ARRAY3D_DESCRIPTOR& descriptor, unsigned levels, FileRange onto = {});
    ~MipmappedArray();
    MipmappedArray(const MipmappedArray&) = delete;
    MipmappedArray& operator=(const MipmappedArray&) = delete;

    const Context* owner() const noexcept { return owner_; }
    unsigned levels() const noexcept { return static_cast<unsigned>(levels_.size()); }
    CUarray level(unsigned index) const;
    std::atomic<bool> freed{false};  ///< texture objects may keep it alive

    static constexpr std::size_t level_alignment = 512;

private:
    void add_levels(Context& context, CUDA_ARRAY3D_DESCRIPTOR level, unsigned count, FileRange onto);
    void remove_levels() noexcept;

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
