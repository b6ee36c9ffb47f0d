#include "state/textures/texture_view.hpp"

#include "state/error.hpp"
#include "state/textures/array_format.hpp"

#include <algorithm>

namespace cpu::state::texture {

namespace {

struct Format {
    CUarray_format format;
    unsigned channels;
};

/// The view formats are numbered by kind, with 1, 2 and 4 channels each, in this order.
constexpr CUarray_format kinds[] = {
    CU_AD_FORMAT_UNSIGNED_INT8,  CU_AD_FORMAT_SIGNED_INT8,  CU_AD_FORMAT_UNSIGNED_INT16, CU_AD_FORMAT_SIGNED_INT16,
    CU_AD_FORMAT_UNSIGNED_INT32, CU_AD_FORMAT_SIGNED_INT32, CU_AD_FORMAT_HALF,           CU_AD_FORMAT_FLOAT};

Format format_of(CUresourceViewFormat view) {
    const unsigned index = view - CU_RES_VIEW_FORMAT_UINT_1X8;
    return {kinds[index / 3], 1u << index % 3};
}

/// Block-compressed views, in which each texel of two or four 32-bit integers is a block of 4 x 4, are not supported.
[[noreturn]] void refuse_compressed(const exec::TexelImage& full, const CUDA_RESOURCE_VIEW_DESC& view) {
    const bool small = view.format == CU_RES_VIEW_FORMAT_UNSIGNED_BC1 ||
                       view.format == CU_RES_VIEW_FORMAT_UNSIGNED_BC4 || view.format == CU_RES_VIEW_FORMAT_SIGNED_BC4;
    require(full.format == CU_AD_FORMAT_UNSIGNED_INT32 && full.channels == (small ? 2 : 4));
    require(view.width == 4 * full.width && view.height == 4 * full.height);
    fail(CUDA_ERROR_NOT_SUPPORTED);
}

/// As in the driver, a range may extend beyond the array: those parts do not exist.
void check_range(unsigned first, unsigned last, bool has_several) {
    require(has_several ? first <= last : first == 0 && last == 0);
}

}  // namespace

void apply_view(exec::Texture& texture, const CUDA_RESOURCE_VIEW_DESC& view) {
    for (unsigned reserved : view.reserved) require(reserved == 0);
    require(view.format > CU_RES_VIEW_FORMAT_NONE && view.format <= CU_RES_VIEW_FORMAT_UNSIGNED_BC7);
    std::vector<exec::TexelImage>& levels = texture.levels;
    const exec::TexelImage full = levels.front();
    if (view.format >= CU_RES_VIEW_FORMAT_UNSIGNED_BC1) refuse_compressed(full, view);
    const Format format = format_of(view.format);
    require(channel_bytes(format.format) * format.channels == channel_bytes(full.format) * full.channels);
    require(view.width == full.width && view.height == full.height && view.depth == full.depth);
    check_range(view.firstMipmapLevel, view.lastMipmapLevel, levels.size() > 1);
    check_range(view.firstLayer, view.lastLayer, full.layered);
    const std::size_t first = std::min<std::size_t>(view.firstMipmapLevel, levels.size() - 1);
    const std::size_t last = std::min<std::size_t>(view.lastMipmapLevel, levels.size() - 1);
    levels = {levels.begin() + static_cast<std::ptrdiff_t>(first),
              levels.begin() + static_cast<std::ptrdiff_t>(last) + 1};
    for (exec::TexelImage& level : levels) {
        level.format = format.format;
        level.channels = format.channels;
        if (!level.layered) continue;
        // The number of layers counts cubes for a cube map, but the first layer is given as a face.
        const std::size_t first_slice = std::min<std::size_t>(view.firstLayer, full.depth);
        const std::size_t layers = std::size_t{view.lastLayer} - view.firstLayer + 1, there = full.depth - first_slice;
        level.data += std::min(first_slice, full.depth - 1) * level.slice_pitch;
        level.depth = layers * (level.cubemap ? 6 : 1);
        level.missing = level.depth - std::min(level.depth, there);
    }
}

}  // namespace cpu::state::texture
