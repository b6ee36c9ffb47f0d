#pragma once
// Included by each instruction set's file.
// Everything here lives in an unnamed namespace, so that no AVX copy can be linked into the baseline.

#include "exec/vectors.hpp"
#include "exec/warp.hpp"

namespace cpu::exec {
namespace {

/// Half precision values are carried as their bits.
struct f16 {
    u16 bits;
};
struct bf16 {
    u16 bits;
};

alignas(64) constexpr u32 lane_bit[32] = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,  1u << 8,  1u << 9,  1u << 10,
    1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21,
    1u << 22, 1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};
alignas(64) constexpr u64 lane_bit64[32] = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,  1u << 8,  1u << 9,  1u << 10,
    1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21,
    1u << 22, 1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};

// A register holds 32 bits a lane, or 64, or 128. Narrower values are kept extended as their sign says, because a
// narrow result may go to a wider register; who reads a narrow value cuts it off again.
template <class T, bool Narrow = (sizeof(T) < 4)>
struct Store {
    using type = T;
};
template <class T>
struct Store<T, true> {
    using type = u32;
};
template <class T>
using Stored = typename Store<T>::type;

template <class T>
ALWAYS_INLINE T from(Stored<T> word) {
    if constexpr (sizeof(T) == 1)
        return __builtin_bit_cast(T, static_cast<u8>(word));
    else if constexpr (sizeof(T) == 2)
        return __builtin_bit_cast(T, static_cast<u16>(word));
    else
        return word;
}
template <class T>
ALWAYS_INLINE Stored<T> to(T value) {
    if constexpr (__is_same(T, s8) || __is_same(T, s16))
        return static_cast<u32>(static_cast<s32>(value));
    else if constexpr (sizeof(T) == 1)
        return __builtin_bit_cast(u8, value);
    else if constexpr (sizeof(T) == 2)
        return __builtin_bit_cast(u16, value);
    else
        return value;
}

ALWAYS_INLINE std::byte* at(const Warp& w, u32 operand) {
    return w.bank[operand & 1] + operand;
}
template <class T>
ALWAYS_INLINE Stored<T>* reg(const Warp& w, u32 operand) {
    return static_cast<Stored<T>*>(__builtin_assume_aligned(at(w, operand), 64));
}
ALWAYS_INLINE u32 pred(const Warp& w, u32 operand) {
    return *reinterpret_cast<const u32*>(at(w, operand));
}

template <bool All>
ALWAYS_INLINE void set_pred(const Warp& w, u32 operand, u32 value) {
    u32& p = *reinterpret_cast<u32*>(at(w, operand));
    p = All ? value : (p & ~w.mask) | (value & w.mask);
}

/// Is lane l active? In the width of the destination, so that the blend needs no conversion.
template <class D>
ALWAYS_INLINE bool active(u32 mask, int l) {
    if constexpr (sizeof(Stored<D>) == 8)
        return (u64{mask} & lane_bit64[l]) != 0;
    else
        return (mask & lane_bit[l]) != 0;
}

template <bool All, class D>
ALWAYS_INLINE void put(Stored<D>* d, u32 mask, int l, D value) {
    d[l] = All || active<D>(mask, l) ? to<D>(value) : d[l];
}

/// d = f(a...) in every active lane, as one loop that the compiler turns into vector code.
template <bool All, class D, class... S, class F>
ALWAYS_INLINE void each(const Warp& w, u32 d, F f, const Stored<S>*... s) {
    Stored<D>* out = reg<D>(w, d);
    const u32 mask = w.mask;
#pragma GCC ivdep
    for (int l = 0; l < 32; ++l) put<All, D>(out, mask, l, f(from<S>(s[l])...));
}

/// The same where f is a call or must not see the values of inactive lanes.
template <class F>
ALWAYS_INLINE void each_active(u32 mask, F f) {
    for (; mask; mask &= mask - 1) f(__builtin_ctz(mask));
}

/// One bit a lane from 32 words that are 0 or ~0.
ALWAYS_INLINE u32 pack_bits(const u32* words) {
#if defined(__AVX512F__)
    const __mmask16 low = _mm512_test_epi32_mask(_mm512_load_si512(words), _mm512_set1_epi32(-1));
    const __mmask16 high = _mm512_test_epi32_mask(_mm512_load_si512(words + 16), _mm512_set1_epi32(-1));
    return static_cast<u32>(low) | static_cast<u32>(high) << 16;
#elif defined(__AVX__)
    u32 bits = 0;
    for (int i = 0; i < 4; ++i)
        bits |= static_cast<u32>(_mm256_movemask_ps(_mm256_load_ps(reinterpret_cast<const float*>(words) + 8 * i)))
                << 8 * i;
    return bits;
#elif defined(__SSE2__)
    u32 bits = 0;
    const __m128i* v = reinterpret_cast<const __m128i*>(words);
    for (int i = 0; i < 2; ++i, v += 4) {
        const __m128i low = _mm_packs_epi32(_mm_load_si128(v), _mm_load_si128(v + 1));
        const __m128i high = _mm_packs_epi32(_mm_load_si128(v + 2), _mm_load_si128(v + 3));
        bits |= static_cast<u32>(_mm_movemask_epi8(_mm_packs_epi16(low, high))) << 16 * i;
    }
    return bits;
#else
    u32 bits = 0;
    for (int l = 0; l < 32; ++l) bits |= words[l] & lane_bit[l];
    return bits;
#endif
}

// One template a shape of row in ops.def. `some` and `all` differ in All only.

