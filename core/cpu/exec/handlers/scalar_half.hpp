#pragma once
// Arithmetic of one lane in half precision and narrower types. Included by each instruction set's file.

#include "exec/handlers/scalar_float.hpp"

namespace cpu::exec {
namespace {

ALWAYS_INLINE f32 widen(f16 h) {
    const u32 magnitude = (h.bits & 0x7fffu) << 13;
    const f32 finite = bits_as<f32>(magnitude) * 0x1p112f;
    const u32 b = (h.bits & 0x7fffu) >= 0x7c00u ? magnitude | 0x7f800000u : bits_as<u32>(finite);
    return bits_as<f32>(b | static_cast<u32>(h.bits & 0x8000u) << 16);
}
ALWAYS_INLINE f32 widen(bf16 h) {
    return bits_as<f32>(static_cast<u32>(h.bits) << 16);
}

template <class H>
H narrow(f32 x);
template <>
ALWAYS_INLINE f16 narrow<f16>(f32 x) {
    const u32 b = bits_as<u32>(x);
    const u32 a = b & 0x7fffffffu;
    const u32 normal = (a + 0xfffu + ((a >> 13) & 1u) - 0x38000000u) >> 13;
    const u32 subnormal = bits_as<u32>(bits_as<f32>(a) + 0.5f) - 0x3f000000u;  // the addition rounds at 2^-24
    const u32 finite = a < 0x38800000u ? subnormal : a >= 0x47800000u ? 0x7c00u : normal;
    return {static_cast<u16>(a > 0x7f800000u ? 0x7fffu : finite | (b >> 16 & 0x8000u))};
}
template <>
ALWAYS_INLINE bf16 narrow<bf16>(f32 x) {
    const u32 b = bits_as<u32>(x);
    return {static_cast<u16>(x != x ? 0x7fffu : (b + 0x7fffu + ((b >> 16) & 1u)) >> 16)};
}
template <class H>
H truncated(f32 x);
template <>
ALWAYS_INLINE f16 truncated<f16>(f32 x) {
    const u32 b = bits_as<u32>(x);
    const u32 a = b & 0x7fffffffu;
    const u32 subnormal = static_cast<u32>(bits_as<f32>(a < 0x38800000u ? a : 0u) * 16777216.0f);
    const u32 normal = (a - 0x38000000u) >> 13;
    const u32 finite = a < 0x38800000u ? subnormal : a == 0x7f800000u ? 0x7c00u : a >= 0x47800000u ? 0x7bffu : normal;
    return {static_cast<u16>(a > 0x7f800000u ? 0x7fffu : finite | (b >> 16 & 0x8000u))};
}
template <>
ALWAYS_INLINE bf16 truncated<bf16>(f32 x) {
    return {static_cast<u16>(x != x ? 0x7fffu : bits_as<u32>(x) >> 16)};
}
template <class H, Round R>
ALWAYS_INLINE H directed(f32 x) {
    const H zero = truncated<H>(x);
    const f32 back = widen(zero);
    const bool away = (R == Down && x < back) || (R == Up && x > back);
    return {static_cast<u16>(away ? zero.bits + 1 : zero.bits)};
}
/// Converts to single precision and makes an inexact result odd, so that a later rounding to half precision is correct.
ALWAYS_INLINE f32 round_to_odd(f64 x) {
    const f32 nearest = static_cast<f32>(x);
    const u32 b = bits_as<u32>(nearest);
    const f64 error = static_cast<f64>(nearest) - x;
    const bool away = (error > 0) == (x > 0);
    const bool exact = error == 0 || x != x || x - x != 0;
    const bool overflow = nearest - nearest != 0;  // the largest finite value is odd
    return exact ? nearest : bits_as<f32>((away || overflow ? b - 1 : b) | 1u);
}
template <class H>
ALWAYS_INLINE H fma_half(H a, H b, H c) {
    // The product is exact; the sum's error makes the result odd, so that the second rounding is correct.
    const f64 p = f64(widen(a)) * widen(b);
    const f64 q = widen(c);
    const f64 s = p + q;
    const f64 t = s - p;
    const f64 error = (p - (s - t)) + (q - t);
    const u64 sb = bits_as<u64>(s);
    const bool toward_zero = (error > 0) != (s > 0);
    const bool exact = error == 0 || error != error || s - s != 0;
    const f64 odd = bits_as<f64>(exact ? sb : (toward_zero ? sb - (sb & 1 ? 0 : 1) : sb | 1));
    return narrow<H>(round_to_odd(odd));
}
template <class H>
ALWAYS_INLINE H half_add(H a, H b) {
    return narrow<H>(widen(a) + widen(b));
}
template <class H>
ALWAYS_INLINE H half_sub(H a, H b) {
    return narrow<H>(widen(a) - widen(b));
}
template <class H>
ALWAYS_INLINE H half_mul(H a, H b) {
    return narrow<H>(widen(a) * widen(b));
}
template <class H>
ALWAYS_INLINE H half_min(H a, H b) {
    return narrow<H>(minimum(widen(a), widen(b)));
}
template <class H>
ALWAYS_INLINE H half_max(H a, H b) {
    return narrow<H>(maximum(widen(a), widen(b)));
}
template <class H>
ALWAYS_INLINE H half_min_nan(H a, H b) {
    return narrow<H>(nan_or(widen(a), widen(b), minimum(widen(a), widen(b))));
}
template <class H>
ALWAYS_INLINE H half_max_nan(H a, H b) {
    return narrow<H>(nan_or(widen(a), widen(b), maximum(widen(a), widen(b))));
}
template <class H>
ALWAYS_INLINE H half_xorsign(H a, H b) {
    return {static_cast<u16>((a.bits ^ b.bits) & 0x8000u)};
}
/// b with the sign of a, unless b is a NaN.
template <class H>
ALWAYS_INLINE H half_signed(H a, H b) {
    return widen(b) != widen(b) ? b : H{static_cast<u16>((a.bits & 0x8000u) | (b.bits & 0x7fffu))};
}
/// The result of an fma, but zero if a factor is the NaN that marks an element outside a tensor.
template <class H>
ALWAYS_INLINE H half_in_bounds(H result, H a, H b) {
    return (a.bits & 0x7fffu) == 0x7ff7u || (b.bits & 0x7fffu) == 0x7ff7u ? H{0} : result;
}
template <class H>
ALWAYS_INLINE H half_ftz(H x) {
    constexpr u16 exponent = __is_same(H, f16) ? 0x7c00 : 0x7f80;
    return {static_cast<u16>((x.bits & exponent) ? x.bits : x.bits & 0x8000u)};
}
ALWAYS_INLINE f32 relu(f32 x) {
    return x != x ? bits_as<f32>(0x7fffffffu) : x > 0.0f ? x : 0.0f;
}
template <class H>
ALWAYS_INLINE H half_abs(H a) {
    return {static_cast<u16>(widen(a) != widen(a) ? 0x7fffu : a.bits & 0x7fffu)};
}
template <class H>
ALWAYS_INLINE H half_neg(H a) {
    return {static_cast<u16>(widen(a) != widen(a) ? 0x7fffu : a.bits ^ 0x8000u)};
}
template <class H>
ALWAYS_INLINE H half_exp2(H a) {
    return narrow<H>(exp2_approx(widen(a)));
}
template <class H>
ALWAYS_INLINE H half_tanh(H a) {
    return narrow<H>(tanh_approx(widen(a)));
}
/// Exact in double precision, or for 64-bit integers made odd, so that the second rounding is correct.
template <class A>
ALWAYS_INLINE f64 integer_to_odd(A a) {
    if constexpr (sizeof(A) < 8)
        return static_cast<f64>(a);
    else {
        const f64 nearest = static_cast<f64>(a);
        if (nearest > -0x1p53 && nearest < 0x1p53) return nearest;
        // Bit 11 is the last one that a double keeps, whatever the integer's size.
        const A low = static_cast<A>(static_cast<u64>(a) & 0x7ff);
        return static_cast<f64>(static_cast<A>((a - low) | (low ? 0x800 : 0)));
    }
}
template <class H>
ALWAYS_INLINE H half_sat(H a) {
    return narrow<H>(sat(widen(a)));
}
template <class H>
ALWAYS_INLINE H half_relu(H a) {
    return narrow<H>(relu(widen(a)));
}
template <class H>
ALWAYS_INLINE H half_satfinite(H a) {
    constexpr u16 infinity = __is_same(H, f16) ? 0x7c00 : 0x7f80;
    return {static_cast<u16>((a.bits & 0x7fffu) == infinity ? a.bits - 1 : a.bits)};
}
/// 10 bits of mantissa; `increment` implements the rounding.
ALWAYS_INLINE u32 tf32(f32 x, u32 increment) {
    const u32 b = bits_as<u32>(x);
    return x != x ? 0x7fffe000u : (b & 0x7f800000u) == 0x7f800000u ? b : (b + increment) & 0xffffe000u;
}
struct E4m3 {
    static constexpr int mantissa = 3, bias = 7;
    static constexpr u32 highest = 0x7e;
};
struct E5m2 {
    static constexpr int mantissa = 2, bias = 15;
    static constexpr u32 highest = 0x7b;
};
/// Rounds to nearest even; values that are too large become the largest finite one.
template <class F>
ALWAYS_INLINE u32 to_eight_bits(f32 x) {
    const u32 b = bits_as<u32>(x), a = b & 0x7fffffffu;
    constexpr int shift = 23 - F::mantissa;
    constexpr u32 lowest_normal = static_cast<u32>(127 + 1 - F::bias) << 23;
    const u32 normal =
        ((a + (1u << (shift - 1)) - 1 + (a >> shift & 1u)) >> shift) - (static_cast<u32>(127 - F::bias) << F::mantissa);
    // Adding this power of two rounds at the last bit of a subnormal number.
    constexpr u32 magic = static_cast<u32>(127 + 1 - F::bias - F::mantissa + 23) << 23;
    const u32 subnormal = bits_as<u32>(bits_as<f32>(a) + bits_as<f32>(magic)) - magic;
    const u32 finite = a < lowest_normal ? subnormal : normal > F::highest || a >= 0x7f800000u ? F::highest : normal;
    return a > 0x7f800000u ? 0x7fu : finite | (b >> 24 & 0x80u);
}
template <class F>
ALWAYS_INLINE f16 from_eight_bits(u32 v) {
    if constexpr (F::mantissa == 2) return {static_cast<u16>((v & 0x7fu) > 0x7cu ? 0x7fffu : v << 8)};
    const u32 magnitude = (v & 0x7fu) << 20;
    const f32 value = bits_as<f32>(magnitude) * 0x1p120f;
    return {static_cast<u16>((v & 0x7fu) == 0x7fu ? 0x7fffu : narrow<f16>(value).bits | (v & 0x80u) << 8)};
}
template <class H>
ALWAYS_INLINE H low_half(u32 v) {
    return {static_cast<u16>(v)};
}
template <class H>
ALWAYS_INLINE H high_half(u32 v) {
    return {static_cast<u16>(v >> 16)};
}
ALWAYS_INLINE u32 join(u32 low, u32 high) {
    return (low & 0xffffu) | high << 16;
}
template <class H>
ALWAYS_INLINE u32 join(H low, H high) {
    return low.bits | static_cast<u32>(high.bits) << 16;
}

}  // namespace
}  // namespace cpu::exec
