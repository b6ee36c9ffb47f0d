// Linear filtering, bit for bit as observed on an H200.
#include "exec/textures/texture_filter.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

namespace cpu::exec {

namespace {

constexpr int weight_bits = 8;

/// a * b in 256ths, halves rounded up.
std::int32_t product(std::int32_t a, std::int32_t b) {
    return (a * b + 128) >> weight_bits;
}

/// The sum in 256ths: exact for integers of up to 16 bits, nearly exact for 32 bits.
std::int64_t sum_of_integers(std::span<const WeightedTexel> texels, unsigned c, bool with_sign) {
    std::int64_t sum = 0;
    for (const WeightedTexel& t : texels) {
        const std::uint32_t value = t.texel[c];
        sum += t.weight * (with_sign ? std::int64_t{static_cast<std::int32_t>(value)} : std::int64_t{value});
    }
    return sum;
}

/// Rounds halves up, but truncates 32-bit means.
std::uint32_t mean_of_integers(std::int64_t sum, std::size_t size) {
    return static_cast<std::uint32_t>((sum + (size < 4 ? 128 : 0)) >> weight_bits);
}

/// Stretches a mean of signed bytes, given in 256ths, to 16 bits: multiplies it by 258 + 1/128. The product with 1/128
/// is truncated to eighths.
std::int64_t stretched(std::int64_t sum) {
    return std::clamp<std::int64_t>(sum + ((sum + 16 * (sum >> 12) + 64) >> 7), -32767, 32767);
}

/// Bytes are mixed as 16-bit fractions.
float mean_of_fractions(std::int64_t sum, CUarray_format format) {
    if (format == CU_AD_FORMAT_SIGNED_INT8) return static_cast<float>(stretched(sum)) / 32767.0f;
    if (format == CU_AD_FORMAT_SIGNED_INT16)
        return static_cast<float>(std::max<std::int64_t>((sum + 128) >> weight_bits, -32767)) / 32767.0f;
    return static_cast<float>(((format == CU_AD_FORMAT_UNSIGNED_INT8 ? 257 * sum : sum) + 128) >> weight_bits) /
           65535.0f;
}

double power_of_two(int exponent) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

/// `value` * 2^bits, towards zero.
std::int64_t scaled(std::int64_t value, int bits) {
    if (value == 0 || bits <= -63) return 0;
    if (bits >= 0) return value << bits;
    return value < 0 ? -(-value >> -bits) : value >> -bits;
}

/// A number significand * 2^exponent that is aligned as if its leading bit were 2^top.
struct Summand {
    std::int64_t significand;
    int exponent;
    int top;
};

/// How numbers are mixed: those of a quad are truncated to `operand_bits` bits, counted from the leading bit of the
/// largest, and added exactly. The result is rounded to `result_bits` significant bits, none of them below 2^least, and
/// is zero below `smallest`.
struct Precision {
    int operand_bits;
    int result_bits;
    int min;
    double smallest;
};
constexpr Precision of_floats{28, 24, -149, std::numeric_limits<float>::min()};
constexpr Precision of_halves{15, 11, -24, 0};
constexpr Precision of_colours{8, 11, -24, 0};

/// Subnormal numbers become zero.
Summand float_operand(std::uint32_t bits) {
    const int exponent = static_cast<int>(bits >> 23 & 255);
    if (exponent == 0) return {0, 0, 0};
    const std::int64_t magnitude = (bits & 0x7fffff) | 0x800000;
    return {bits >> 31 ? -magnitude : magnitude, exponent - 150, exponent - 127};
}

/// The thresholds of the table of linear colours, in 65536ths: the exponent changes at each of these values.
constexpr std::uint32_t colour_steps[] = {32, 64, 128, 256, 512, 944, 1936, 3360, 7680, 16128, 31488, 61440};

Summand colour_operand(std::uint32_t stored) {
    const std::uint32_t value = linear_colour(stored);
    const auto steps = std::ranges::upper_bound(colour_steps, value) - std::begin(colour_steps);
    return {value, -16, static_cast<int>(steps) + 4 - 16};
}

/// Sums of quads. A sum in smaller units than the other is truncated, downwards, a few bits below the other's unit.
class Sum {
public:
    void add(std::int64_t value, int unit) {
        if (value == 0) return;
        if (value_ == 0)
            value_ = value, unit_ = unit;
        else {
            constexpr int guard_bits = 3;
            const int common = std::max(std::min(unit, unit_), std::max(unit, unit_) - guard_bits);
            value_ = moved(value_, unit_ - common) + moved(value, unit - common);
            unit_ = common;
        }
    }
    /// Rounded to nearest, halves away from zero.
    double rounded(const Precision& p) const {
        auto magnitude = static_cast<std::uint64_t>(value_ < 0 ? -value_ : value_);
        const int excess = std::max(static_cast<int>(std::bit_width(magnitude)) - p.result_bits, p.min - unit_);
        if (excess > 0) magnitude = excess > 62 ? 0 : (magnitude + (std::uint64_t{1} << (excess - 1))) >> excess;
        const double result = static_cast<double>(magnitude) * power_of_two(unit_ + std::max(excess, 0));
        return std::copysign(result < p.smallest ? 0 : result, value_ < 0 ? -1.0 : 1.0);
    }
    bool zero() const { return value_ == 0; }

private:
    static std::int64_t moved(std::int64_t value, int bits) {
        return bits >= 0 ? value << bits : value >> std::min(-bits, 63);
    }
    std::int64_t value_ = 0;
    int unit_ = 0;
};

template <class OperandOf>
void add_quad(Sum& sum, std::span<const WeightedTexel> quad, const Precision& p, OperandOf summand_of) {
    std::optional<int> top;
    for (const WeightedTexel& t : quad)
        if (const Summand o = summand_of(t); t.weight != 0 && o.significand != 0)
            top = std::max(top.value_or(o.top), o.top);
    if (!top) return;
    const int unit = *top - (p.operand_bits - 1);
    std::int64_t value = 0;
    for (const WeightedTexel& t : quad) {
        const Summand o = summand_of(t);
        value += t.weight * scaled(o.significand, o.exponent - unit);
    }
    sum.add(value, unit - weight_bits);
}

template <class OperandOf>
Sum sum_of_quads(std::span<const WeightedTexel> texels, const Precision& p, OperandOf summand_of) {
    Sum sum;
    for (std::size_t first = 0, end = 0; first < texels.size(); first = end) {
        while (end < texels.size() && texels[end].quad == texels[first].quad) ++end;
        add_quad(sum, texels.subspan(first, end - first), p, summand_of);
    }
    return sum;
}

bool is_finite(std::uint32_t bits) {
    return (bits & 0x7f800000) != 0x7f800000;
}

/// For sums with infinities or NaNs.
float mean_of_any(std::span<const WeightedTexel> texels, unsigned c) {
    float sum = 0;
    for (const WeightedTexel& t : texels)
        if (!is_finite(t.texel[c])) sum += std::bit_cast<float>(t.texel[c]);
    return std::isnan(sum) ? std::bit_cast<float>(0x7fffffffu) : sum;
}

float mean_of_floats(std::span<const WeightedTexel> texels, unsigned c, const Precision& p) {
    bool negative = true;
    for (const WeightedTexel& t : texels) {
        if (!is_finite(t.texel[c])) return mean_of_any(texels, c);
        negative = negative && (t.weight == 0 || t.texel[c] >> 31);
    }
    const Sum sum = sum_of_quads(texels, p, [c](const WeightedTexel& t) { return float_operand(t.texel[c]); });
    if (sum.zero()) return negative ? -0.0f : 0.0f;
    return static_cast<float>(sum.rounded(p));
}

float mean_of_colours(std::span<const WeightedTexel> texels, unsigned c) {
    const auto summand_of = [c](const WeightedTexel& t) { return colour_operand(t.texel[c]); };
    return static_cast<float>(sum_of_quads(texels, of_colours, summand_of).rounded(of_colours));
}

}  // namespace

Texel weighted_mean(const Texture& texture, std::span<const WeightedTexel> texels) {
    const CUarray_format format = texture.levels[0].format;
    const bool floats = reads_floats(texture);
    const auto channel = [&](unsigned c) {
        if (format == CU_AD_FORMAT_FLOAT) return std::bit_cast<std::uint32_t>(mean_of_floats(texels, c, of_floats));
        if (format == CU_AD_FORMAT_HALF) return std::bit_cast<std::uint32_t>(mean_of_floats(texels, c, of_halves));
        if (floats && is_colour(texture, c)) return std::bit_cast<std::uint32_t>(mean_of_colours(texels, c));
        const std::int64_t sum = sum_of_integers(texels, c, is_signed(format));
        return floats ? std::bit_cast<std::uint32_t>(mean_of_fractions(sum, format))
                      : mean_of_integers(sum, channel_size(format));
    };
    Texel result{};
    for (unsigned c = 0; c < texture.levels[0].channels; ++c) result[c] = channel(c);
    return result;
}

std::array<std::int32_t, 8> corner_weights(std::int32_t weight, std::span<const std::int32_t> above) {
    const std::int32_t x = above[0], y = above.size() > 1 ? above[1] : 0;
    const std::int32_t lower = above.size() > 2 ? product(weight, 256 - above[2]) : weight;
    std::array<std::int32_t, 8> result{};
    // First divides between slices, then left and right, then up and down; the share that is not a product is the
    // remainder.
    for (unsigned slice = 0; slice < 8; slice += 4) {
        const std::int32_t share = slice ? weight - lower : lower;
        const std::int32_t right = product(share, x), left = share - right;
        result[slice + 3] = product(right, y);
        result[slice + 1] = right - result[slice + 3];
        result[slice] = product(left, 256 - y);
        result[slice + 2] = left - result[slice];
    }
    return result;
}

std::int32_t corner_share(std::int32_t weight) {
    return (weight + 1) / 3;  // a third, rounded to nearest
}

std::uint32_t gathered(const Texture& texture, const Texel& stored, unsigned channel) {
    if (texture.levels[0].format != CU_AD_FORMAT_SIGNED_INT8 || !reads_floats(texture))
        return fetched(texture, stored)[channel];
    const WeightedTexel whole{stored, 256};
    return weighted_mean(texture, {&whole, 1})[channel];
}

}  // namespace cpu::exec
