#include "state/textures/array.hpp"

#include "exec/checks/written_bytes.hpp"
#include "state/context.hpp"
#include "state/device.hpp"

#include <algorithm>
#include <bit>

namespace cpu::state {

namespace {

/// The flags that a program can set; CUDA_ARRAY3D_SPARSE and _DEFERRED_MAPPING would need cuMemMapArrayAsync.
constexpr unsigned array_flags = CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST | CUDA_ARRAY3D_CUBEMAP |
                                 CUDA_ARRAY3D_TEXTURE_GATHER | CUDA_ARRAY3D_VIDEO_ENCODE_DECODE;
constexpr unsigned unmapped = CUDA_ARRAY3D_SPARSE | CUDA_ARRAY3D_DEFERRED_MAPPING;

bool fits(const CUDA_ARRAY3D_DESCRIPTOR& array, std::size_t width, std::size_t height, std::size_t depth) {
    return array.Width <= width && array.Height <= height && array.Depth <= depth;
}

/// Consistent with the device attributes CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE... and MAXIMUM_SURFACE....
void check_extent(const CUDA_ARRAY3D_DESCRIPTOR& array, bool mipmapped) {
    const auto has = [&](unsigned flag) { return (array.Flags & flag) != 0; };
    const bool layered = has(CUDA_ARRAY3D_LAYERED), cubemap = has(CUDA_ARRAY3D_CUBEMAP);
    require(array.Width > 0);
    if (cubemap) {
        require(array.Width == array.Height && array.Depth >= 6 && array.Depth % 6 == 0);
        require(fits(array, 32768, 32768, layered ? 2046 : 6));
    } else if (layered) {
        require(array.Depth > 0 && fits(array, 32768, 32768, 2048));
    } else if (array.Depth > 0) {
        require(array.Height > 0 && (fits(array, 16384, 16384, 16384) || fits(array, 8192, 8192, 32768)));
    } else if (array.Height > 0) {
        const bool small = mipmapped || has(CUDA_ARRAY3D_TEXTURE_GATHER);
        require(fits(array, small ? 32768 : 131072, small ? 32768 : 65536, 0));
    } else {
        require(fits(array, mipmapped || has(CUDA_ARRAY3D_SURFACE_LDST) ? 32768 : 131072, 0, 0));
    }
    const bool plane = array.Height > 0 && array.Depth == 0;
    require(!has(CUDA_ARRAY3D_TEXTURE_GATHER) || plane);
}

void check(const CUDA_ARRAY3D_DESCRIPTOR& array, bool mipmapped) {
    require((array.Flags & ~(array_flags | unmapped)) == 0);
    check_extent(array, mipmapped);
    texel_format(array.Format, array.NumChannels);
    require((array.Flags & unmapped) == 0, CUDA_ERROR_NOT_SUPPORTED);
}

}  // namespace

Array::Array(Context& context, const CUDA_ARRAY3D_DESCRIPTOR& descriptor, const FileRange& onto)
    : descriptor_(descriptor), owner_(&context), device_(context.device()) {
    check(descriptor, false);
    texel_bytes_ =
        channel_bytes(texel_format(descriptor.Format, descriptor.NumChannels).plain) * descriptor.NumChannels;
    if (onto.file) {
        require(bytes() <= onto.size);
        const std::size_t before = onto.offset % page_size();
        block_ = PageBlock::map_file(*onto.file, before + bytes(), onto.offset - before);
        data_ = block_.data() + before;
        return;
    }
    const std::size_t charge = round_to_pages(bytes());
    require(device_.reserve(charge), CUDA_ERROR_OUT_OF_MEMORY);
    charged_ = charge;
    try {
        block_ = PageBlock(bytes());
        data_ = block_.data();
        exec::written_bytes::track(block_.address(), bytes());
    } catch (...) {
        device_.release(charged_);
        throw;
    }
}

Array::~Array() {
    if (charged_ == 0) return;
    exec::written_bytes::forget(block_.address());
    device_.release(charged_);
}

MipmappedArray::MipmappedArray(Context& context, const CUDA_ARRAY3D_DESCRIPTOR& descriptor, unsigned levels,
                               FileRange onto)
    : owner_(&context) {
    check(descriptor, true);
    const bool layered = (descriptor.Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP)) != 0;
    const std::size_t longest =
        std::max({descriptor.Width, descriptor.Height, layered ? std::size_t{0} : descriptor.Depth});
    // As in the driver, levels beyond the last halving are silently omitted.
    levels = std::clamp(levels, 1u, static_cast<unsigned>(std::bit_width(longest)));
    try {
        add_levels(context, descriptor, levels, onto);
    } catch (...) {
        remove_levels();
        throw;
    }
}

void MipmappedArray::add_levels(Context& context, CUDA_ARRAY3D_DESCRIPTOR level, unsigned count, FileRange onto) {
    const bool layered = (level.Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP)) != 0;
    const auto halve = [](std::size_t& size) {
        if (size > 1) size /= 2;
    };
    for (unsigned i = 0; i < count; ++i) {
        auto array = std::make_shared<Array>(context, level, onto);
        array->is_level = true;
        if (onto.file) {
            const std::size_t bytes = (array->bytes() + level_alignment - 1) / level_alignment * level_alignment;
            onto.offset += std::min(bytes, onto.size);
            onto.size -= std::min(bytes, onto.size);
        }
        levels_.push_back(arrays().add(std::move(array)));
        halve(level.Width);
        halve(level.Height);
        if (!layered) halve(level.Depth);
    }
}

MipmappedArray::~MipmappedArray() {
    remove_levels();
}

void MipmappedArray::remove_levels() noexcept {
    for (CUarray level : levels_) arrays().take(level);
}

CUarray MipmappedArray::level(unsigned index) const {
    require(index < levels_.size());
    return levels_[index];
}

}  // namespace cpu::state
