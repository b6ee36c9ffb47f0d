#pragma once
// Atomics. Included by each instruction set's file.

#include "exec/delayed_sums.hpp"
#include "exec/handlers/affine.hpp"
#include "exec/host_instructions.hpp"

namespace cpu::exec {
namespace {

template <std::size_t Size>
struct Cell;
template <>
struct Cell<2> {
    using type = u16;
};
template <>
struct Cell<4> {
    using type = u32;
};
template <>
struct Cell<8> {
    using type = u64;
};
template <>
struct Cell<16> {
    using type = u128;
};

template <class Bits>
ALWAYS_INLINE Bits load_cell(const Bits* cell) {
    return __atomic_load_n(cell, __ATOMIC_RELAXED);
}
/// Two 8-byte loads, which may be inconsistent; the compare-exchange then fails.
ALWAYS_INLINE u128 load_cell(const u128* cell) {
    const u64* halves = reinterpret_cast<const u64*>(cell);
    const u64 low = load_cell(halves);
    return u128{load_cell(halves + 1)} << 64 | low;
}
/// False, with the current value in `expected`, if it differed.
template <class Bits>
ALWAYS_INLINE bool exchange_cell(Bits* cell, Bits& expected, Bits wanted) {
    return __atomic_compare_exchange_n(cell, &expected, wanted, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}
/// For 16 bytes the compiler would call a library.
ALWAYS_INLINE bool exchange_cell(u128* cell, u128& expected, u128 wanted) {
    return exchange_16_bytes(cell, expected, wanted);
}

/// The lanes whose address lies in a range.
ALWAYS_INLINE u32 lanes_in(const u64* addresses, u64 base, u64 size) {
    alignas(64) u32 inside[32];
    for (int l = 0; l < 32; ++l) inside[l] = addresses[l] - base < size ? ~0u : 0u;
    return pack_bits(inside);
}

// An atomic instruction: op[0] is the old value (absent in red), op[2] and op[3] are the operands.

/// A row's function takes only as many of these arguments as its signature names.
template <class F, class T>
ALWAYS_INLINE T updated(T old, T b, T c, bool shared) {
    if constexpr (std::is_invocable_v<F, T, T, T, bool>)
        return F{}(old, b, c, shared);
    else if constexpr (std::is_invocable_v<F, T, T, T>)
        return F{}(old, b, c);
    else
        return F{}(old, b);
}

/// Applies the operation of each of `lanes` in turn: to the value `one`, or, if that is null, to the memory at the
/// lane's w.address, which must be shared memory. Each row has its own; the rest of the code depends only on the size.
template <class Bits>
using Fold = void (*)(const Warp& w, const Insn& i, u32 lanes, Bits* one, bool shared);
template <class T, class F>
void fold(const Warp& w, const Insn& i, u32 lanes, typename Cell<sizeof(T)>::type* one, bool shared) {
    Stored<T>* d = i.op[0] == no_operand ? nullptr : reg<T>(w, i.op[0]);
    const Stored<T>* b = reg<T>(w, i.op[2]);
    const Stored<T>* c = i.op[3] == no_operand ? b : reg<T>(w, i.op[3]);
    const auto step = [&](int l, T value) {
        const T vb = from<T>(b[l]), vc = from<T>(c[l]);  // d may alias one of them
        if (d) d[l] = to<T>(value);
        return updated<F, T>(value, vb, vc, shared);
    };
    if (one) {
        T value = __builtin_bit_cast(T, *one);
        each_active(lanes, [&](int l) { value = step(l, value); });
        *one = __builtin_bit_cast(typename Cell<sizeof(T)>::type, value);
    } else {
        each_active(lanes, [&](int l) {
            T* cell = reinterpret_cast<T*>(w.address[l]);
            *cell = step(l, *cell);
        });
    }
}

/// One host atomic for all lanes that address the same cell. Shared memory needs none: only blocks on this thread
/// access it.
template <class Bits>
ALWAYS_INLINE void update(const Warp& w, const Insn& i, Fold<Bits> f, u32 lanes, u64 address, bool shared) {
    Bits* cell = reinterpret_cast<Bits*>(address);
    if (shared) return f(w, i, lanes, cell, true);
    Bits old = load_cell(cell), wanted;
    do {
        wanted = old;
        f(w, i, lanes, &wanted, false);
    } while (!exchange_cell(cell, old, wanted));
}
template <class Bits>
ALWAYS_INLINE Bits sum_of(const Bits* values, u32 lanes) {
    Bits sum = 0;
    if (lanes == full_mask)
        for (int l = 0; l < 32; ++l) sum += values[l];
    else
        each_active(lanes, [&](int l) { sum += values[l]; });
    return sum;
}
/// The same for integer additions, which the host can do in one instruction.
template <class Bits>
ALWAYS_INLINE void add(const Warp& w, const Insn& i, u32 lanes, u64 address, bool shared) {
    Bits* cell = reinterpret_cast<Bits*>(address);
    const Bits* b = reg<Bits>(w, i.op[2]);
    const Bits sum = sum_of(b, lanes);
    Bits old = shared ? *cell : __atomic_fetch_add(cell, sum, __ATOMIC_SEQ_CST);
    if (shared) *cell = old + sum;
    if (i.op[0] == no_operand) return;
    Bits* d = reg<Bits>(w, i.op[0]);
    each_active(lanes, [&](int l) {
        const Bits before = old;
        old += b[l];
        d[l] = before;
    });
}

/// Lanes whose cell is in shared memory, and others.
struct Rest {
    u32 shared, others;
};
/// Calls `one_cell` for all lanes at the first lane's cell, as long as these are many. Returns the remaining lanes.
template <class OneCell>
ALWAYS_INLINE Rest by_cell(const Warp& w, const Insn& i, OneCell one_cell) {
    constexpr int crowd = 8;  // with fewer lanes at a cell, finding them takes longer than it saves
    const u64 base = window_base(w, Window::Shared, 0);
    const u32 shared = i.window == Window::Shared ? full_mask : lanes_in(w.address, base, w.shared_size);
    u32 rest = w.mask;
    while (rest) {
        const u64 address = w.address[__builtin_ctz(rest)];
        const u32 lanes = lanes_in(w.address, address, 1) & rest;
        if (__builtin_popcount(lanes) < crowd) break;
        one_cell(lanes, address, (shared & lanes) != 0);
        rest &= ~lanes;
    }
    return {rest & shared, rest & ~shared};
}
/// Operates at w.address of the active lanes.
template <class Bits>
[[gnu::noinline]] void update_lanes(Warp& w, const Insn& i, Fold<Bits> f) {
    const Rest rest =
        by_cell(w, i, [&](u32 lanes, u64 address, bool shared) { update<Bits>(w, i, f, lanes, address, shared); });
    if (rest.shared) f(w, i, rest.shared, nullptr, true);
    each_active(rest.others, [&](int l) { update<Bits>(w, i, f, lane_bit[l], w.address[l], false); });
}
template <class Bits>
[[gnu::noinline]] void add_lanes(Warp& w, const Insn& i) {
    const Rest rest =
        by_cell(w, i, [&](u32 lanes, u64 address, bool shared) { add<Bits>(w, i, lanes, address, shared); });
    const Bits* b = reg<Bits>(w, i.op[2]);
    Bits* d = i.op[0] == no_operand ? nullptr : reg<Bits>(w, i.op[0]);
    each_active(rest.shared, [&](int l) {
        Bits* cell = reinterpret_cast<Bits*>(w.address[l]);
        const Bits old = *cell;
        *cell = old + b[l];
        if (d) d[l] = old;
    });
    each_active(rest.others, [&](int l) {
        const Bits old = __atomic_fetch_add(reinterpret_cast<Bits*>(w.address[l]), b[l], __ATOMIC_SEQ_CST);
        if (d) d[l] = old;
    });
}

template <class T, class F>
void atomic(Warp& w, const Insn& i) {
    resolve_lanes(w, i, true);
    update_lanes(w, i, fold<T, F>);
}
template <class Bits>
void atomic_add(Warp& w, const Insn& i) {
    resolve_lanes(w, i, true);
    add_lanes<Bits>(w, i);
}

/// In affine code: true if all lanes address one cell, at `low`.
ALWAYS_INLINE bool is_one_cell(const WarpAddresses& at) {
    return at.low && at.step == 0 && at.low == at.high;
}
ALWAYS_INLINE bool lies_in_shared(const Warp& w, u64 address) {
    return address - window_base(w, Window::Shared, 0) < w.shared_size;
}
[[gnu::noinline]] void resolve_affine_lanes(Warp& w, const Insn& i) {
    expand_addresses(w, i);
    resolve_addresses<true>(w, i, i.window, true);
}
template <class T, class F>
void atomic_affine(Warp& w, const Insn& i) {
    using Bits = typename Cell<sizeof(T)>::type;
    const WarpAddresses at = known_addresses(w, i);
    if (is_one_cell(at)) return update<Bits>(w, i, fold<T, F>, full_mask, at.low, lies_in_shared(w, at.low));
    resolve_affine_lanes(w, i);
    update_lanes(w, i, fold<T, F>);
}
template <class Bits>
void atomic_add_affine(Warp& w, const Insn& i) {
    const WarpAddresses at = known_addresses(w, i);
    if (is_one_cell(at)) return add<Bits>(w, i, full_mask, at.low, lies_in_shared(w, at.low));
    resolve_affine_lanes(w, i);
    add_lanes<Bits>(w, i);
}

/// True if sums of this size are delayed at the address of every active lane.
template <bool All, class Bits>
ALWAYS_INLINE bool is_delayed(const Warp& w, const DelayedSums& sums) {
    if (sums.bytes != sizeof(Bits) || __atomic_load_n(w.cache->current, __ATOMIC_ACQUIRE) != sums.generation)
        return false;
    for (u32 n = 0; n < sums.range_count; ++n)
        if (lie_in<All>(w, sizeof(Bits), sums.ranges[n].base, sums.ranges[n].size)) return true;
    return false;
}
/// Delays an addition without a result, at w.address of the active lanes. False if it must be done like any other
/// atomic.
template <bool All, class Bits>
[[gnu::noinline]] bool delay_add(Warp& w, const Insn& i) {
    DelayedSums& sums = *w.cache->delayed;
    if (!is_delayed<All, Bits>(w, sums) && !begin_delaying(w, i)) return false;
    const Bits* b = reg<Bits>(w, i.op[2]);
    const auto put = [&](u64 address, Bits value) {
        const u32 number = static_cast<u32>(address / sizeof(Bits)) % DelayedSums::count;
        DelayedSums::Cell& cell = sums.cells[number];
        if (cell.address != address) take_cell(sums, cell, address);
        cell.sum += value;
    };
    const u32 mask = All ? full_mask : w.mask;
    const u64 first = w.address[__builtin_ctz(mask)], last = w.address[31 - __builtin_clz(mask)];
    const u32 alike = first == last ? lanes_in(w.address, first, 1) & mask : 0;
    if (alike) put(first, sum_of(b, alike));
    if (All && !alike)
        for (int l = 0; l < 32; ++l) put(w.address[l], b[l]);
    else
        each_active(mask & ~alike, [&](int l) { put(w.address[l], b[l]); });
    ++sums.instructions;
    // With so many different addresses, delaying does not pay off.
    if (sums.moved_out > 8 * sums.instructions + 2 * DelayedSums::count) {
        sums.tries = 0;
        end_delaying(sums);
    }
    return true;
}
template <bool All, class Bits>
void delayed_add(Warp& w, const Insn& i) {
    if (w.cache->delayed) {
        operand_addresses(w, i.op[1], i.wide_address, i.offset);
        if (delay_add<All, Bits>(w, i)) return;
    }
    atomic_add<Bits>(w, i);
}
template <class Bits>
void delayed_add_affine(Warp& w, const Insn& i) {
    if (w.cache->delayed) {
        expand_addresses(w, i);
        if (delay_add<true, Bits>(w, i)) return;
    }
    atomic_add_affine<Bits>(w, i);
}

}  // namespace
}  // namespace cpu::exec
