#include "state/textures/array_format.hpp"

#include "exec/textures/texel.hpp"
#include "state/error.hpp"

namespace cpu::state {

namespace {

/// The normalised formats are numbered by kind, each for 1, 2 and 4 channels.
constexpr CUarray_format normalized_kinds[] = {CU_AD_FORMAT_UNSIGNED_INT8, CU_AD_FORMAT_UNSIGNED_INT16,
                                               CU_AD_FORMAT_SIGNED_INT8, CU_AD_FORMAT_SIGNED_INT16};

/// 0: not a block-compressed or packed format.
unsigned channels_of_unsupported(CUarray_format format) {
    switch (format) {
        case CU_AD_FORMAT_BC4_UNORM:
        case CU_AD_FORMAT_BC4_SNORM:
            return 1;
        case CU_AD_FORMAT_BC5_UNORM:
        case CU_AD_FORMAT_BC5_SNORM:
            return 2;
        case CU_AD_FORMAT_BC6H_UF16:
        case CU_AD_FORMAT_BC6H_SF16:
            return 3;
        case CU_AD_FORMAT_BC1_UNORM:
        case CU_AD_FORMAT_BC1_UNORM_SRGB:
        case CU_AD_FORMAT_BC2_UNORM:
        case CU_AD_FORMAT_BC2_UNORM_SRGB:
        case CU_AD_FORMAT_BC3_UNORM:
        case CU_AD_FORMAT_BC3_UNORM_SRGB:
        case CU_AD_FORMAT_BC7_UNORM:
        case CU_AD_FORMAT_BC7_UNORM_SRGB:
        case CU_AD_FORMAT_UNORM_INT_101010_2:
            return 4;
        default:
            return 0;
    }
}

}  // namespace

TexelFormat texel_format(CUarray_format format, unsigned channels) {
    if (format >= CU_AD_FORMAT_UNORM_INT8X1 && format <= CU_AD_FORMAT_SNORM_INT16X4) {
        const unsigned index = format - CU_AD_FORMAT_UNORM_INT8X1;
        require(channels == 1u << index % 3);
        return {normalized_kinds[index / 3], true};
    }
    if (const unsigned wanted = channels_of_unsupported(format)) {
        require(channels == wanted);
        fail(CUDA_ERROR_NOT_SUPPORTED);
    }
    require(channels == 1 || channels == 2 || channels == 4);
    channel_bytes(format);
    return {format};
}

bool is_plain_format(CUarray_format format) noexcept {
    return (format >= CU_AD_FORMAT_UNSIGNED_INT8 && format <= CU_AD_FORMAT_UNSIGNED_INT32) ||
           (format >= CU_AD_FORMAT_SIGNED_INT8 && format <= CU_AD_FORMAT_SIGNED_INT32) || format == CU_AD_FORMAT_HALF ||
           format == CU_AD_FORMAT_FLOAT;
}

std::size_t channel_bytes(CUarray_format plain) {
    require(is_plain_format(plain));
    return exec::channel_size(plain);
}

}  // namespace cpu::state
