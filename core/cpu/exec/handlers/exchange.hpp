#pragma once
// Instructions that exchange values between the lanes of a warp. Each lane first puts its value into w.exchange; when
// all named lanes have arrived (w.group), every group of waiting lanes, at whatever pc, runs its instruction.

#include "exec/handlers/lanes.hpp"

namespace cpu::exec {
namespace {

ALWAYS_INLINE void nothing_brought(Warp&, const Insn&) {}

template <class T>
void bring(Warp& w, const Insn& i) {
    const T* a = reg<T>(w, i.op[2]);
    for (int l = 0; l < 32; ++l) w.exchange[l] = active<u64>(w.mask, l) ? a[l] : w.exchange[l];
}
inline void bring_predicate(Warp& w, const Insn& i) {
    const u32 p = pred(w, i.op[2]);
    each_active(w.mask, [&](int l) { w.exchange[l] = p >> l & 1; });
}
ALWAYS_INLINE u32 brought(const Warp& w) {
    u32 bits = 0;
    for (int l = 0; l < 32; ++l) bits |= w.exchange[l] ? lane_bit[l] : 0;
    return bits & w.group;
}

enum class Shuffle { Up, Down, Butterfly, Index };

/// op[0] value, op[1] predicate "in range" (or absent), op[3] lane, op[4] clamp and segment.
template <Shuffle S>
void shuffle(Warp& w, const Insn& i) {
    u32* d = reg<u32>(w, i.op[0]);
    const u32* b = reg<u32>(w, i.op[3]);
    const u32* c = reg<u32>(w, i.op[4]);
    u32 in_range = 0;
    alignas(64) u32 result[32];
    for (u32 l = 0; l < 32; ++l) {
        const u32 segment = c[l] >> 8 & 31, clamp = c[l] & 31, by = b[l] & 31;
        const u32 last = (l & segment) | (clamp & ~segment);
        const u32 j = S == Shuffle::Up          ? l - by
                      : S == Shuffle::Down      ? l + by
                      : S == Shuffle::Butterfly ? l ^ by
                                                : (l & segment) | (by & ~segment);
        const bool in = S == Shuffle::Up ? static_cast<s32>(j) >= static_cast<s32>(last) : j <= last;
        const u32 source = in && (w.group & lane_bit[j & 31]) ? j & 31 : l;
        in_range |= in ? lane_bit[l] : 0;
        result[l] = static_cast<u32>(w.exchange[source]);
    }
    for (int l = 0; l < 32; ++l) put<false, u32>(d, w.mask, l, result[l]);
    if (i.op[1] != no_operand) set_pred<false>(w, i.op[1], in_range);
}

inline void vote_all(Warp& w, const Insn& i) {
    set_pred<false>(w, i.op[0], brought(w) == w.group ? ~0u : 0u);
}
inline void vote_any(Warp& w, const Insn& i) {
    set_pred<false>(w, i.op[0], brought(w) ? ~0u : 0u);
}
inline void vote_uniform(Warp& w, const Insn& i) {
    const u32 bits = brought(w);
    set_pred<false>(w, i.op[0], bits == 0 || bits == w.group ? ~0u : 0u);
}
inline void put_all(Warp& w, u32 operand, u32 value) {
    u32* d = reg<u32>(w, operand);
    for (int l = 0; l < 32; ++l) put<false, u32>(d, w.mask, l, value);
}
inline void vote_ballot(Warp& w, const Insn& i) {
    put_all(w, i.op[0], brought(w));
}

inline void match_any(Warp& w, const Insn& i) {
    u32* d = reg<u32>(w, i.op[0]);
    each_active(w.mask, [&](int l) {
        u32 same = 0;
        for (int k = 0; k < 32; ++k) same |= w.exchange[k] == w.exchange[l] ? lane_bit[k] : 0;
        d[l] = same & w.group;
    });
}
inline void match_all(Warp& w, const Insn& i) {
    const int first = __builtin_ctz(w.group);
    u32 same = 0;
    for (int k = 0; k < 32; ++k) same |= w.exchange[k] == w.exchange[first] ? lane_bit[k] : 0;
    const bool all = (same & w.group) == w.group;
    put_all(w, i.op[0], all ? w.group : 0);
    if (i.op[1] != no_operand) set_pred<false>(w, i.op[1], all ? ~0u : 0u);
}
enum class Reduction { Sum, Least, Greatest, And, Or, Xor };
template <Reduction R, class T>
ALWAYS_INLINE T reduced(T a, T b) {
    switch (R) {
        case Reduction::Sum:
            return a + b;
        case Reduction::Least:
            return a < b ? a : b;
        case Reduction::Greatest:
            return a < b ? b : a;
        case Reduction::And:
            return a & b;
        case Reduction::Or:
            return a | b;
        case Reduction::Xor:
            return a ^ b;
    }
}
template <class T, Reduction R>
void reduce(Warp& w, const Insn& i) {
    T value = 0;
    bool first = true;
    each_active(w.group, [&](int l) {
        const T brought_value = static_cast<T>(w.exchange[l]);
        value = first ? brought_value : reduced<R>(value, brought_value);
        first = false;
    });
    put_all(w, i.op[0], static_cast<u32>(value));
}
/// op[0] the leader's lane (or absent), op[1] true in the leader.
inline void elect(Warp& w, const Insn& i) {
    const u32 leader = static_cast<u32>(__builtin_ctz(w.group));
    if (i.op[0] != no_operand) put_all(w, i.op[0], leader);
    if (i.op[1] != no_operand) set_pred<false>(w, i.op[1], 1u << leader);
}
template <bool All>
void active_mask(Warp& w, const Insn& i) {
    put_all(w, i.op[0], w.mask);
}

}  // namespace
}  // namespace cpu::exec
