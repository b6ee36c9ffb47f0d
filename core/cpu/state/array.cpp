#include "state/array.hpp"

#include "exec/written_bytes.hpp"
#include "state/context.hpp"
#include "state/device.hpp"

#include <algorithm>
#include <bit>

namespace cpu::state {

namespace {

constexpr unsigned array_flags = CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST | CUDA_ARRAY3D_CUBEMAP |
                                 CUDA_ARRAY3D_TEXTURE_GATHER | CUDA_ARRAY3D_COLOR_ATTACHMENT;

constexpr std::size_t widest = 131072;
constexpr std::size_t highest = 65536;
constexpr std::size_t deepest = 16384;
constexpr std::size_t most_layers = 2048;

void check(const CUDA_ARRAY3D_DESCRIPTOR& array) {
    require((array.Flags & ~array_flags) == 0);
    require(array.NumChannels == 1 || array.NumChannels == 2 || array.NumChannels == 4);
    require(array.Width > 0 && array.Width <= widest);
    const bool layered = (array.Flags & CUDA_ARRAY3D_LAYERED) != 0;
    const bool cubemap = (array.Flags & CUDA_ARRAY3D_CUBEMAP) != 0;
    require(array.Height <= highest && array.Depth <= (layered ? most_layers : deepest));
    if (cubemap) {
        require(array.Width == array.Height && array.Depth >= 6);
        require(layered ? array.Depth % 6 == 0 : array.Depth == 6);
    } else if (layered) {
        require(array.Depth > 0);
    } else {
        require(array.Depth == 0 || array.Height > 0);
    }
}

}  // namespace

std::size_t channel_bytes(CUarray_format format) {
    switch (format) {
        case CU_AD_FORMAT_UNSIGNED_INT8:
        case CU_AD_FORMAT_SIGNED_INT8: return 1;
        case CU_AD_FORMAT_UNSIGNED_INT16:
        case CU_AD_FORMAT_SIGNED_INT16:
        case CU_AD_FORMAT_HALF: return 2;
        case CU_AD_FORMAT_UNSIGNED_INT32:
        case CU_AD_FORMAT_SIGNED_INT32:
        case CU_AD_FORMAT_FLOAT: return 4;
        default: fail(CUDA_ERROR_INVALID_VALUE);
    }
}

Array::Array(Context& context, const CUDA_ARRAY3D_DESCRIPTOR& descriptor)
    : descriptor_(descriptor),
      owner_(&context),
      device_(context.device()),
      texel_bytes_(channel_bytes(descriptor.Format) * descriptor.NumChannels) {
    check(descriptor);
    const std::size_t charge = round_to_pages(bytes());
    require(device_.reserve(charge), CUDA_ERROR_OUT_OF_MEMORY);
    charged_ = charge;
    try {
        block_ = PageBlock(bytes());
        exec::written_bytes::track(block_.address(), bytes());
    } catch (...) {
        device_.release(charged_);
        throw;
    }
}

Array::~Array() {
    exec::written_bytes::forget(block_.address());
    device_.release(charged_);
}

MipmappedArray::MipmappedArray(Context& context, const CUDA_ARRAY3D_DESCRIPTOR& descriptor, unsigned levels)
    : owner_(&context) {
    check(descriptor);
    const bool layered = (descriptor.Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP)) != 0;
    const std::size_t longest =
        std::max({descriptor.Width, descriptor.Height, layered ? std::size_t{0} : descriptor.Depth});
    // As the driver does, more levels than there are halvings are quietly not made.
    levels = std::clamp(levels, 1u, static_cast<unsigned>(std::bit_width(longest)));
    CUDA_ARRAY3D_DESCRIPTOR level = descriptor;
    const auto halve = [](std::size_t& size) {
        if (size > 1) size /= 2;
    };
    for (unsigned i = 0; i < levels; ++i) {
        auto array = std::make_shared<Array>(context, level);
        array->is_level = true;
        levels_.push_back(arrays().add(std::move(array)));
        halve(level.Width);
        halve(level.Height);
        if (!layered) halve(level.Depth);
    }
}

MipmappedArray::~MipmappedArray() {
    for (CUarray level : levels_) arrays().take(level);
}

CUarray MipmappedArray::level(unsigned index) const {
    require(index < levels_.size());
    return levels_[index];
}

}  // namespace cpu::state
