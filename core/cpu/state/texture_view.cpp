#include "state/texture_view.hpp"

#include "state/array.hpp"

namespace cpu::state::texture {

namespace {

struct Format {
    CUarray_format format;
    unsigned channels;
};

/// The view formats are numbered kind by kind, 1, 2 and 4 channels each, in this order.
constexpr CUarray_format kinds[] = {
    CU_AD_FORMAT_UNSIGNED_INT8, CU_AD_FORMAT_SIGNED_INT8,    CU_AD_FORMAT_UNSIGNED_INT16, CU_AD_FORMAT_SIGNED_INT16,
    CU_AD_FORMAT_UNSIGNED_INT32, CU_AD_FORMAT_SIGNED_INT32,  CU_AD_FORMAT_HALF,           CU_AD_FORMAT_FLOAT};

Format format_of(CUresourceViewFormat view) {
    require(view > CU_RES_VIEW_FORMAT_NONE && view <= CU_RES_VIEW_FORMAT_UNSIGNED_BC7);
    require(view < CU_RES_VIEW_FORMAT_UNSIGNED_BC1, CUDA_ERROR_NOT_SUPPORTED);
    const unsigned index = view - CU_RES_VIEW_FORMAT_UINT_1X8;
    return {kinds[index / 3], 1u << index % 3};
}

}  // namespace

void apply_view(exec::Texture& texture, const CUDA_RESOURCE_VIEW_DESC& view) {
    if (view.format == CU_RES_VIEW_FORMAT_NONE) return;
    const Format format = format_of(view.format);
    exec::TexelImage& full = texture.levels.front();
    require(channel_bytes(format.format) * format.channels == channel_bytes(full.format) * full.channels);
    require(view.width == full.width && view.height == full.height && view.depth == full.depth);
    require(view.firstMipmapLevel <= view.lastMipmapLevel && view.lastMipmapLevel < texture.levels.size());
    require(view.firstLayer <= view.lastLayer && (full.layered ? view.lastLayer < full.depth : view.lastLayer == 0));
    texture.levels.erase(texture.levels.begin() + view.lastMipmapLevel + 1, texture.levels.end());
    texture.levels.erase(texture.levels.begin(), texture.levels.begin() + view.firstMipmapLevel);
    for (exec::TexelImage& level : texture.levels) {
        level.format = format.format;
        level.channels = format.channels;
        if (!level.layered) continue;
        level.data += view.firstLayer * level.slice_pitch;
        level.depth = view.lastLayer - view.firstLayer + 1;
    }
}

}  // namespace cpu::state::texture
