// Linear filtering as an H200 was seen to do it, to the bit.
#include "exec/texture_filter.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace cpu::exec {

namespace {

constexpr int weight_bits = 8;
/// Bits that an operand keeps below the last one of the largest.
constexpr int guard_bits = 4;

float channel(const WeightedTexel& t, unsigned c) {
    return std::bit_cast<float>(t.texel[c]);
}

/// Fractions are 16-bit integers with three bits more.
constexpr int fraction_bits = 3;

/// A signed byte is stretched by 258 + 1/128, and cut off.
std::int64_t stretched(float value, const Precision& p) {
    if (!p.of_bytes) return std::llround(value * p.unit) << fraction_bits;
    return static_cast<std::int64_t>(std::floor(static_cast<double>(std::lround(value * 127)) * 258.0078125 * 8));
}

/// Of 8- and 16-bit integers; halves are rounded up.
float mean_of_fractions(std::span<const WeightedTexel> texels, unsigned c, const Precision& p) {
    constexpr int bits = weight_bits + fraction_bits;
    std::int64_t sum = std::int64_t{1} << (bits - 1);
    for (const WeightedTexel& t : texels) sum += t.weight * stretched(channel(t, c), p);
    return static_cast<float>(static_cast<double>(sum >> bits) / p.unit);
}

/// With infinities or NaN among them.
float mean_of_any(std::span<const WeightedTexel> texels, unsigned c) {
    float sum = 0;
    for (const WeightedTexel& t : texels)
        if (t.weight != 0) sum += static_cast<float>(t.weight) * channel(t, c);
    return std::isnan(sum) ? std::bit_cast<float>(0x7fffffffu) : sum;
}

/// The operands are cut off a few bits below the last one of the largest and added exactly; the sum is rounded to
/// nearest, halves away from zero.
float mean_of_floats(std::span<const WeightedTexel> texels, unsigned c, const Precision& p) {
    int highest = p.least;
    for (const WeightedTexel& t : texels) {
        const float value = channel(t, c);
        if (t.weight != 0 && !std::isfinite(value)) return mean_of_any(texels, c);
        if (t.weight != 0 && value != 0) highest = std::max(highest, std::ilogb(value));
    }
    const int unit = highest - (p.bits - 1) - guard_bits;
    std::int64_t sum = 0;
    for (const WeightedTexel& t : texels)
        if (t.weight != 0) sum += t.weight * static_cast<std::int64_t>(std::ldexp(double{channel(t, c)}, -unit));
    auto magnitude = static_cast<std::uint64_t>(sum < 0 ? -sum : sum);
    const int excess = std::max(static_cast<int>(std::bit_width(magnitude)) - p.bits, p.least - (unit - weight_bits));
    if (excess > 0) magnitude = excess > 62 ? 0 : (magnitude + (std::uint64_t{1} << (excess - 1))) >> excess;
    const double mean = std::ldexp(static_cast<double>(magnitude), unit - weight_bits + std::max(excess, 0));
    return static_cast<float>(sum < 0 ? -mean : mean);
}

/// a * b of 256ths, halves rounded up.
std::int32_t product(std::int32_t a, std::int32_t b) {
    return (a * b + 128) >> weight_bits;
}

}  // namespace

Texel weighted_mean(const Texture& texture, std::span<const WeightedTexel> texels) {
    const Precision p = precision(texture);
    Texel result{};
    for (unsigned c = 0; c < texture.levels[0].channels; ++c)
        result[c] =
            std::bit_cast<std::uint32_t>(p.unit != 0 ? mean_of_fractions(texels, c, p) : mean_of_floats(texels, c, p));
    return result;
}

std::array<std::int32_t, 8> corner_weights(std::int32_t weight, std::span<const std::int32_t> above) {
    const std::int32_t x = above[0], y = above.size() > 1 ? above[1] : 0;
    const std::int32_t upper = above.size() > 2 ? product(weight, above[2]) : 0;
    std::array<std::int32_t, 8> result{};
    // First the slices, then left and right, then up and down; the one that is not a product is what the other leaves.
    for (unsigned slice = 0; slice < 8; slice += 4) {
        const std::int32_t share = slice ? upper : weight - upper;
        const std::int32_t right = product(share, x), left = share - right;
        result[slice + 3] = product(right, y);
        result[slice + 1] = right - result[slice + 3];
        result[slice] = product(left, 256 - y);
        result[slice + 2] = left - result[slice];
    }
    return result;
}

std::uint32_t gathered(const Texture& texture, std::uint32_t channel) {
    const Precision p = precision(texture);
    if (!p.of_bytes || !reads_floats(texture)) return channel;
    const double whole = std::floor(double{std::bit_cast<float>(channel)} * p.unit + 0.5);
    return std::bit_cast<std::uint32_t>(static_cast<float>(whole / p.unit));
}

}  // namespace cpu::exec
