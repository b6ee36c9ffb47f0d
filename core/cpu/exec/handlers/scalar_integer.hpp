#pragma once
// Integer and bit operations of one lane. Included by each instruction set's file.

#include "exec/handlers/lanes.hpp"

namespace cpu::exec {
namespace {

ALWAYS_INLINE u16 mul_hi(u16 a, u16 b) {
    return static_cast<u16>(u32{a} * b >> 16);
}
ALWAYS_INLINE s16 mul_hi(s16 a, s16 b) {
    return static_cast<s16>(s32{a} * b >> 16);
}
ALWAYS_INLINE u32 mul_hi(u32 a, u32 b) {
    return static_cast<u32>(u64{a} * b >> 32);
}
ALWAYS_INLINE s32 mul_hi(s32 a, s32 b) {
    return static_cast<s32>(s64{a} * b >> 32);
}
ALWAYS_INLINE u64 mul_hi(u64 a, u64 b) {
    return static_cast<u64>(static_cast<u128>(a) * b >> 64);
}
ALWAYS_INLINE s64 mul_hi(s64 a, s64 b) {
    return static_cast<s64>(static_cast<s128>(a) * b >> 64);
}

/// Division by zero gives all ones, as on hardware; so does the remainder. MIN / -1 is MIN.
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
    if constexpr (T(-1) < T(0))
        return b == 0 ? T(-1) : b == T(-1) ? T(0) : static_cast<T>(a % b);
    else
        return b == 0 ? static_cast<T>(~T(0)) : static_cast<T>(a % b);
}

// Shift amounts of at least the register's width are clamped.
template <class T>
ALWAYS_INLINE T shl(T a, u32 n) {
    return n < 8 * sizeof(T) ? static_cast<T>(a << (n & 63)) : T(0);
}
template <class T>
ALWAYS_INLINE T shr(T a, u32 n) {
    constexpr u32 width = 8 * sizeof(T);
    if constexpr (T(-1) < T(0))
        return static_cast<T>(a >> (n < width ? n : width - 1));
    else
        return n < width ? static_cast<T>(a >> (n & 63)) : T(0);
}
ALWAYS_INLINE u32 funnel_left(u32 low, u32 high, u32 n) {
    return static_cast<u32>(((u64{high} << 32 | low) << (n & 63)) >> 32);
}
ALWAYS_INLINE u32 funnel_right(u32 low, u32 high, u32 n) {
    return static_cast<u32>((u64{high} << 32 | low) >> (n & 63));
}
ALWAYS_INLINE u32 min32(u32 a, u32 b) {
    return a < b ? a : b;
}

/// a and b, each saturated to `Bits` bits, below c, which is shifted up to make room.
template <int Bits, s32 Least, s32 Most>
ALWAYS_INLINE u32 pack_saturated(s32 a, s32 b, u32 c) {
    const auto saturated = [](s32 n) {
        return static_cast<u32>(n < Least ? Least : n > Most ? Most : n) & ((1u << Bits) - 1);
    };
    return saturated(b) | saturated(a) << Bits | (Bits < 16 ? c << (2 * Bits & 31) : 0);
}
template <class T>
ALWAYS_INLINE Carried<T> add_carrying(T a, T b, T in) {
    const T sum = a + b + in;
    return {sum, in ? sum <= a : sum < a};
}
ALWAYS_INLINE u32 popc(u32 a) {
    return static_cast<u32>(__builtin_popcount(a));
}
ALWAYS_INLINE u32 popc(u64 a) {
    return static_cast<u32>(__builtin_popcountll(a));
}
ALWAYS_INLINE u32 clz(u32 a) {
    return a ? static_cast<u32>(__builtin_clz(a)) : 32;
}
ALWAYS_INLINE u32 clz(u64 a) {
    return a ? static_cast<u32>(__builtin_clzll(a)) : 64;
}
ALWAYS_INLINE u32 brev(u32 a) {
    a = (a >> 1 & 0x55555555u) | (a & 0x55555555u) << 1;
    a = (a >> 2 & 0x33333333u) | (a & 0x33333333u) << 2;
    a = (a >> 4 & 0x0f0f0f0fu) | (a & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(a);
}
ALWAYS_INLINE u64 brev(u64 a) {
    return static_cast<u64>(brev(static_cast<u32>(a))) << 32 | brev(static_cast<u32>(a >> 32));
}
/// The position of the highest bit that differs from the sign; ~0 if there is none.
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
/// Position and length are taken modulo 256 for 32 bits, and clamped to 255 for 64 bits.
template <class U>
ALWAYS_INLINE u32 field_operand(u32 n) {
    return sizeof(U) == 8 ? min32(n, 255) : n & 0xff;
}
/// Bits [pos, pos+len) of a. For signed types, sign-extended from the field's top bit, or the register's if that is
/// lower.
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
/// The offset-th set bit of `mask`, counted upwards from `base` for a positive offset and downwards for a negative one;
/// for offset 0, `base` if it is set. ~0: there is none.
inline u32 find_nth_set(u32 mask, u32 base, s32 offset) {
    if (base > 31) return ~0u;
    if (offset == 0) return mask >> base & 1 ? base : ~0u;
    const s32 step = offset < 0 ? -1 : 1;
    u32 left = offset < 0 ? 0u - static_cast<u32>(offset) : static_cast<u32>(offset);
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
        const u32 pick = mode == F4e   ? n + k
                         : mode == B4e ? (n - k) & 7
                         : mode == Rc8 ? n
                         : mode == Ecl ? (k > n ? k : n)
                         : mode == Ecr ? (k < n ? k : n)
                                       : (n & 1) * 2 + (k & 1);
        selector |= pick << 4 * k;
    }
    return permute(a, b, selector);
}
template <class A, class B>
ALWAYS_INLINE u32 dot4(u32 a, u32 b, u32 c) {
    for (int n = 0; n < 32; n += 8)
        c += static_cast<u32>(s32{static_cast<A>(static_cast<u8>(a >> n))} *
                              s32{static_cast<B>(static_cast<u8>(b >> n))});
    return c;
}
template <class A, class B>
ALWAYS_INLINE u32 dot2(u32 a, u32 b, u32 c, u32 high) {
    b >>= 16 * high;
    for (int n = 0; n < 2; ++n)
        c += static_cast<u32>(s32{static_cast<A>(static_cast<u16>(a >> 16 * n))} *
                              s32{static_cast<B>(static_cast<u8>(b >> 8 * n))});
    return c;
}
template <class T, class U>
ALWAYS_INLINE U difference(T a, T b) {
    return a < b ? U(U(b) - U(a)) : U(U(a) - U(b));
}

}  // namespace
}  // namespace cpu::exec
