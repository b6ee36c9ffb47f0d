// Conversion between texel formats and registers.
#include "exec/textures/texel.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "exec/handlers/scalar_half.hpp"

namespace cpu::exec {

namespace {

template <class T>
T read(const std::byte* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

bool is_integer(const Texture& t) {
    return !reads_floats(t);
}

/// The sRGB scale converted to linear, in 65536ths: an H200's table, which keeps eight significant bits.
constexpr std::uint32_t linear_of_srgb[256] = {
    0,     20,    40,    60,    80,    100,   120,   140,   160,   180,   200,   220,   240,   264,   288,   312,
    340,   368,   396,   428,   460,   492,   524,   560,   600,   636,   676,   720,   760,   804,   852,   896,
    944,   1000,  1048,  1104,  1160,  1216,  1272,  1328,  1392,  1456,  1520,  1584,  1648,  1720,  1792,  1864,
    1936,  2016,  2096,  2176,  2256,  2336,  2416,  2496,  2592,  2688,  2768,  2864,  2960,  3056,  3152,  3264,
    3360,  3456,  3584,  3680,  3776,  3904,  4000,  4128,  4256,  4352,  4480,  4608,  4736,  4864,  4992,  5120,
    5248,  5408,  5536,  5664,  5824,  5952,  6112,  6240,  6400,  6560,  6688,  6848,  7008,  7168,  7328,  7488,
    7680,  7808,  8000,  8192,  8320,  8512,  8704,  8896,  9088,  9280,  9472,  9664,  9856,  10048, 10240, 10432,
    10624, 10816, 11008, 11264, 11456, 11648, 11904, 12096, 12288, 12544, 12736, 12992, 13184, 13440, 13696, 13888,
    14144, 14400, 14656, 14848, 15104, 15360, 15616, 15872, 16128, 16384, 16640, 16896, 17152, 17408, 17664, 18048,
    18304, 18560, 18816, 19072, 19456, 19712, 19968, 20224, 20608, 20864, 21120, 21504, 21760, 22144, 22400, 22784,
    23040, 23296, 23680, 24064, 24320, 24704, 24960, 25344, 25600, 25984, 26368, 26752, 27008, 27392, 27776, 28032,
    28416, 28800, 29184, 29568, 29952, 30336, 30720, 30976, 31488, 31744, 32256, 32512, 33024, 33280, 33792, 34048,
    34560, 35072, 35328, 35840, 36096, 36608, 37120, 37376, 37888, 38400, 38656, 39168, 39680, 39936, 40448, 40960,
    41216, 41728, 42240, 42752, 43264, 43520, 44032, 44544, 45056, 45568, 45824, 46336, 46848, 47360, 47872, 48384,
    48896, 49408, 49920, 50432, 50944, 51456, 51968, 52480, 52992, 53504, 54016, 54528, 55040, 55552, 56064, 56576,
    57088, 57600, 58112, 58624, 59392, 59904, 60416, 60928, 61440, 61952, 62464, 62976, 64000, 64512, 65024, 65536,
};

float to_srgb(float linear) {
    return linear <= 0.0031308f ? 12.92f * linear : 1.055f * std::pow(linear, 1 / 2.4f) - 0.055f;
}

/// One channel of a texel in memory, widened.
std::uint32_t stored(CUarray_format format, const std::byte* texel, unsigned c) {
    switch (format) {
        case CU_AD_FORMAT_UNSIGNED_INT8:
            return read<std::uint8_t>(texel + c);
        case CU_AD_FORMAT_SIGNED_INT8:
            return static_cast<std::uint32_t>(read<std::int8_t>(texel + c));
        case CU_AD_FORMAT_SIGNED_INT16:
            return static_cast<std::uint32_t>(read<std::int16_t>(texel + 2 * c));
        case CU_AD_FORMAT_UNSIGNED_INT16:
            return read<std::uint16_t>(texel + 2 * c);
        case CU_AD_FORMAT_HALF:
            return std::bit_cast<std::uint32_t>(widen(f16{read<std::uint16_t>(texel + 2 * c)}));
        default:
            return read<std::uint32_t>(texel + 4 * c);
    }
}

/// The value that a fetch returns for a stored one.
std::uint32_t channel(const Texture& t, std::uint32_t value, unsigned c) {
    const CUarray_format format = t.levels[0].format;
    if (is_integer(t) || format == CU_AD_FORMAT_HALF || channel_size(format) == 4) return value;
    if (is_colour(t, c)) return std::bit_cast<std::uint32_t>(static_cast<float>(linear_colour(value)) / 65536);
    const float fraction = static_cast<float>(static_cast<std::int32_t>(value)) / largest(format);
    return std::bit_cast<std::uint32_t>(std::max(fraction, -1.0f));
}

/// Converts the bits of a float to half precision, rounding towards zero.
std::uint16_t cut_to_half(std::uint32_t bits) {
    const auto value = std::bit_cast<float>(bits);
    if (std::isnan(value)) return static_cast<std::uint16_t>((bits >> 16 & 0x8000) | 0x7c00 | (bits >> 13 & 0x3ff));
    return truncated<f16>(value).bits;
}

/// The colour of the border, converted to the texture's format.
std::uint32_t border_channel(const Texture& t, unsigned c) {
    const CUarray_format format = t.levels[0].format;
    const float color = t.sampling.borderColor[c];
    const auto bits = std::bit_cast<std::uint32_t>(color);
    if (channel_size(format) == 4) return bits;
    if (format == CU_AD_FORMAT_HALF) return std::bit_cast<std::uint32_t>(widen(f16{cut_to_half(bits)}));
    if (is_integer(t)) {  // the lowest bits of the value in the description
        const unsigned unused = 32 - 8 * static_cast<unsigned>(channel_size(format));
        const std::uint32_t high = bits << unused;
        return is_signed(format) ? static_cast<std::uint32_t>(static_cast<std::int32_t>(high) >> unused)
                                 : high >> unused;
    }
    const float max = largest(format), min = is_signed(format) ? -1.0f : 0.0f;
    float fraction = std::isnan(color) ? 0.0f : std::clamp(color, min, 1.0f);
    if (is_colour(t, c)) fraction = to_srgb(fraction);
    const double magnitude = std::ceil(std::fabs(double{fraction} * max) - 0.5);  // halves go towards zero
    return static_cast<std::uint32_t>(static_cast<std::int32_t>(fraction < 0 ? -magnitude : magnitude));
}

}  // namespace

float largest(CUarray_format format) {
    switch (format) {
        case CU_AD_FORMAT_UNSIGNED_INT8:
            return 255;
        case CU_AD_FORMAT_SIGNED_INT8:
            return 127;
        case CU_AD_FORMAT_UNSIGNED_INT16:
            return 65535;
        case CU_AD_FORMAT_SIGNED_INT16:
            return 32767;
        default:
            return 0;
    }
}

bool is_signed(CUarray_format format) {
    return format == CU_AD_FORMAT_SIGNED_INT8 || format == CU_AD_FORMAT_SIGNED_INT16 ||
           format == CU_AD_FORMAT_SIGNED_INT32;
}

std::size_t channel_size(CUarray_format format) {
    switch (format) {
        case CU_AD_FORMAT_UNSIGNED_INT8:
        case CU_AD_FORMAT_SIGNED_INT8:
            return 1;
        case CU_AD_FORMAT_UNSIGNED_INT16:
        case CU_AD_FORMAT_SIGNED_INT16:
        case CU_AD_FORMAT_HALF:
            return 2;
        default:
            return 4;
    }
}

bool reads_floats(const Texture& t) {
    const CUarray_format format = t.levels[0].format;
    if (format == CU_AD_FORMAT_HALF || format == CU_AD_FORMAT_FLOAT) return true;
    return channel_size(format) < 4 && !(t.sampling.flags & CU_TRSF_READ_AS_INTEGER);
}

bool is_colour(const Texture& t, unsigned channel) {
    if (!(t.sampling.flags & CU_TRSF_SRGB) || t.levels[0].format != CU_AD_FORMAT_UNSIGNED_INT8) return false;
    return channel < (t.levels[0].channels == 2 ? 1 : 3);
}

std::uint32_t linear_colour(std::uint32_t stored) {
    return linear_of_srgb[stored & 255];
}

Texel stored_texel(const Texture& t, const std::byte* from) {
    const TexelImage& image = t.levels[0];
    Texel result{};
    for (unsigned c = 0; c < image.channels; ++c) result[c] = stored(image.format, from, c);
    return result;
}

Texel stored_border(const Texture& t) {
    Texel result{};
    for (unsigned c = 0; c < t.levels[0].channels; ++c) result[c] = border_channel(t, c);
    return result;
}

Texel fetched(const Texture& t, const Texel& stored) {
    Texel result{};
    for (unsigned c = 0; c < t.levels[0].channels; ++c) result[c] = channel(t, stored[c], c);
    return result;
}

namespace {

/// Writes the nearest value that an integer of `size` bytes can represent.
void write_integer(std::byte* to, std::size_t size, bool with_sign, std::uint32_t value) {
    const std::int64_t wide = with_sign ? std::int64_t{static_cast<std::int32_t>(value)} : std::int64_t{value};
    const std::int64_t max = (std::int64_t{1} << (8 * size - (with_sign ? 1 : 0))) - 1, min = with_sign ? -max - 1 : 0;
    const auto clamped = static_cast<std::uint32_t>(std::clamp(wide, min, max));
    std::memcpy(to, &clamped, size);
}

}  // namespace

void write_texel(const TexelImage& image, std::byte* to, std::span<const std::uint32_t> values) {
    const std::size_t size = channel_size(image.format);
    for (unsigned c = 0; c < image.channels; ++c) {
        const std::uint32_t value = c < values.size() ? values[c] : 0;
        std::byte* const at = to + c * size;
        if (image.format == CU_AD_FORMAT_HALF) {
            const std::uint16_t half = cut_to_half(value);
            std::memcpy(at, &half, sizeof half);
        } else if (size == 4) {
            std::memcpy(at, &value, sizeof value);
        } else {
            write_integer(at, size, is_signed(image.format), value);
        }
    }
}

std::uint32_t packed_halves(std::uint32_t low, std::uint32_t high) {
    return narrow<f16>(std::bit_cast<float>(low)).bits | std::uint32_t{narrow<f16>(std::bit_cast<float>(high)).bits}
                                                             << 16;
}

}  // namespace cpu::exec
