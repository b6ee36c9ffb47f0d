#include "exec/matrix/tensor_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace cpu::exec::tensor_sum {

namespace {

using ptx::Type;

struct Format {
    int exponent_bits;
    int fraction_bits;
    int unused;  ///< number of bits below the fraction
};

constexpr Format format_of(Type type) {
    switch (type) {
        case Type::F16:
            return {5, 10, 0};
        case Type::Bf16:
            return {8, 7, 0};
        case Type::Tf32:
            return {8, 10, 13};
        default:
            return {8, 23, 0};
    }
}

/// The number of bits of a sum after the binary point of the largest summand.
constexpr int sum_bits = 25;
/// Smaller exponents are treated as this one.
constexpr int lowest_top = -133;

constexpr std::uint32_t f32_nan = 0x7fffffff, f16_nan = 0x7fff;

std::uint64_t shifted(std::uint64_t value, int left) {
    if (left >= 0) return value << left;
    return left > -64 ? value >> -left : 0;
}

/// magnitude × 2^unit, truncated.
std::uint32_t to_f32(bool negative, std::uint64_t magnitude, int unit) {
    const std::uint32_t sign = negative ? 0x80000000u : 0;
    if (magnitude == 0) return 0;
    const int top = 63 - std::countl_zero(magnitude) + unit;
    if (top > 127) return sign | 0x7f800000u;
    const int lowest = std::max(top - 23, -149);
    const auto bits = static_cast<std::uint32_t>(shifted(magnitude, unit - lowest));
    // The leading one of a normal number adds one to the exponent.
    const std::uint32_t value = (static_cast<std::uint32_t>(lowest + 149) << 23) + bits;
    return value ? sign | value : 0;
}

/// The same, rounded to nearest.
std::uint32_t to_f16(bool negative, std::uint64_t magnitude, int unit) {
    const std::uint32_t sign = negative ? 0x8000u : 0;
    if (magnitude == 0) return 0;
    const int top = 63 - std::countl_zero(magnitude) + unit;
    const int lowest = std::max(top - 10, -24);
    const int drop = lowest - unit;
    std::uint64_t bits = shifted(magnitude, -drop);
    if (drop > 0 && drop < 64) {
        const std::uint64_t rest = magnitude & ((1ull << drop) - 1), half = 1ull << (drop - 1);
        bits += rest > half || (rest == half && (bits & 1)) ? 1 : 0;
    }
    const std::int64_t value = (std::int64_t{lowest + 24} << 10) + static_cast<std::int64_t>(bits);
    return value ? sign | static_cast<std::uint32_t>(std::min<std::int64_t>(value, 0x7c00)) : 0;
}

/// The decoded bits of a number; the significand includes its leading one, even for infinities and NaNs.
struct Parts {
    bool negative;
    bool finite;
    std::uint32_t significand;
    int exponent;
};

Parts parts_of(const Format& f, std::uint32_t bits) {
    bits >>= f.unused;
    const std::uint32_t fraction = bits & ((1u << f.fraction_bits) - 1);
    const int exponent = static_cast<int>(bits >> f.fraction_bits & ((1u << f.exponent_bits) - 1));
    const int bias = (1 << (f.exponent_bits - 1)) - 1;
    return {(bits >> (f.exponent_bits + f.fraction_bits) & 1) != 0, exponent != (1 << f.exponent_bits) - 1,
            exponent ? fraction | 1u << f.fraction_bits : fraction, std::max(exponent, 1) - bias};
}

double real(Type type, std::uint32_t bits) {
    const Format f = format_of(type);
    const Parts p = parts_of(f, bits);
    const double sign = p.negative ? -1 : 1;
    if (!p.finite) return p.significand == 1u << f.fraction_bits ? sign * HUGE_VAL : NAN;
    return sign * std::ldexp(p.significand, p.exponent - f.fraction_bits);
}

}  // namespace

Number decode(Type type, std::uint32_t bits) {
    const Parts p = parts_of(format_of(type), bits);
    const auto significand = static_cast<std::int32_t>(p.significand);
    Number out;
    out.finite = p.finite;
    out.significand = p.negative ? -significand : significand;
    out.exponent = significand ? p.exponent : no_exponent;
    return out;
}

std::uint32_t sum(Type type, Factors a, Factors b, unsigned count, Type type_c, Number c, Type to) {
    std::int32_t exponents[max_products], products[max_products];
    std::int32_t top = std::max(c.exponent, lowest_top);
    for (unsigned n = 0; n < count; ++n) {
        products[n] = a.significands[n] * b.significands[n];
        exponents[n] = a.exponents[n] + b.exponents[n];
        top = std::max(top, exponents[n]);
    }
    const int widened = sum_bits - 2 * format_of(type).fraction_bits;
    std::int64_t total = 0;
    for (unsigned n = 0; n < count; ++n) {
        const std::uint32_t magnitude = static_cast<std::uint32_t>(std::abs(products[n])) << widened;
        const auto kept = static_cast<std::int32_t>(magnitude >> std::min(top - exponents[n], 31));
        total += products[n] < 0 ? -kept : kept;
    }
    const std::uint64_t own = std::uint64_t(std::abs(c.significand)) << (sum_bits - format_of(type_c).fraction_bits);
    const auto kept = static_cast<std::int64_t>(own >> std::min(top - c.exponent, 63));
    total += c.significand < 0 ? -kept : kept;
    const auto magnitude = static_cast<std::uint64_t>(std::abs(total));
    return to == Type::F16 ? to_f16(total < 0, magnitude, top - sum_bits)
                           : to_f32(total < 0, magnitude, top - sum_bits);
}

std::uint32_t sum_of_infinities(Type type, const std::uint32_t* a, const std::uint32_t* b, unsigned count, Type type_c,
                                std::uint32_t c, Type to) {
    double total = real(type_c, c);
    for (unsigned n = 0; n < count; ++n) total += real(type, a[n]) * real(type, b[n]);
    if (std::isnan(total)) return to == Type::F16 ? f16_nan : f32_nan;
    return to == Type::F16 ? (total < 0 ? 0xfc00u : 0x7c00u) : (total < 0 ? 0xff800000u : 0x7f800000u);
}

std::uint32_t f16_of_f32(std::uint32_t bits) {
    const Number n = decode(Type::F32, bits);
    if (!n.finite) return bits << 9 ? f16_nan : (bits >> 16 & 0x8000u) | 0x7c00u;
    const bool negative = bits >> 31;
    const std::uint32_t value = to_f16(negative, static_cast<std::uint64_t>(std::abs(n.significand)), n.exponent - 23);
    return value | (negative ? 0x8000u : 0);
}

float value_of(Type type, std::uint32_t bits) {
    return static_cast<float>(real(type, bits));
}

}  // namespace cpu::exec::tensor_sum
