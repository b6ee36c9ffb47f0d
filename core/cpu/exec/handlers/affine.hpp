#pragma once
// Values that all lanes share, or that are evenly spaced over the lanes: computed once for a group of warps. Included
// by each instruction set's file. All lanes are active in these handlers; w is the first of w.together warps.

#include "exec/handlers/access.hpp"

namespace cpu::exec {
namespace {

ALWAYS_INLINE Affine& affine_at(const Warp& w, u32 operand) {
    return *reinterpret_cast<Affine*>(at(w, operand));
}
/// The value in lane column + 16 * row of the n-th warp.
template <class T>
ALWAYS_INLINE T lane_value(const Affine& a, u64 column, u64 row, u64 n) {
    return static_cast<T>(a.base + column * a.low + row * a.high + n * a.step);
}
template <class T>
ALWAYS_INLINE bool is_uniform(const Affine& a) {
    return static_cast<T>(a.low | a.high | a.step) == 0;
}
/// The value for the n-th warp.
ALWAYS_INLINE Affine of_warp(const Affine& a, u64 n) {
    return {a.base + n * a.step, a.low, a.high, 0};
}

/// Writes the values of all lanes, plus an offset, to `out`.
template <class T>
ALWAYS_INLINE void expand(const Affine& a, T* out, T offset = 0) {
    constexpr int lanes = vector_lanes<T>;
    const T* column = distances<T>.rows[1];
    const Vector<T> first = load_vector(column) * static_cast<T>(a.low) + (static_cast<T>(a.base) + offset);
    for (int l = 0; l < 32; l += lanes)
        store_vector(out + l,
                     first + static_cast<T>(a.low * static_cast<u64>(l % 16) + a.high * static_cast<u64>(l / 16)));
}

/// True for values like indices: small upward steps, far from wrapping around. They then keep their values in more
/// bits, and lane 31 of the last warp has the greatest: no group has more than 32 warps.
template <class T>
ALWAYS_INLINE bool is_index_like(const Affine& a) {
    using U = std::make_unsigned_t<T>;
    constexpr int bits = 8 * sizeof(T);
    constexpr U far = U{1} << (bits - 2), below = std::is_signed_v<T> ? far : 0;
    constexpr U step = U{1} << (bits - 8);
    return static_cast<U>(a.base + below) < far + below && static_cast<U>(a.low) < step &&
           static_cast<U>(a.high) < step && static_cast<U>(a.step) < step;
}

/// True if the values are also evenly spaced as 64-bit integers: the smallest and the largest, extrapolated from the
/// first ones, lie in T's range.
template <class T>
[[gnu::noinline]] bool extends_slowly(const Affine& a, u32 warps) {
    const s64 first = static_cast<s64>(lane_value<T>(a, 0, 0, 0));
    s64 min = first, max = first;
    const auto reach = [&](T next, s64 steps) {
        const s64 distance = (static_cast<s64>(next) - first) * steps;
        (distance < 0 ? min : max) += distance;
    };
    reach(lane_value<T>(a, 1, 0, 0), 15);
    reach(lane_value<T>(a, 0, 1, 0), 1);
    if (warps > 1) reach(lane_value<T>(a, 0, 0, 1), warps - 1);
    return static_cast<s64>(static_cast<T>(min)) == min && static_cast<s64>(static_cast<T>(max)) == max;
}
template <class T>
ALWAYS_INLINE bool extends(const Affine& a, u32 warps) {
    return sizeof(T) == 8 || is_index_like<T>(a) || extends_slowly<T>(a, warps);
}

/// Also writes the result's value for each lane.
template <class D>
[[gnu::noinline]] void expand_result(Warp& w, const Insn& i) {
    for (u32 n = 0; n < w.together; ++n) expand(of_warp(affine_at(w, i.op[0]), n), reg<D>((&w)[n], i.op[5]));
}
template <class D>
ALWAYS_INLINE void put_affine(Warp& w, const Insn& i, const Affine& value) {
    affine_at(w, i.op[0]) = value;
    if (i.op[5] != no_operand) expand_result<D>(w, i);
}

/// d = f(a, b, ...) where each source is equal in all lanes. op[5]: where to write the lanes' values, too, or
/// no_operand.
template <class F, class D, class... S>
void uniform(Warp& w, const Insn& i) {
    const auto run = [&]<std::size_t... N>(std::index_sequence<N...>) {
        return F{}(static_cast<S>(affine_at(w, i.op[N + 1]).base)...);
    };
    put_affine<std::make_unsigned_t<D>>(w, i, {static_cast<u64>(run(std::index_sequence_for<S...>{})), 0, 0, 0});
}

/// The same for evenly spaced sources whose results are evenly spaced: four lanes determine it. If the extension of 32
/// bits to 64 wraps around, only sets w.wrapped.
template <class F, class D, class... S>
void affine(Warp& w, const Insn& i) {
    const auto run = [&]<std::size_t... N>(std::index_sequence<N...>) {
        if (sizeof(D) == 8 && !(extends<S>(affine_at(w, i.op[N + 1]), w.together) && ...)) {
            w.wrapped = true;
            return;
        }
        const auto value = [&](u64 column, u64 row, u64 n) {
            return static_cast<u64>(D{F{}(lane_value<S>(affine_at(w, i.op[N + 1]), column, row, n)...)});
        };
        const u64 base = value(0, 0, 0);
        put_affine<std::make_unsigned_t<D>>(
            w, i, {base, value(1, 0, 0) - base, value(0, 1, 0) - base, value(0, 0, 1) - base});
    };
    run(std::index_sequence_for<S...>{});
}

/// The same if the result need not be evenly spaced, such as a thread's position in a row: checks every lane. If it is
/// not evenly spaced, only sets w.wrapped.
template <class F, class D, class S, class Amount>
void part_of_number(Warp& w, const Insn& i) {
    using U = std::make_unsigned_t<D>;
    const Affine& a = affine_at(w, i.op[1]);
    const Amount amount = static_cast<Amount>(affine_at(w, i.op[2]).base);
    const auto value = [&](u64 column, u64 row, u64 n) {
        return static_cast<u64>(D{F{}(lane_value<S>(a, column, row, n), amount)});
    };
    const u64 base = value(0, 0, 0);
    const Affine result{base, value(1, 0, 0) - base, value(0, 1, 0) - base, value(0, 0, 1) - base};
    alignas(64) std::make_unsigned_t<S> from[32];
    alignas(64) U expected[32];
    for (u32 n = 0; n < w.together; ++n) {
        expand(of_warp(a, n), from);
        expand(of_warp(result, n), expected);
        U different = 0;
        for (int l = 0; l < 32; ++l) different |= static_cast<U>(F{}(static_cast<S>(from[l]), amount)) ^ expected[l];
        if (different) {
            w.wrapped = true;
            return;
        }
    }
    put_affine<U>(w, i, result);
}

/// d = p ? a : b where p is equal in all lanes; if it is not, only sets w.wrapped.
template <class D>
void select_affine(Warp& w, const Insn& i) {
    const u32 p = pred(w, i.op[3]);
    bool alike = p == 0 || p == ~0u;
    for (u32 n = 1; n < w.together; ++n) alike &= pred((&w)[n], i.op[3]) == p;
    if (!alike)
        w.wrapped = true;
    else
        put_affine<std::make_unsigned_t<D>>(w, i, affine_at(w, i.op[p ? 1 : 2]));
}

template <class F, class T>
ALWAYS_INLINE bool compare_first(const Affine& a, const Affine& b) {
    return F{}(static_cast<T>(a.base), static_cast<T>(b.base));
}
/// True if f(a, b) is known to be the same in all lanes: if both are uniform, or if one is uniform and the other
/// index-like. Then an order comparison must agree in the first and the last lane; for an equality, the uniform value
/// must lie outside the range of the other.
template <class F, bool Order, class T>
[[gnu::noinline]] bool compares_alike(const Affine& a, const Affine& b, u32 warps) {
    const bool fixed_a = is_uniform<T>(a), fixed_b = is_uniform<T>(b);
    if (fixed_a && fixed_b) return true;
    if (!(fixed_a || fixed_b) || !is_index_like<T>(fixed_a ? b : a)) return false;
    const T last_a = lane_value<T>(a, 15, 1, warps - 1), last_b = lane_value<T>(b, 15, 1, warps - 1);
    if (Order) return F{}(last_a, last_b) == compare_first<F, T>(a, b);
    const T value = static_cast<T>(fixed_a ? a.base : b.base);
    return value < static_cast<T>(fixed_a ? b.base : a.base) || value > (fixed_a ? last_b : last_a);
}
/// p = f(a, b), lane by lane.
template <class F, class T>
[[gnu::noinline]] u32 compare_lanes(const Affine& a, const Affine& b) {
    alignas(64) std::make_unsigned_t<T> left[32], right[32];
    alignas(64) u32 truth[32];
    expand(a, left);
    expand(b, right);
    for (int l = 0; l < 32; ++l) truth[l] = F{}(static_cast<T>(left[l]), static_cast<T>(right[l])) ? ~0u : 0u;
    return pack_bits(truth);
}
template <class F, bool Order, class T>
void compare_affine(Warp& w, const Insn& i) {
    const Affine &a = affine_at(w, i.op[1]), &b = affine_at(w, i.op[2]);
    const bool alike = compares_alike<F, Order, T>(a, b, w.together);
    u32 p = compare_first<F, T>(a, b) ? ~0u : 0u;
    for (u32 n = 0; n < w.together; ++n) {
        if (!alike) p = compare_lanes<F, T>(of_warp(a, n), of_warp(b, n));
        set_pred<true>((&w)[n], i.op[0], p);
    }
}

/// cvta to or from shared memory.
template <bool ToShared>
void convert_shared(Warp& w, const Insn& i) {
    Affine a = affine_at(w, i.op[1]);
    a.base = ToShared ? a.base - window_base(w, Window::Shared, 0) : a.base + window_base(w, Window::Shared, 0);
    put_affine<u64>(w, i, a);
}

/// The footprint of a load or store whose op[1] is affine; Scattered unless all lanes access one address, or
/// neighbours.
template <class A>
ALWAYS_INLINE Footprint affine_footprint(const Affine& a, A size, s32 displacement) {
    const A span = static_cast<A>(15 * a.low), low = static_cast<A>(a.base + static_cast<u64>(s64{displacement}));
    const A high = static_cast<A>(low + static_cast<A>(a.high));
    const bool neighbours = static_cast<A>(a.low) == size;
    if (!neighbours && static_cast<A>(a.low) != 0) return {};
    const bool even = static_cast<A>(a.high) == (neighbours ? 16 * size : 0);
    return {even ? Shape::Even : Shape::Halves, low, high, span, span};
}
ALWAYS_INLINE void expand_addresses(Warp& w, const Insn& i) {
    const Affine& a = affine_at(w, i.op[1]);
    if (i.wide_address) return expand(a, w.address, static_cast<u64>(s64{i.offset}));
    alignas(64) u32 offsets[32];
    expand(a, offsets, static_cast<u32>(i.offset));
    for (int l = 0; l < 32; ++l) w.address[l] = offsets[l];
}
ALWAYS_INLINE Footprint affine_footprint(const Warp& w, const Insn& i) {
    const Affine& a = affine_at(w, i.op[1]);
    return i.wide_address ? affine_footprint<u64>(a, i.access_bytes, i.offset)
                          : affine_footprint<u32>(a, i.access_bytes, i.offset);
}
[[gnu::noinline]] Footprint resolve_affine(Warp& w, const Insn& i, bool write) {
    Footprint footprint = affine_footprint(w, i);
    if (footprint.shape != Shape::Scattered && find_footprint(w, i, footprint)) return footprint;
    expand_addresses(w, i);
    if (footprint.shape == Shape::Scattered)
        resolve_addresses<true>(w, i, i.window, write);
    else
        check_footprint(w, i, write);
    return footprint;
}
template <class T, int N>
[[gnu::noinline]] void load_affine_slowly(Warp& group, const Insn& i) {
    for (u32 n = 0; n < group.together; ++n) {
        Warp& w = alone(group, i, n);
        load_from_rarely<T, N>(w, i, resolve_affine(w, i, false));
    }
}
template <class T, int N>
[[gnu::noinline]] void store_affine_slowly(Warp& group, const Insn& i) {
    for (u32 n = 0; n < group.together; ++n) {
        Warp& w = alone(group, i, n);
        store_to_rarely<T, N>(w, i, resolve_affine(w, i, true));
    }
}
/// The start of each half of a warp that accesses one address (step 0), or neighbours in lane order.
struct WarpAddresses {
    u64 low = 0, high = 0, step = 0;
    u64 next = 0;  ///< the distance to the next warp's start
};
/// True if the accesses of this many warps lie in the range, and their distances are too small to wrap around.
ALWAYS_INLINE bool lies_in(const WarpAddresses& at, u64 size, u32 warps, u64 base, u64 extent) {
    constexpr u64 max = u64{1} << 48;
    const u64 apart = at.high - at.low, way = (warps - 1) * at.next;
    const u64 back = (static_cast<s64>(apart) < 0 ? apart : 0) + (static_cast<s64>(way) < 0 ? way : 0);
    const u64 length = apart + way - 2 * back + 15 * at.step + size;
    return extent >= length && at.low + back - base <= extent - length && at.next + max < 2 * max;
}
/// low is 0 if the fast path does not apply, or if the instruction has not accessed this range before. Callers handle
/// that by a tail call, so that no registers have to be saved.
ALWAYS_INLINE WarpAddresses known_addresses(const Warp& w, const Insn& i, u32 warps = 1) {
    const Affine& a = affine_at(w, i.op[1]);
    const u64 size = i.access_bytes, bits = i.wide_address ? ~u64{0} : ~u32{0};
    WarpAddresses at;
    at.low = (a.base + static_cast<u64>(s64{i.offset})) & bits;
    at.high = (at.low + a.high) & bits;
    at.step = a.low & bits;
    at.next = warps == 1 ? 0 : i.wide_address ? a.step : static_cast<u64>(s64{static_cast<s32>(a.step)});
    if ((at.step != 0 && at.step != size) || ((at.low | at.high | at.next) & (size - 1)) != 0) return {};
    const u64 shared = window_base(w, Window::Shared, 0);
    if (i.window == Window::Shared) {
        if (!lies_in(at, size, warps, 0, w.shared_size)) return {};
        at.low += shared;
        at.high += shared;
        return at;
    }
    const CachedRanges& cache = *w.cache;
    const CachedRange& range = cache.ranges[2 * std::size_t{i.cached_ranges}];
    const bool current = __atomic_load_n(cache.current, __ATOMIC_ACQUIRE) == cache.generation;
    if (current && lies_in(at, size, warps, range.base, range.size)) return at;
    return lies_in(at, size, warps, shared, w.shared_size) ? at : WarpAddresses{};
}
template <class T, int N>
void load_affine(Warp& group, const Insn& i) {
    WarpAddresses at = known_addresses(group, i, group.together);
    if (!at.low) return load_affine_slowly<T, N>(group, i);
    for (const Warp *w = &group, *end = w + group.together; w != end; ++w) {
        Stored<T>* d[N];
        for (int n = 0; n < N; ++n) d[n] = reg<T>(*w, element_operand(i, n));
        load_even<0, 16, T, N>(d, at.low, at.step);
        load_even<16, 16, T, N>(d, at.high, at.step);
        at.low += at.next;
        at.high += at.next;
    }
}
template <class T, int N>
void store_affine(Warp& group, const Insn& i) {
    WarpAddresses at = known_addresses(group, i, group.together);
    if (!at.low) return store_affine_slowly<T, N>(group, i);
    for (const Warp *w = &group, *end = w + group.together; w != end; ++w) {
        const Stored<T>* s[N];
        for (int n = 0; n < N; ++n) s[n] = reg<T>(*w, element_operand(i, n));
        store_even<0, 16, T, N>(s, at.low, at.step);
        store_even<16, 16, T, N>(s, at.high, at.step);
        at.low += at.next;
        at.high += at.next;
    }
}

}  // namespace
}  // namespace cpu::exec