template <bool All, class D, class A, class F>
void unary(Warp& w, const Insn& i) {
    each<All, D, A>(w, i.op[0], F{}, reg<A>(w, i.op[1]));
}
template <bool All, class D, class A, class B, class F>
void binary(Warp& w, const Insn& i) {
    each<All, D, A, B>(w, i.op[0], F{}, reg<A>(w, i.op[1]), reg<B>(w, i.op[2]));
}
template <bool All, class D, class A, class B, class C, class F>
void ternary(Warp& w, const Insn& i) {
    each<All, D, A, B, C>(w, i.op[0], F{}, reg<A>(w, i.op[1]), reg<B>(w, i.op[2]), reg<C>(w, i.op[3]));
}
template <bool All, class D, class A, class B, class C, class E, class F>
void quaternary(Warp& w, const Insn& i) {
    each<All, D, A, B, C, E>(w, i.op[0], F{}, reg<A>(w, i.op[1]), reg<B>(w, i.op[2]), reg<C>(w, i.op[3]),
                             reg<E>(w, i.op[4]));
}
/// As ternary; F also gets the instruction's aux (a look-up table, a mode).
template <bool All, class D, class A, class B, class C, class F>
void ternary_aux(Warp& w, const Insn& i) {
    const u32 aux = i.aux;
    each<All, D, A, B, C>(
        w, i.op[0], [aux](A a, B b, C c) { return F{}(a, b, c, aux); }, reg<A>(w, i.op[1]), reg<B>(w, i.op[2]),
        reg<C>(w, i.op[3]));
}

/// p = f(a, b)
template <bool All, class A, class B, class F>
void compare(Warp& w, const Insn& i) {
    alignas(64) u32 truth[32];
    const Stored<A>* a = reg<A>(w, i.op[1]);
    const Stored<B>* b = reg<B>(w, i.op[2]);
    for (int l = 0; l < 32; ++l) truth[l] = F{}(from<A>(a[l]), from<B>(b[l])) ? ~0u : 0u;
    set_pred<All>(w, i.op[0], pack_bits(truth));
}
/// p = f(a)
template <bool All, class A, class F>
void test(Warp& w, const Insn& i) {
    alignas(64) u32 truth[32];
    const Stored<A>* a = reg<A>(w, i.op[1]);
    for (int l = 0; l < 32; ++l) truth[l] = F{}(from<A>(a[l])) ? ~0u : 0u;
    set_pred<All>(w, i.op[0], pack_bits(truth));
}
/// p = f(q, r): all lanes in one word.
template <bool All, class F>
void logic(Warp& w, const Insn& i) {
    set_pred<All>(w, i.op[0], F{}(pred(w, i.op[1]), pred(w, i.op[2])));
}
/// d = p ? a : b
template <bool All, class T>
void select(Warp& w, const Insn& i) {
    const u32 p = pred(w, i.op[3]);
    Stored<T>* d = reg<T>(w, i.op[0]);
    const Stored<T>* a = reg<T>(w, i.op[1]);
    const Stored<T>* b = reg<T>(w, i.op[2]);
    const u32 mask = w.mask;
#pragma GCC ivdep
    for (int l = 0; l < 32; ++l) put<All, T>(d, mask, l, from<T>(active<T>(p, l) ? a[l] : b[l]));
}

/// d, carry-out = f(a, b, c, carry-in): op[4] is the carry register. F returns the carry and sets the result.
template <bool All, class T, bool Out, class F>
void carry(Warp& w, const Insn& i) {
    alignas(64) u32 carried[32];
    const u32 in = pred(w, i.op[4]);
    T* d = reg<T>(w, i.op[0]);
    const T* a = reg<T>(w, i.op[1]);
    const T* b = reg<T>(w, i.op[2]);
    const T* c = reg<T>(w, i.op[3]);
    const u32 mask = w.mask;
#pragma GCC ivdep
    for (int l = 0; l < 32; ++l) {
        T result;
        carried[l] = F{}(a[l], b[l], c[l], static_cast<T>(active<u32>(in, l) ? 1 : 0), result) ? ~0u : 0u;
        put<All, T>(d, mask, l, result);
    }
    if constexpr (Out) set_pred<All>(w, i.op[4], pack_bits(carried));
}

/// {d, e} = halves of a; a = {d, e}
template <bool All, class H, class T>
void unpack(Warp& w, const Insn& i) {
    Stored<H>* low = reg<H>(w, i.op[0]);
    Stored<H>* high = reg<H>(w, i.op[1]);
    const Stored<T>* a = reg<T>(w, i.op[2]);
    const u32 mask = w.mask;
#pragma GCC ivdep
    for (int l = 0; l < 32; ++l) {
        const T value = from<T>(a[l]);
        put<All, H>(low, mask, l, static_cast<H>(value));
        put<All, H>(high, mask, l, static_cast<H>(value >> 8 * sizeof(H)));
    }
}
template <bool All, class T, class H>
void pack(Warp& w, const Insn& i) {
    each<All, T, H, H>(
        w, i.op[0], [](H low, H high) { return static_cast<T>(low | T{high} << 8 * sizeof(H)); }, reg<H>(w, i.op[1]),
        reg<H>(w, i.op[2]));
}

/// Runs `inner` in the rounding mode that the instruction's aux gives (the two bits of MXCSR: 1 down, 2 up, 3 zero).
template <Handler Inner>
void rounded(Warp& w, const Insn& i) {
#if defined(__x86_64__)
    const u32 saved = _mm_getcsr();
    _mm_setcsr((saved & ~0x6000u) | static_cast<u32>(i.aux) << 13);
    asm volatile("" ::: "memory");
    Inner(w, i);
    asm volatile("" ::: "memory");
    _mm_setcsr(saved);
#else
#error "directed rounding needs this machine's floating-point control register"
#endif
}

}  // namespace
}  // namespace cpu::exec
