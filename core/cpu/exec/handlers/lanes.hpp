#pragma once
// Included by each instruction set's file.
// Everything is in an unnamed namespace, so that the linker cannot pick an AVX copy for the baseline.

#include <array>
#include <string_view>

#include "exec/handlers/vectors.hpp"
#include "exec/warp.hpp"

namespace cpu::exec {
namespace {

/// Half-precision values are represented by their bits.
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

// A register holds 32, 64 or 128 bits per lane. Narrower values are sign- or zero-extended, because a narrow result may
// go to a wider register; readers of a narrow value truncate it.
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

/// Nonzero if lane l is active, in the destination's width so that the blend needs no conversion.
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

/// Calls f(lane) for the lanes of `mask`; for an f that is a real call, or must not see the values of inactive lanes.
template <class F>
ALWAYS_INLINE void each_active(u32 mask, F f) {
    for (; mask; mask &= mask - 1) f(__builtin_ctz(mask));
}

/// Calls f(lane) for all lanes, or for those of `mask`.
template <bool All, class F>
ALWAYS_INLINE void each_lane(u32 mask, F f) {
    if constexpr (All)
        for (int l = 0; l < 32; ++l) f(l);
    else
        each_active(mask, f);
}

/// Packs 32 words, each 0 or ~0, into one bit per lane.
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
#elif defined(__ARM_NEON)
    // Eight lanes a byte: each word keeps its lane's bit, and a horizontal sum joins them.
    alignas(16) static constexpr u16 bit[8] = {1, 2, 4, 8, 16, 32, 64, 128};
    u32 bits = 0;
    for (int i = 0; i < 4; ++i, words += 8) {
        const uint16x8_t eight = vcombine_u16(vmovn_u32(vld1q_u32(words)), vmovn_u32(vld1q_u32(words + 4)));
        bits |= static_cast<u32>(vaddvq_u16(vandq_u16(eight, vld1q_u16(bit)))) << 8 * i;
    }
    return bits;
#else
    u32 bits = 0;
    for (int l = 0; l < 32; ++l) bits |= words[l] & lane_bit[l];
    return bits;
#endif
}

/// Implements a partial mask with the handler for full masks, and restores the old values of the inactive lanes: for
/// rows that are too rare to be compiled twice.
template <class D>
void blended(Warp& w, const Insn& i) {
    Stored<D>* d = reg<D>(w, i.op[0]);
    alignas(64) Stored<D> old[32];
    for (int l = 0; l < 32; ++l) old[l] = d[l];
    i.run[1](w, i);
    const u32 mask = w.mask;
#pragma GCC ivdep
    for (int l = 0; l < 32; ++l) d[l] = active<D>(mask, l) ? d[l] : old[l];
}

// --- types that the signatures of ops.def use, besides numbers

/// A predicate of all lanes, for rows that compute one word.
struct Lanes {
    u32 bits;
    ALWAYS_INLINE friend Lanes operator&(Lanes a, Lanes b) { return {a.bits & b.bits}; }
    ALWAYS_INLINE friend Lanes operator|(Lanes a, Lanes b) { return {a.bits | b.bits}; }
    ALWAYS_INLINE friend Lanes operator^(Lanes a, Lanes b) { return {a.bits ^ b.bits}; }
    ALWAYS_INLINE friend Lanes operator~(Lanes a) { return {~a.bits}; }
};
/// The carry of a lane, 0 or 1; always the last operand, a predicate.
enum Carry : u32 {};
/// A result, with the carry that it leaves in that operand.
template <class T>
struct Carried {
    T value;
    bool carry;
};
/// Two results in separate registers.
template <class T>
struct Pair {
    T first, second;
};
/// Insn::mode, such as a look-up table or a VideoMode.
enum Mode : u32 {};

/// The letters of Op::operands.
template <class T>
struct Letters {
    static constexpr std::string_view text = sizeof(T) == 16 ? "o" : sizeof(T) == 8 ? "q" : "w";
};
template <>
struct Letters<bool> {
    static constexpr std::string_view text = "p";
};
template <>
struct Letters<Lanes> : Letters<bool> {};
template <>
struct Letters<Carry> : Letters<bool> {};
template <>
struct Letters<Mode> {
    static constexpr std::string_view text = "";
};
template <class T>
struct Letters<Carried<T>> : Letters<T> {};
template <class T>
struct Letters<Pair<T>> {
    static constexpr char text[] = {Letters<T>::text[0], Letters<T>::text[0], 0};
};
template <class... T>
struct Operands {
    static constexpr std::array<char, 8> text = [] {
        std::array<char, 8> all{};
        std::size_t n = 0;
        const auto add = [&](std::string_view letters) {
            for (const char letter : letters) all[n++] = letter;
        };
        (add(Letters<T>::text), ...);
        return all;
    }();
};

/// An operand, for each warp of a group in turn. A constant is the same in all of them; that is handled without a
/// branch, because such a branch would be predicted badly.
class Operand {
public:
    ALWAYS_INLINE Operand(const Warp& w, const Insn& i, std::size_t n)
        : bytes_(at(w, i.op[n])), step_(w.register_bytes & ((i.op[n] & 1u) - 1u)) {}
    template <class T>
    ALWAYS_INLINE Stored<T>* lanes() const {
        return static_cast<Stored<T>*>(__builtin_assume_aligned(bytes_, 64));
    }
    ALWAYS_INLINE u32& predicate() const { return *reinterpret_cast<u32*>(bytes_); }
    ALWAYS_INLINE void next_warp() { bytes_ += step_; }

private:
    std::byte* bytes_;
    std::ptrdiff_t step_;
};

/// Operand n of a row's function; of(lane) for a row whose result is D.
template <class S>
struct Source : Operand {
    using Operand::Operand;
    template <class D>
    ALWAYS_INLINE S of(int l) const {
        return from<S>(lanes<S>()[l]);
    }
};
template <>
struct Source<bool> : Operand {
    using Operand::Operand;
    template <class D>
    ALWAYS_INLINE bool of(int l) const {
        return active<D>(predicate(), l);
    }
};
template <>
struct Source<Carry> : Source<bool> {
    using Source<bool>::Source;
    template <class D>
    ALWAYS_INLINE Carry of(int l) const {
        return Source<bool>::of<u32>(l) ? Carry{1} : Carry{0};
    }
};
template <>
struct Source<Mode> {
    Mode mode;
    ALWAYS_INLINE Source(const Warp&, const Insn& i, std::size_t) : mode{i.mode} {}
    template <class D>
    ALWAYS_INLINE Mode of(int) const {
        return mode;
    }
    ALWAYS_INLINE void next_warp() {}
};

// --- the handlers of a row: one template for each kind of result. With all lanes active, they work for a whole group
// of warps.

/// Calls loop(f) for each of the warps, where f(lane) is the result of a row whose sources begin at op[first]; then
/// next().
template <bool Group, std::size_t First, class F, class D, class... S, class Loop, class Next>
ALWAYS_INLINE void compute(const Warp& w, const Insn& i, Loop loop, Next next) {
    const auto run = [&](auto... source) __attribute__((always_inline)) {
        for (u32 warps = Group ? w.together : 1;;) {
            loop([=](int l) __attribute__((always_inline)) { return F{}(source.template of<D>(l)...); });
            if (--warps == 0) break;
            (source.next_warp(), ...);
            next();
        }
    };
    [&]<std::size_t... N>(std::index_sequence<N...>)
        __attribute__((always_inline)) { run(Source<S>(w, i, First + N)...); }(std::index_sequence_for<S...>{});
}

/// d = f(a, b, ...), as one loop that the compiler turns into vector code.
template <bool All, class F, class D, class... S>
void lanewise(Warp& w, const Insn& i) {
    Operand target(w, i, 0);
    const u32 mask = w.mask;
    const auto loop = [&](auto f) __attribute__((always_inline)) {
        Stored<D>* d = target.lanes<D>();
#pragma GCC ivdep
        for (int l = 0; l < 32; ++l) put<All, D>(d, mask, l, f(l));
    };
    compute<All, 1, F, D, S...>(w, i, loop, [&]() __attribute__((always_inline)) { target.next_warp(); });
}
/// d, e = f(a)
template <bool All, class F, class D, class S>
void pairwise(Warp& w, const Insn& i) {
    Operand first(w, i, 0), second(w, i, 1);
    const u32 mask = w.mask;
    const auto loop = [&](auto f) __attribute__((always_inline)) {
        Stored<D>*d = first.lanes<D>(), *e = second.lanes<D>();
#pragma GCC ivdep
        for (int l = 0; l < 32; ++l) {
            const Pair<D> both = f(l);
            put<All, D>(d, mask, l, both.first);
            put<All, D>(e, mask, l, both.second);
        }
    };
    compute<All, 2, F, D, S>(w, i, loop,
                             [&]() __attribute__((always_inline)) { first.next_warp(), second.next_warp(); });
}

/// p = f(a, b, ...)
template <class F, class... S>
void compare(Warp& w, const Insn& i) {
    Operand target(w, i, 0);
    const auto loop = [&](auto f) __attribute__((always_inline)) {
        alignas(64) u32 truth[32];
        for (int l = 0; l < 32; ++l) truth[l] = f(l) ? ~0u : 0u;
        target.predicate() = pack_bits(truth);
    };
    compute<true, 1, F, u32, S...>(w, i, loop, [&]() __attribute__((always_inline)) { target.next_warp(); });
}
/// For a partial mask: one more word operation than the handler for full masks.
inline void compare_some(Warp& w, const Insn& i) {
    const u32 old = pred(w, i.op[0]);
    i.run[1](w, i);
    set_pred<true>(w, i.op[0], (old & ~w.mask) | (pred(w, i.op[0]) & w.mask));
}
/// p = f(q, r): all lanes in one word operation.
template <bool All, class F>
void logic(Warp& w, const Insn& i) {
    Operand p(w, i, 0), q(w, i, 1), r(w, i, 2);
    for (u32 warps = All ? w.together : 1;;) {
        const u32 bits = F{}(Lanes{q.predicate()}, Lanes{r.predicate()}).bits;
        p.predicate() = All ? bits : (p.predicate() & ~w.mask) | (bits & w.mask);
        if (--warps == 0) break;
        p.next_warp(), q.next_warp(), r.next_warp();
    }
}

/// d, carry = f(a, b, c, carry)
template <class F, class D, class... S>
void carry(Warp& w, const Insn& i) {
    Operand target(w, i, 0), flag(w, i, sizeof...(S));
    const auto loop = [&](auto f) __attribute__((always_inline)) {
        alignas(64) u32 carried[32];
        D* d = target.lanes<D>();
#pragma GCC ivdep
        for (int l = 0; l < 32; ++l) {
            const Carried<D> result = f(l);
            d[l] = result.value;
            carried[l] = result.carry ? ~0u : 0u;
        }
        flag.predicate() = pack_bits(carried);
    };
    compute<true, 1, F, D, S...>(w, i, loop,
                                 [&]() __attribute__((always_inline)) { target.next_warp(), flag.next_warp(); });
}
template <class D, std::size_t CarryOperand>
void blended_carry(Warp& w, const Insn& i) {
    const u32 old = pred(w, i.op[CarryOperand]);
    blended<D>(w, i);
    set_pred<true>(w, i.op[CarryOperand], (old & ~w.mask) | (pred(w, i.op[CarryOperand]) & w.mask));
}

}  // namespace
}  // namespace cpu::exec
