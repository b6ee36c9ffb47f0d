#include "exec/sampler.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace cpu::exec {

namespace {

using Color = std::array<float, 4>;

/// A place in one image, coordinates in texels.
struct Place {
    std::array<float, 3> at{};
    std::array<std::int64_t, 3> index{};
    std::uint64_t slice = 0;  ///< layer or face of a cube map
    unsigned dimensions = 1;
};

std::int64_t extent(const TexelImage& image, unsigned dimension) {
    const std::size_t size = dimension == 0 ? image.width : dimension == 1 ? image.height : image.depth;
    return static_cast<std::int64_t>(std::max<std::size_t>(size, 1));
}

bool normalized(const Texture& t) {
    return (t.sampling.flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
}

/// Wrapping and mirroring are defined for normalised coordinates only; others are clamped instead.
CUaddress_mode address_mode(const Texture& t, const SamplePoint& point, unsigned dimension) {
    if (point.cube) return CU_TR_ADDRESS_MODE_CLAMP;
    const CUaddress_mode mode = t.sampling.addressMode[dimension];
    const bool periodic = mode == CU_TR_ADDRESS_MODE_WRAP || mode == CU_TR_ADDRESS_MODE_MIRROR;
    return periodic && (!normalized(t) || point.integer) ? CU_TR_ADDRESS_MODE_CLAMP : mode;
}

/// The texel that the address mode gives for index i of n; -1: the border.
std::int64_t addressed(std::int64_t i, std::int64_t n, CUaddress_mode mode) {
    switch (mode) {
        case CU_TR_ADDRESS_MODE_WRAP:
            return (i % n + n) % n;
        case CU_TR_ADDRESS_MODE_MIRROR:
            i = (i % (2 * n) + 2 * n) % (2 * n);
            return i < n ? i : 2 * n - 1 - i;
        case CU_TR_ADDRESS_MODE_BORDER:
            return i >= 0 && i < n ? i : -1;
        default:
            return std::clamp<std::int64_t>(i, 0, n - 1);
    }
}

template <class T>
T read(const std::byte* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

float from_half(std::uint16_t bits) {
    const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
    const float magnitude = exponent == 31  ? (mantissa ? NAN : INFINITY)
                            : exponent == 0 ? std::ldexp(static_cast<float>(mantissa), -24)
                                            : std::ldexp(static_cast<float>(1024 + mantissa), exponent - 25);
    return bits >> 15 ? -magnitude : magnitude;
}

float from_srgb(float value) {
    return value <= 0.04045f ? value / 12.92f : std::pow((value + 0.055f) / 1.055f, 2.4f);
}

/// One channel as a fetch gives it: bits of a float, or an integer.
std::uint32_t channel(const Texture& t, const std::byte* texel, unsigned c) {
    const bool integers = (t.sampling.flags & CU_TRSF_READ_AS_INTEGER) != 0;
    const auto fraction = [&](std::int32_t value, float most) {
        float f = std::max(static_cast<float>(value) / most, -1.0f);
        if ((t.sampling.flags & CU_TRSF_SRGB) && most == 255.0f && c < 3) f = from_srgb(f);
        return integers ? static_cast<std::uint32_t>(value) : std::bit_cast<std::uint32_t>(f);
    };
    switch (t.levels[0].format) {
        case CU_AD_FORMAT_UNSIGNED_INT8:
            return fraction(read<std::uint8_t>(texel + c), 255.0f);
        case CU_AD_FORMAT_SIGNED_INT8:
            return fraction(read<std::int8_t>(texel + c), 127.0f);
        case CU_AD_FORMAT_UNSIGNED_INT16:
            return fraction(read<std::uint16_t>(texel + 2 * c), 65535.0f);
        case CU_AD_FORMAT_SIGNED_INT16:
            return fraction(read<std::int16_t>(texel + 2 * c), 32767.0f);
        case CU_AD_FORMAT_HALF:
            return std::bit_cast<std::uint32_t>(from_half(read<std::uint16_t>(texel + 2 * c)));
        default:
            return read<std::uint32_t>(texel + 4 * c);
    }
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

Texel border(const Texture& t) {
    Texel result;
    for (unsigned c = 0; c < 4; ++c) {
        const float value = t.sampling.borderColor[c];
        result[c] =
            reads_floats(t) ? std::bit_cast<std::uint32_t>(value) : static_cast<std::uint32_t>(std::llround(value));
    }
    return result;
}

Texel texel_at(const Texture& t, const TexelImage& image, const SamplePoint& point, const Place& place) {
    std::size_t offset = place.slice * image.slice_pitch;
    const std::size_t size = channel_size(image.format) * image.channels;
    const std::array<std::size_t, 3> pitch{size, image.row_pitch, image.slice_pitch};
    for (unsigned d = 0; d < place.dimensions; ++d) {
        const std::int64_t n = extent(image, d), i = place.index[d];
        if (t.linear_memory && point.integer && (i < 0 || i >= n)) return {};
        const std::int64_t in = addressed(i, n, address_mode(t, point, d));
        if (in < 0) return border(t);
        offset += static_cast<std::size_t>(in) * pitch[d];
    }
    if (point.watcher) point.watcher->reads(image.data + offset, size);
    Texel result{0, 0, 0, reads_floats(t) ? std::bit_cast<std::uint32_t>(1.0f) : 1u};
    for (unsigned c = 0; c < image.channels; ++c) result[c] = channel(t, image.data + offset, c);
    return result;
}

/// The face that a direction points at, and where on it, in [0, 1].
std::uint64_t face_of(const std::array<float, 3>& v, std::array<float, 3>& on_face) {
    const float x = std::fabs(v[0]), y = std::fabs(v[1]), z = std::fabs(v[2]);
    unsigned face;
    float s, t, m;
    if (x >= y && x >= z) {
        face = v[0] >= 0 ? 0 : 1;
        m = x, s = v[0] >= 0 ? -v[2] : v[2], t = -v[1];
    } else if (y >= z) {
        face = v[1] >= 0 ? 2 : 3;
        m = y, s = v[0], t = v[1] >= 0 ? v[2] : -v[2];
    } else {
        face = v[2] >= 0 ? 4 : 5;
        m = z, s = v[2] >= 0 ? v[0] : -v[0], t = -v[1];
    }
    on_face = {(s / m + 1) / 2, (t / m + 1) / 2, 0};
    return face;
}

/// A normalised coordinate in texels. What is periodic is folded first, so that far coordinates keep their precision.
float in_texels(float x, std::int64_t n, CUaddress_mode mode) {
    if (mode == CU_TR_ADDRESS_MODE_WRAP) x -= std::floor(x);
    if (mode == CU_TR_ADDRESS_MODE_MIRROR) {
        const float whole = std::floor(x);
        x -= whole;
        if (std::fmod(whole, 2.0f) != 0) x = 1 - x;
    }
    return x * static_cast<float>(n);
}

Place place_in(const Texture& t, const TexelImage& image, const SamplePoint& point) {
    Place place;
    place.dimensions = point.cube ? 2 : point.dimensions;
    const std::size_t faces = point.cube ? 6 : 1;
    if (point.layered || point.cube) {
        const std::size_t slices = std::max<std::size_t>(image.depth, 1);
        const std::size_t layers = std::max<std::size_t>(slices / faces, 1);
        place.slice = point.layered ? std::min<std::size_t>(point.layer, layers - 1) * faces : 0;
    }
    place.at = point.at;
    if (point.cube)
        place.slice = std::min(place.slice + face_of(point.at, place.at), std::max<std::size_t>(image.depth, 1) - 1);
    for (unsigned d = 0; d < place.dimensions; ++d) {
        place.index[d] = point.index[d];
        if (point.integer) continue;
        float& x = place.at[d];
        if (normalized(t) || point.cube) x = in_texels(x, extent(image, d), address_mode(t, point, d));
        x = std::isnan(x) ? 0.0f : std::clamp(x, -1e9f, 1e9f);
    }
    return place;
}

/// A coordinate as linear filtering sees it: the lower texel, and the weight of the next in 256ths. The sum is exact in
/// double precision.
struct Between {
    std::int64_t low;
    float weight;
};
Between between(float x) {
    const auto fixed = static_cast<std::int64_t>(std::floor((double{x} - 0.5) * 256 + 0.5));
    return {fixed >> 8, static_cast<float>(fixed & 255) / 256};
}

Texel nearest(const Texture& t, const TexelImage& image, const SamplePoint& point, Place place) {
    if (!point.integer)
        for (unsigned d = 0; d < place.dimensions; ++d)
            place.index[d] = static_cast<std::int64_t>(std::floor(place.at[d]));
    return texel_at(t, image, point, place);
}

Texel linear(const Texture& t, const TexelImage& image, const SamplePoint& point, const Place& place) {
    std::array<Between, 3> b{};
    for (unsigned d = 0; d < place.dimensions; ++d) b[d] = between(place.at[d]);
    Color sum{};
    for (unsigned corner = 0; corner < 1u << place.dimensions; ++corner) {
        Place here = place;
        float weight = 1;
        for (unsigned d = 0; d < place.dimensions; ++d) {
            const bool upper = corner >> d & 1;
            here.index[d] = b[d].low + upper;
            weight *= upper ? b[d].weight : 1 - b[d].weight;
        }
        if (weight == 0) continue;  // so that an infinity or NaN beside an exact hit does not matter
        const Texel texel = texel_at(t, image, point, here);
        for (unsigned c = 0; c < 4; ++c) sum[c] += weight * std::bit_cast<float>(texel[c]);
    }
    return std::bit_cast<Texel>(sum);
}

Texel sample_level(const Texture& t, const SamplePoint& point, std::size_t level) {
    const TexelImage& image = t.levels[level];
    const Place place = place_in(t, image, point);
    const bool filtered = t.sampling.filterMode == CU_TR_FILTER_MODE_LINEAR && reads_floats(t) && !point.integer;
    return filtered ? linear(t, image, point, place) : nearest(t, image, point, place);
}

}  // namespace

bool reads_floats(const Texture& t) {
    const CUarray_format format = t.levels[0].format;
    if (format == CU_AD_FORMAT_HALF || format == CU_AD_FORMAT_FLOAT) return true;
    return channel_size(format) < 4 && !(t.sampling.flags & CU_TRSF_READ_AS_INTEGER);
}

Texel sample(const Texture& t, const SamplePoint& point, float level, bool explicit_level) {
    if (!explicit_level) return sample_level(t, point, 0);
    const float last = static_cast<float>(t.levels.size() - 1);
    level += t.sampling.mipmapLevelBias;
    level = std::min(std::max(level, t.sampling.minMipmapLevelClamp), t.sampling.maxMipmapLevelClamp);
    level = level >= 0 ? std::min(level, last) : 0;  // NaN: the full image
    if (t.sampling.mipmapFilterMode != CU_TR_FILTER_MODE_LINEAR || !reads_floats(t))
        return sample_level(t, point, static_cast<std::size_t>(std::min(std::floor(level + 0.5f), last)));
    const auto fixed = static_cast<std::uint32_t>(level * 256 + 0.5f);
    const Color low = std::bit_cast<Color>(sample_level(t, point, fixed >> 8));
    const float weight = static_cast<float>(fixed & 255) / 256;
    if (weight == 0) return std::bit_cast<Texel>(low);
    Color mixed = std::bit_cast<Color>(sample_level(t, point, (fixed >> 8) + 1));
    for (unsigned c = 0; c < 4; ++c) mixed[c] = (1 - weight) * low[c] + weight * mixed[c];
    return std::bit_cast<Texel>(mixed);
}

Texel gather(const Texture& t, const SamplePoint& point, unsigned component) {
    static constexpr std::int64_t corners[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    const TexelImage& image = t.levels[0];
    const Place place = place_in(t, image, point);
    Texel result;
    for (unsigned n = 0; n < 4; ++n) {
        Place here = place;
        for (unsigned d = 0; d < 2; ++d) here.index[d] = between(place.at[d]).low + corners[n][d];
        result[n] = texel_at(t, image, point, here)[component];
    }
    return result;
}

float level_of_gradients(const Texture& t, unsigned dimensions, const std::array<float, 3>& dx,
                         const std::array<float, 3>& dy) {
    float longest = 0;
    for (const std::array<float, 3>* step : {&dx, &dy}) {
        float squares = 0;
        for (unsigned d = 0; d < dimensions; ++d) {
            const float texels = (*step)[d] * (normalized(t) ? static_cast<float>(extent(t.levels[0], d)) : 1.0f);
            squares += texels * texels;
        }
        longest = std::max(longest, std::sqrt(squares));
    }
    return std::log2(longest);  // no step at all: minus infinity, the full image
}

}  // namespace cpu::exec
