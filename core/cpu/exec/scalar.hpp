#pragma once
// The arithmetic of one lane, as PTX defines it. Included by each instruction set's file, after lanes.hpp.

#include "exec/lanes.hpp"

namespace cpu::exec {
namespace {

template <class To, class From>
ALWAYS_INLINE To bits_as(From value) { return __builtin_bit_cast(To, value); }

// --- single and double precision -------------------------------------------------------------------------------

/// Single precision operations give this NaN and no other.
ALWAYS_INLINE f32 canonical(f32 x) { return x != x ? bits_as<f32>(0x7fffffffu) : x; }
ALWAYS_INLINE f64 canonical(f64 x) { return x; }
ALWAYS_INLINE f32 ftz(f32 x) {
    const u32 b = bits_as<u32>(x);
    return bits_as<f32>((b & 0x7f800000u) ? b : b & 0x80000000u);
}
/// Clamp to [0, 1]; NaN gives +0.
ALWAYS_INLINE f32 sat(f32 x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
ALWAYS_INLINE f64 sat(f64 x) { return x > 0.0 ? (x < 1.0 ? x : 1.0) : 0.0; }

ALWAYS_INLINE f32 fma(f32 a, f32 b, f32 c) { return __builtin_fmaf(a, b, c); }
ALWAYS_INLINE f64 fma(f64 a, f64 b, f64 c) { return __builtin_fma(a, b, c); }
ALWAYS_INLINE f32 absolute(f32 x) { return bits_as<f32>(bits_as<u32>(x) & 0x7fffffffu); }
ALWAYS_INLINE f64 absolute(f64 x) { return bits_as<f64>(bits_as<u64>(x) & 0x7fffffffffffffffull); }
ALWAYS_INLINE f32 negated(f32 x) { return bits_as<f32>(bits_as<u32>(x) ^ 0x80000000u); }
ALWAYS_INLINE f64 negated(f64 x) { return bits_as<f64>(bits_as<u64>(x) ^ 0x8000000000000000ull); }
ALWAYS_INLINE f32 copysign(f32 sign, f32 x) {
    return bits_as<f32>((bits_as<u32>(sign) & 0x80000000u) | (bits_as<u32>(x) & 0x7fffffffu));
}
ALWAYS_INLINE f64 copysign(f64 sign, f64 x) {
    return bits_as<f64>((bits_as<u64>(sign) & 0x8000000000000000ull) | (bits_as<u64>(x) & 0x7fffffffffffffffull));
}

/// A number beats a NaN, +0 is more than -0.
ALWAYS_INLINE f32 minimum(f32 a, f32 b) {
    const f32 equal = bits_as<f32>(bits_as<u32>(a) | bits_as<u32>(b));
    return a != a ? canonical(b) : b != b ? a : a < b ? a : b < a ? b : equal;
}
ALWAYS_INLINE f32 maximum(f32 a, f32 b) {
    const f32 equal = bits_as<f32>(bits_as<u32>(a) & bits_as<u32>(b));
    return a != a ? canonical(b) : b != b ? a : a < b ? b : b < a ? a : equal;
}
ALWAYS_INLINE f64 minimum(f64 a, f64 b) {
    const f64 equal = bits_as<f64>(bits_as<u64>(a) | bits_as<u64>(b));
    return a != a ? b : b != b ? a : a < b ? a : b < a ? b : equal;
}
ALWAYS_INLINE f64 maximum(f64 a, f64 b) {
    const f64 equal = bits_as<f64>(bits_as<u64>(a) & bits_as<u64>(b));
    return a != a ? b : b != b ? a : a < b ? b : b < a ? a : equal;
}
ALWAYS_INLINE f32 nan_or(f32 a, f32 b, f32 value) { return a != a || b != b ? bits_as<f32>(0x7fffffffu) : value; }

// --- approximations: within the errors the PTX manual allows, and simple enough to be vectorised ------------------

/// 2^x to 1 ulp, exact at integers.
ALWAYS_INLINE f32 exp2_approx(f32 x) {
    const f32 clamped = x > 160.0f ? 160.0f : x < -160.0f ? -160.0f : x;
    const f32 magic = clamped + 12582912.0f;  // 1.5 * 2^23: rounds to an integer
    const s32 n = bits_as<s32>(magic) - 0x4b400000;
    const f32 f = clamped - (magic - 12582912.0f);
    f32 p = 1.52527338e-5f;
    p = p * f + 1.54035304e-4f;
    p = p * f + 1.33335581e-3f;
    p = p * f + 9.61812911e-3f;
    p = p * f + 5.55041087e-2f;
    p = p * f + 2.40226507e-1f;
    p = p * f + 6.93147181e-1f;
    p = p * f + 1.0f;
    const s32 half = n >> 1;  // in two steps, so that subnormal results come out
    const f32 scaled = p * bits_as<f32>((half + 127) << 23) * bits_as<f32>((n - half + 127) << 23);
    return x != x ? bits_as<f32>(0x7fffffffu) : scaled;
}

ALWAYS_INLINE f32 log2_approx(f32 x) {
    const bool tiny = x < 1.17549435e-38f;
    const f32 scaled = tiny ? x * 16777216.0f : x;
    const s32 b = bits_as<s32>(scaled);
    const s32 e = (b - 0x3f3504f3) >> 23;  // mantissa in [sqrt(1/2), sqrt(2))
    const f32 m = bits_as<f32>(b - (e << 23));
    const f32 t = (m - 1.0f) / (m + 1.0f);
    const f32 s = t * t;
    f32 p = 0.320598898f;
    p = p * s + 0.412198583f;
    p = p * s + 0.577078016f;
    p = p * s + 0.961796694f;
    p = p * s + 2.88539008f;
    const f32 r = static_cast<f32>(e - (tiny ? 24 : 0)) + p * t;
    const f32 special = x == 0.0f ? -__builtin_inff() : x > 0.0f ? x : bits_as<f32>(0x7fffffffu);
    return x > 0.0f && x < __builtin_inff() ? r : special;
}

/// sin(x + quadrant * pi/2); subnormal numbers count as zero.
ALWAYS_INLINE f32 sine_approx(f32 x, u64 quadrant) {
    const f64 wide = ftz(x);
    const f64 magic = wide * 0.63661977236758134308 + 6755399441055744.0;  // 1.5 * 2^52
    const f64 n = magic - 6755399441055744.0;
    const f64 r = wide - n * 1.57079632679489661923;
    const u64 q = bits_as<u64>(magic) + quadrant;
    const f64 s = r * r;
    const f64 sine = r * (1.0 + s * (-1.6666654611e-1 + s * (8.3321608736e-3 + s * -1.9515295891e-4)));
    const f64 cosine = 1.0 - 0.5 * s + s * s * (4.166664568298827e-2 + s * (-1.388731625493765e-3 + s * 2.443315711809948e-5));
    const f32 value = static_cast<f32>(q & 1 ? cosine : sine);
    const f32 signed_value = q & 2 ? -value : value;
    return absolute(x) < __builtin_inff() ? signed_value : bits_as<f32>(0x7fffffffu);
}

ALWAYS_INLINE f32 tanh_approx(f32 x) {
    const f32 a = absolute(x);
    const f32 far = 1.0f - 2.0f / (exp2_approx(a * 2.88539008f) + 1.0f);
    const f32 near = a - a * a * a * 0.333333333f;
    return x != x ? bits_as<f32>(0x7fffffffu) : copysign(x, a < 0.02f ? near : far);
}

// --- conversions between floating-point and integer ---------------------------------------------------------------

enum Round { Nearest, Zero, Down, Up };

template <Round R>
ALWAYS_INLINE f32 integral(f32 x) {
    return R == Nearest ? __builtin_rintf(x) : R == Zero ? __builtin_truncf(x)
         : R == Down ? __builtin_floorf(x) : __builtin_ceilf(x);
}
template <Round R>
ALWAYS_INLINE f64 integral(f64 x) {
    return R == Nearest ? __builtin_rint(x) : R == Zero ? __builtin_trunc(x)
         : R == Down ? __builtin_floor(x) : __builtin_ceil(x);
}

template <class T> struct Limits;
template <> struct Limits<u8> { static constexpr u8 low = 0, high = 0xff; };
template <> struct Limits<u16> { static constexpr u16 low = 0, high = 0xffff; };
template <> struct Limits<u32> { static constexpr u32 low = 0, high = ~0u; };
template <> struct Limits<u64> { static constexpr u64 low = 0, high = ~0ull; };
template <> struct Limits<s8> { static constexpr s8 low = -128, high = 127; };
template <> struct Limits<s16> { static constexpr s16 low = -32768, high = 32767; };
template <> struct Limits<s32> { static constexpr s32 low = -0x7fffffff - 1, high = 0x7fffffff; };
template <> struct Limits<s64> { static constexpr s64 low = -0x7fffffffffffffffll - 1, high = 0x7fffffffffffffffll; };

template <class D, Round R, class A>
ALWAYS_INLINE D to_integer(A value) {
    constexpr bool zero_nan = sizeof(A) < 8 && sizeof(D) < 8;
    constexpr D nan = zero_nan ? D(0) : D(D(1) << (8 * sizeof(D) - 1));
    constexpr A above = A(Limits<D>::high / 2 + 1) * A(2);  // one more than the highest, exact
    const A x = integral<R>(value);
    const bool low = x < A(Limits<D>::low);
    const bool high = x >= above;
    const D inside = static_cast<D>(low || high || x != x ? A(0) : x);
    return x != x ? nan : low ? Limits<D>::low : high ? Limits<D>::high : inside;
}

/// Integer to integer with .sat.
template <class D, class A>
ALWAYS_INLINE D clamp_integer(A a) {
    const s128 x = a;
    return x < s128(Limits<D>::low) ? Limits<D>::low : x > s128(Limits<D>::high) ? Limits<D>::high : static_cast<D>(a);
}

// --- half precision ---------------------------------------------------------------------------------------------

ALWAYS_INLINE f32 widen(f16 h) {
    const u32 magnitude = (h.bits & 0x7fffu) << 13;
    const f32 finite = bits_as<f32>(magnitude) * 0x1p112f;
    const u32 b = (h.bits & 0x7fffu) >= 0x7c00u ? magnitude | 0x7f800000u : bits_as<u32>(finite);
    return bits_as<f32>(b | static_cast<u32>(h.bits & 0x8000u) << 16);
}
ALWAYS_INLINE f32 widen(bf16 h) { return bits_as<f32>(static_cast<u32>(h.bits) << 16); }

template <class H> H narrow(f32 x);
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
template <class H> H truncated(f32 x);
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
/// To single precision, an inexact result made odd: a later rounding to half precision is then the right one.
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
    // The product is exact; the sum's error makes it odd, so that rounding it again is right.
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
template <class H> ALWAYS_INLINE H half_add(H a, H b) { return narrow<H>(widen(a) + widen(b)); }
template <class H> ALWAYS_INLINE H half_sub(H a, H b) { return narrow<H>(widen(a) - widen(b)); }
template <class H> ALWAYS_INLINE H half_mul(H a, H b) { return narrow<H>(widen(a) * widen(b)); }
template <class H> ALWAYS_INLINE H half_min(H a, H b) { return narrow<H>(minimum(widen(a), widen(b))); }
template <class H> ALWAYS_INLINE H half_max(H a, H b) { return narrow<H>(maximum(widen(a), widen(b))); }
template <class H>
ALWAYS_INLINE H half_min_nan(H a, H b) { return narrow<H>(nan_or(widen(a), widen(b), minimum(widen(a), widen(b)))); }
template <class H>
ALWAYS_INLINE H half_max_nan(H a, H b) { return narrow<H>(nan_or(widen(a), widen(b), maximum(widen(a), widen(b)))); }
template <class H> ALWAYS_INLINE H half_xorsign(H a, H b) { return {static_cast<u16>((a.bits ^ b.bits) & 0x8000u)}; }
/// b with the sign of a, unless b is a NaN.
template <class H>
ALWAYS_INLINE H half_signed(H a, H b) {
    return widen(b) != widen(b) ? b : H{static_cast<u16>((a.bits & 0x8000u) | (b.bits & 0x7fffu))};
}
template <class H>
ALWAYS_INLINE H half_ftz(H x) {
    constexpr u16 exponent = __is_same(H, f16) ? 0x7c00 : 0x7f80;
    return {static_cast<u16>((x.bits & exponent) ? x.bits : x.bits & 0x8000u)};
}
ALWAYS_INLINE f32 relu(f32 x) { return x != x ? bits_as<f32>(0x7fffffffu) : x > 0.0f ? x : 0.0f; }
template <class H>
ALWAYS_INLINE H half_abs(H a) { return {static_cast<u16>(widen(a) != widen(a) ? 0x7fffu : a.bits & 0x7fffu)}; }
template <class H>
ALWAYS_INLINE H half_neg(H a) { return {static_cast<u16>(widen(a) != widen(a) ? 0x7fffu : a.bits ^ 0x8000u)}; }
template <class H> ALWAYS_INLINE H half_exp2(H a) { return narrow<H>(exp2_approx(widen(a))); }
template <class H> ALWAYS_INLINE H half_tanh(H a) { return narrow<H>(tanh_approx(widen(a))); }
/// Exact in double precision, or (64-bit integers) made odd, for a correct second rounding.
template <class A>
ALWAYS_INLINE f64 integer_to_odd(A a) {
    if constexpr (sizeof(A) < 8) return static_cast<f64>(a);
    else {
        const f64 nearest = static_cast<f64>(a);
        if (nearest > -0x1p53 && nearest < 0x1p53) return nearest;
        // Bit 11 is the last that a double has whatever the integer's size.
        const A low = static_cast<A>(static_cast<u64>(a) & 0x7ff);
        return static_cast<f64>(static_cast<A>((a - low) | (low ? 0x800 : 0)));
    }
}
template <class H> ALWAYS_INLINE H half_sat(H a) { return narrow<H>(sat(widen(a))); }
template <class H> ALWAYS_INLINE H half_relu(H a) { return narrow<H>(relu(widen(a))); }
template <class H>
ALWAYS_INLINE H half_satfinite(H a) {
    constexpr u16 infinity = __is_same(H, f16) ? 0x7c00 : 0x7f80;
    return {static_cast<u16>((a.bits & 0x7fffu) == infinity ? a.bits - 1 : a.bits)};
}
/// 10 bits of mantissa; `increment` does the rounding.
ALWAYS_INLINE u32 tf32(f32 x, u32 increment) {
    const u32 b = bits_as<u32>(x);
    return x != x ? 0x7fffe000u : (b & 0x7f800000u) == 0x7f800000u ? b : (b + increment) & 0xffffe000u;
}
struct E4m3 { static constexpr int mantissa = 3, bias = 7; static constexpr u32 highest = 0x7e; };
struct E5m2 { static constexpr int mantissa = 2, bias = 15; static constexpr u32 highest = 0x7b; };
/// To nearest even; what is too large becomes the highest finite value.
template <class F>
ALWAYS_INLINE u32 to_eight_bits(f32 x) {
    const u32 b = bits_as<u32>(x), a = b & 0x7fffffffu;
    constexpr int shift = 23 - F::mantissa;
    constexpr u32 lowest_normal = static_cast<u32>(127 + 1 - F::bias) << 23;
    const u32 normal = ((a + (1u << (shift - 1)) - 1 + (a >> shift & 1u)) >> shift) - (static_cast<u32>(127 - F::bias) << F::mantissa);
    // Adding this power of two rounds at the last place of the subnormal numbers.
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
template <class H> ALWAYS_INLINE H low_half(u32 v) { return {static_cast<u16>(v)}; }
template <class H> ALWAYS_INLINE H high_half(u32 v) { return {static_cast<u16>(v >> 16)}; }
ALWAYS_INLINE u32 join(u32 low, u32 high) { return (low & 0xffffu) | high << 16; }
template <class H> ALWAYS_INLINE u32 join(H low, H high) { return low.bits | static_cast<u32>(high.bits) << 16; }

// --- integers -----------------------------------------------------------------------------------------------------

ALWAYS_INLINE u16 mul_hi(u16 a, u16 b) { return static_cast<u16>(u32{a} * b >> 16); }
ALWAYS_INLINE s16 mul_hi(s16 a, s16 b) { return static_cast<s16>(s32{a} * b >> 16); }
ALWAYS_INLINE u32 mul_hi(u32 a, u32 b) { return static_cast<u32>(u64{a} * b >> 32); }
ALWAYS_INLINE s32 mul_hi(s32 a, s32 b) { return static_cast<s32>(s64{a} * b >> 32); }
ALWAYS_INLINE u64 mul_hi(u64 a, u64 b) { return static_cast<u64>(static_cast<u128>(a) * b >> 64); }
ALWAYS_INLINE s64 mul_hi(s64 a, s64 b) { return static_cast<s64>(static_cast<s128>(a) * b >> 64); }

/// Division by zero gives all ones, as on the hardware, for the remainder too; MIN / -1 is MIN.
template <class T>
ALWAYS_INLINE T divide(T a, T b) {
    if constexpr (T(-1) < T(0)) {
        const bool overflow = b == T(-1);
        const T q = static_cast<T>(a / (b == 0 || overflow ? T(1) : b));
        return b == 0 ? T(-1) : overflow ? static_cast<T>(0 - static_cast<u64>(a)) : q;
    } else {
        return b == 0 ? static_cast<T>(~T(0)) : static_cast<T>(a / b);
    }
}
template <class T>
ALWAYS_INLINE T remainder(T a, T b) {
    if constexpr (T(-1) < T(0)) return b == 0 ? T(-1) : b == T(-1) ? T(0) : static_cast<T>(a % b);
    else return b == 0 ? static_cast<T>(~T(0)) : static_cast<T>(a % b);
}

// Shift amounts of the register's width or more clamp.
template <class T> ALWAYS_INLINE T shl(T a, u32 n) { return n < 8 * sizeof(T) ? static_cast<T>(a << (n & 63)) : T(0); }
template <class T>
ALWAYS_INLINE T shr(T a, u32 n) {
    constexpr u32 width = 8 * sizeof(T);
    if constexpr (T(-1) < T(0)) return static_cast<T>(a >> (n < width ? n : width - 1));
    else return n < width ? static_cast<T>(a >> (n & 63)) : T(0);
}
ALWAYS_INLINE u32 funnel_left(u32 low, u32 high, u32 n) {
    return static_cast<u32>(((u64{high} << 32 | low) << (n & 63)) >> 32);
}
ALWAYS_INLINE u32 funnel_right(u32 low, u32 high, u32 n) {
    return static_cast<u32>((u64{high} << 32 | low) >> (n & 63));
}
ALWAYS_INLINE u32 min32(u32 a, u32 b) { return a < b ? a : b; }

ALWAYS_INLINE u32 popc(u32 a) { return static_cast<u32>(__builtin_popcount(a)); }
ALWAYS_INLINE u32 popc(u64 a) { return static_cast<u32>(__builtin_popcountll(a)); }
ALWAYS_INLINE u32 clz(u32 a) { return a ? static_cast<u32>(__builtin_clz(a)) : 32; }
ALWAYS_INLINE u32 clz(u64 a) { return a ? static_cast<u32>(__builtin_clzll(a)) : 64; }
ALWAYS_INLINE u32 brev(u32 a) {
    a = (a >> 1 & 0x55555555u) | (a & 0x55555555u) << 1;
    a = (a >> 2 & 0x33333333u) | (a & 0x33333333u) << 2;
    a = (a >> 4 & 0x0f0f0f0fu) | (a & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(a);
}
ALWAYS_INLINE u64 brev(u64 a) {
    return static_cast<u64>(brev(static_cast<u32>(a))) << 32 | brev(static_cast<u32>(a >> 32));
}
/// The highest bit that differs from the sign; ~0 if none.
template <class T, class U>
ALWAYS_INLINE u32 bfind(T a) {
    const U v = static_cast<U>(a < T(0) ? ~static_cast<U>(a) : static_cast<U>(a));
    return v ? static_cast<u32>(8 * sizeof(T)) - 1 - clz(v) : ~0u;
}
template <class T, class U>
ALWAYS_INLINE u32 bfind_shift(T a) {
    const u32 position = bfind<T, U>(a);
    return position == ~0u ? ~0u : static_cast<u32>(8 * sizeof(T)) - 1 - position;
}
/// Position and length are bytes for 32 bits; for 64 bits, too large ones clamp.
template <class U>
ALWAYS_INLINE u32 field_operand(u32 n) { return sizeof(U) == 8 ? min32(n, 255) : n & 0xff; }
/// Bits [pos, pos+len) of a, sign-extended from the field's top bit (or the register's, if the field reaches beyond).
template <class T, class U>
ALWAYS_INLINE T bfe(T a, u32 position, u32 length) {
    constexpr u32 width = 8 * sizeof(T);
    const u32 pos = field_operand<U>(position), len = field_operand<U>(length);
    const u32 top = min32(pos + len - 1, width - 1);
    const bool negative = T(-1) < T(0) && len != 0 && (static_cast<U>(a) >> top & 1);
    const U field = pos < width ? static_cast<U>(a) >> pos : U(0);
    const U kept = len >= width ? ~U(0) : static_cast<U>((U(1) << (len & (width - 1))) - 1);
    const U inside = pos >= width ? U(0) : pos + len > width ? static_cast<U>(~U(0) >> pos) : kept;
    return static_cast<T>(negative ? (field & inside & kept) | ~(inside & kept) : field & kept);
}
template <class U>
ALWAYS_INLINE U bfi(U a, U b, u32 position, u32 length) {
    constexpr u32 width = 8 * sizeof(U);
    const u32 pos = field_operand<U>(position), len = field_operand<U>(length);
    const U ones = len >= width ? ~U(0) : static_cast<U>((U(1) << (len & (width - 1))) - 1);
    const U mask = pos < width ? static_cast<U>(ones << (pos & (width - 1))) : U(0);
    const U value = pos < width ? static_cast<U>(a << (pos & (width - 1))) : U(0);
    return (value & mask) | (b & ~mask);
}
ALWAYS_INLINE u32 bmsk(u32 position, u32 length, bool wrap) {
    const u32 pos = wrap ? position & 31 : position, len = wrap ? length & 31 : length;
    const u64 ones = len >= 32 ? 0xffffffffull : (1ull << len) - 1;
    return pos < 32 ? static_cast<u32>(ones << pos) : 0;
}
/// Sign- or zero-extends the low `n` bits.
template <class T>
ALWAYS_INLINE T szext(T a, u32 n, bool wrap) {
    const u32 len = wrap ? n & 31 : n;
    if (len >= 32) return a;
    if (len == 0) return T(0);
    return static_cast<T>(static_cast<T>(static_cast<u32>(a) << (32 - len)) >> (32 - len));
}
/// The offset-th set bit of `mask` from `base`, up for a positive offset and down for a negative one.
inline u32 find_nth_set(u32 mask, u32 base, s32 offset) {
    if (base > 31) return ~0u;
    if (offset == 0) return mask >> base & 1 ? base : ~0u;
    const s32 step = offset < 0 ? -1 : 1;
    s32 left = offset < 0 ? -offset : offset;
    for (s32 p = static_cast<s32>(base); p >= 0 && p < 32; p += step)
        if ((mask >> p & 1) && --left == 0) return static_cast<u32>(p);
    return ~0u;
}
ALWAYS_INLINE u32 lop3(u32 a, u32 b, u32 c, u32 table) {
    u32 r = 0;
    if (table & 0x01) r |= ~a & ~b & ~c;
    if (table & 0x02) r |= ~a & ~b & c;
    if (table & 0x04) r |= ~a & b & ~c;
    if (table & 0x08) r |= ~a & b & c;
    if (table & 0x10) r |= a & ~b & ~c;
    if (table & 0x20) r |= a & ~b & c;
    if (table & 0x40) r |= a & b & ~c;
    if (table & 0x80) r |= a & b & c;
    return r;
}
ALWAYS_INLINE u32 permute(u32 a, u32 b, u32 selector) {
    const u64 source = u64{b} << 32 | a;
    u32 result = 0;
    for (int n = 0; n < 4; ++n) {
        const u32 s = selector >> 4 * n;
        const u32 byte = static_cast<u32>(source >> 8 * (s & 7)) & 0xffu;
        const u32 value = s & 8 ? (byte & 0x80u ? 0xffu : 0u) : byte;
        result |= value << 8 * n;
    }
    return result;
}
enum PermuteMode : u32 { F4e = 1, B4e, Rc8, Ecl, Ecr, Rc16 };
ALWAYS_INLINE u32 permute_mode(u32 a, u32 b, u32 c, u32 mode) {
    const u32 n = c & 3;
    u32 selector = 0;
    for (u32 k = 0; k < 4; ++k) {
        const u32 pick = mode == F4e ? n + k : mode == B4e ? (n - k) & 7 : mode == Rc8 ? n : mode == Ecl ? (k > n ? k : n)
                       : mode == Ecr ? (k < n ? k : n) : (n & 1) * 2 + (k & 1);
        selector |= pick << 4 * k;
    }
    return permute(a, b, selector);
}
template <class A, class B>
ALWAYS_INLINE u32 dot4(u32 a, u32 b, u32 c) {
    for (int n = 0; n < 32; n += 8)
        c += static_cast<u32>(s32{static_cast<A>(static_cast<u8>(a >> n))} * s32{static_cast<B>(static_cast<u8>(b >> n))});
    return c;
}
template <class A, class B>
ALWAYS_INLINE u32 dot2(u32 a, u32 b, u32 c, u32 high) {
    b >>= 16 * high;
    for (int n = 0; n < 2; ++n)
        c += static_cast<u32>(s32{static_cast<A>(static_cast<u16>(a >> 16 * n))} * s32{static_cast<B>(static_cast<u8>(b >> 8 * n))});
    return c;
}
/// |a - b| in each of N parts, clamped to `limit`; `add`: their sum, plus c.
template <int N, class A, class B>
ALWAYS_INLINE u32 video_difference(u32 a, u32 b, u32 limit, u32 c, bool add) {
    constexpr int width = 32 / N;
    constexpr u32 mask = width == 8 ? 0xffu : 0xffffu;
    u32 packed = 0, sum = c;
    for (int n = 0; n < 32; n += width) {
        const s32 d = s32{static_cast<A>(a >> n)} - s32{static_cast<B>(b >> n)};
        const u32 magnitude = static_cast<u32>(d < 0 ? -d : d);
        packed |= (min32(magnitude, limit) & mask) << n;
        sum += magnitude;
    }
    return add ? sum : packed;
}
template <class T, class U>
ALWAYS_INLINE U difference(T a, T b) { return a < b ? U(U(b) - U(a)) : U(U(a) - U(b)); }

}  // namespace
}  // namespace cpu::exec
