#pragma once
// Single and double precision of one lane, as PTX defines it, and conversions to integers. Included by each instruction
// set's file.

#include "exec/handlers/lanes.hpp"

namespace cpu::exec {
namespace {

template <class To, class From>
ALWAYS_INLINE To bits_as(From value) {
    return __builtin_bit_cast(To, value);
}

// --- single and double precision -------------------------------------------------------------------------------

/// The only NaN that single-precision operations return.
ALWAYS_INLINE f32 canonical(f32 x) {
    return x != x ? bits_as<f32>(0x7fffffffu) : x;
}
ALWAYS_INLINE f64 canonical(f64 x) {
    return x;
}
/// Double-precision operations pass on a NaN operand. Without one they return this NaN: x86 processors produce it
/// themselves; Arm's lacks the sign.
template <class... A>
ALWAYS_INLINE f64 with_our_nan(f64 result, [[maybe_unused]] A... operands) {
#if defined(__x86_64__)
    return result;
#else
    const bool passed_on = ((operands != operands) || ...);
    return result != result && !passed_on ? bits_as<f64>(0xfff8000000000000ull) : result;
#endif
}
ALWAYS_INLINE f32 ftz(f32 x) {
    const u32 b = bits_as<u32>(x);
    return bits_as<f32>((b & 0x7f800000u) ? b : b & 0x80000000u);
}
/// Clamp to [0, 1]; NaN gives +0.
ALWAYS_INLINE f32 sat(f32 x) {
    return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}
ALWAYS_INLINE f64 sat(f64 x) {
    return x > 0.0 ? (x < 1.0 ? x : 1.0) : 0.0;
}

ALWAYS_INLINE f32 fma(f32 a, f32 b, f32 c) {
    return __builtin_fmaf(a, b, c);
}
ALWAYS_INLINE f64 fma(f64 a, f64 b, f64 c) {
    return __builtin_fma(a, b, c);
}
ALWAYS_INLINE f32 absolute(f32 x) {
    return bits_as<f32>(bits_as<u32>(x) & 0x7fffffffu);
}
ALWAYS_INLINE f64 absolute(f64 x) {
    return bits_as<f64>(bits_as<u64>(x) & 0x7fffffffffffffffull);
}
ALWAYS_INLINE f32 negated(f32 x) {
    return bits_as<f32>(bits_as<u32>(x) ^ 0x80000000u);
}
ALWAYS_INLINE f64 negated(f64 x) {
    return bits_as<f64>(bits_as<u64>(x) ^ 0x8000000000000000ull);
}
ALWAYS_INLINE f32 copysign(f32 sign, f32 x) {
    return bits_as<f32>((bits_as<u32>(sign) & 0x80000000u) | (bits_as<u32>(x) & 0x7fffffffu));
}
ALWAYS_INLINE f64 copysign(f64 sign, f64 x) {
    return bits_as<f64>((bits_as<u64>(sign) & 0x8000000000000000ull) | (bits_as<u64>(x) & 0x7fffffffffffffffull));
}

/// A number takes precedence over a NaN, and +0 is greater than -0.
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
ALWAYS_INLINE f32 nan_or(f32 a, f32 b, f32 value) {
    return a != a || b != b ? bits_as<f32>(0x7fffffffu) : value;
}

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
    const s32 half = n >> 1;  // in two steps, so that subnormal results are right
    const f32 scaled = p * bits_as<f32>((half + 127) << 23) * bits_as<f32>((n - half + 127) << 23);
    return x != x ? bits_as<f32>(0x7fffffffu) : scaled;
}

ALWAYS_INLINE f32 log2_approx(f32 x) {
    const bool tiny = x < 1.17549435e-38f;
    const f32 scaled = tiny ? x * 16777216.0f : x;
    const u32 b = bits_as<u32>(scaled);
    const s32 e = static_cast<s32>(b - 0x3f3504f3u) >> 23;  // mantissa in [sqrt(1/2), sqrt(2))
    const f32 m = bits_as<f32>(b - (static_cast<u32>(e) << 23));
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
    const f64 cosine =
        1.0 - 0.5 * s + s * s * (4.166664568298827e-2 + s * (-1.388731625493765e-3 + s * 2.443315711809948e-5));
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
    return R == Nearest ? __builtin_rintf(x)
           : R == Zero  ? __builtin_truncf(x)
           : R == Down  ? __builtin_floorf(x)
                        : __builtin_ceilf(x);
}
template <Round R>
ALWAYS_INLINE f64 integral(f64 x) {
    return R == Nearest ? __builtin_rint(x)
           : R == Zero  ? __builtin_trunc(x)
           : R == Down  ? __builtin_floor(x)
                        : __builtin_ceil(x);
}

template <class T>
struct Limits;
template <>
struct Limits<u8> {
    static constexpr u8 low = 0, high = 0xff;
};
template <>
struct Limits<u16> {
    static constexpr u16 low = 0, high = 0xffff;
};
template <>
struct Limits<u32> {
    static constexpr u32 low = 0, high = ~0u;
};
template <>
struct Limits<u64> {
    static constexpr u64 low = 0, high = ~0ull;
};
template <>
struct Limits<s8> {
    static constexpr s8 low = -128, high = 127;
};
template <>
struct Limits<s16> {
    static constexpr s16 low = -32768, high = 32767;
};
template <>
struct Limits<s32> {
    static constexpr s32 low = -0x7fffffff - 1, high = 0x7fffffff;
};
template <>
struct Limits<s64> {
    static constexpr s64 low = -0x7fffffffffffffffll - 1, high = 0x7fffffffffffffffll;
};

/// Rounds towards zero; out-of-range values are clamped. NaN gives 0, or only the top bit set if a type has 64 bits.
template <class D, class A>
ALWAYS_INLINE D to_integer(A value) {
    constexpr bool zero_nan = sizeof(A) < 8 && sizeof(D) < 8;
    constexpr D nan = zero_nan ? D(0) : D(D(1) << (8 * sizeof(D) - 1));
    constexpr A above = A(Limits<D>::high / 2 + 1) * A(2);  // one more than the largest integer, exactly representable
    const A x = integral<Zero>(value);
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

}  // namespace
}  // namespace cpu::exec
