#include "ptx/immediate.hpp"

#include <bit>
#include <cmath>

namespace cpu::ptx {
namespace {

/// To a 16-bit format with `mantissa` explicit bits and exponents up to `max_exponent` (2^max_exponent <= value).
std::uint16_t narrow(double value, int mantissa, int max_exponent) {
    const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
    const std::uint16_t infinity = static_cast<std::uint16_t>(((1u << (15 - mantissa)) - 1) << mantissa);
    if (std::isnan(value)) return 0x7fff;
    const double magnitude = std::fabs(value);
    if (magnitude == 0) return sign;
    if (std::isinf(value)) return static_cast<std::uint16_t>(sign | infinity);
    const int min_exponent = 1 - max_exponent;
    const int exponent = std::max(std::ilogb(magnitude), min_exponent);
    // Units in the last place, rounded half to even by the host's default rounding; a carry moves on by itself.
    const double units = std::nearbyint(std::ldexp(magnitude, mantissa - exponent));
    const auto steps = static_cast<std::uint64_t>(units);
    const std::uint64_t biased = static_cast<std::uint64_t>(exponent - min_exponent) << mantissa;
    const std::uint64_t pattern = biased + steps;
    return static_cast<std::uint16_t>(sign | (pattern >= infinity ? infinity : pattern));
}

std::uint64_t mask_of(unsigned bits) { return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1; }

}  // namespace

std::uint16_t to_f16(double value) { return narrow(value, 10, 15); }
std::uint16_t to_bf16(double value) { return narrow(value, 7, 127); }

std::optional<std::uint64_t> encode_immediate(Type type, Type literal, std::uint64_t bits) {
    const TypeInfo& wanted = info(type);
    if (literal == Type::S64 || literal == Type::U64) {
        if (type == Type::Pred) return bits != 0;
        // An integer in a 16-bit or packed float slot is its pattern; in f32 and f64 it would be a mistake.
        if (wanted.kind == Kind::Float && (type == Type::F32 || type == Type::F64)) return std::nullopt;
        return bits & mask_of(wanted.bits);
    }
    if (wanted.kind == Kind::Bits) {
        if (literal == Type::F32 && wanted.bits == 32) return bits;
        if (wanted.bits == 64 && literal == Type::F64) return bits;
    } else if (wanted.kind != Kind::Float || wanted.lanes != 1) {
        return std::nullopt;
    }
    const double value = literal == Type::F32
                             ? static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)))
                             : std::bit_cast<double>(bits);
    if (type == Type::F16) return to_f16(value);
    if (type == Type::Bf16) return to_bf16(value);
    if (wanted.bits == 64) return literal == Type::F64 ? bits : std::bit_cast<std::uint64_t>(value);
    if (wanted.bits != 32) return std::nullopt;
    return literal == Type::F32 ? bits : std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

}  // namespace cpu::ptx
