#pragma once
// Atomics. Included by each instruction set's file.

#include "exec/handlers/affine.hpp"

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
/// Two halves that need not belong together: the exchange finds out.
ALWAYS_INLINE u128 load_cell(const u128* cell) {
    const u64* halves = reinterpret_cast<const u64*>(cell);
    const u64 low = load_cell(halves);
    return u128{load_cell(halves + 1)} << 64 | low;
}
/// False, and what is there in `expected`, if it was something else.
template <class Bits>
ALWAYS_INLINE bool exchange_cell(Bits* cell, Bits& expected, Bits wanted) {
    return __atomic_compare_exchange_n(cell, &expected, wanted, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}
/// The compiler would call a library for this one.
ALWAYS_INLINE bool exchange_cell(u128* cell, u128& expected, u128 wanted) {
    u64 low = static_cast<u64>(expected), high = static_cast<u64>(expected >> 64);
    bool same;
    asm volatile("lock cmpxchg16b %1"
                 : "=@ccz"(same), "+m"(*cell), "+a"(low), "+d"(high)
                 : "b"(static_cast<u64>(wanted)), "c"(static_cast<u64>(wanted >> 64))
                 : "memory");
    expected = u128{high} << 64 | low;
    return same;
}

/// The lanes whose address lies in a range.
ALWAYS_INLINE u32 lanes_in(const u64* addresses, u64 base, u64 size) {
    alignas(64) u32 inside[32];
    for (int l = 0; l < 32; ++l) inside[l] = addresses[l] - base < size ? ~0u : 0u;
    return pack_bits(inside);
}

/// An atomic instruction: op[0] old value (absent in red), op[2] and op[3] the operands.
template <class T>
struct AtomicOperands {
    Stored<T>* d;
    const Stored<T>*b, *c;
};

/// What `lanes`, one after the other, make of a cell that holds `value`.
template <class T, class F>
[[gnu::noinline]] T fold(const AtomicOperands<T>& o, u32 lanes, T value, bool shared) {
    if (o.d) {
        each_active(lanes, [&](int l) {
            const T vb = from<T>(o.b[l]), vc = from<T>(o.c[l]);
            o.d[l] = to<T>(value);
            value = F{}(value, vb, vc, shared);
        });
    } else if (lanes == full_mask) {
        for (int l = 0; l < 32; ++l) value = F{}(value, from<T>(o.b[l]), from<T>(o.c[l]), shared);
    } else {
        each_active(lanes, [&](int l) { value = F{}(value, from<T>(o.b[l]), from<T>(o.c[l]), shared); });
    }
    return value;
}

enum class Atomic { Any, Sum };  ///< Sum: of integers, which the host can add at once

/// One access of the host for lanes that name one cell. Other blocks, which run on other threads, name only cells
/// outside shared memory.
template <class T, class F, Atomic Kind>
ALWAYS_INLINE void update(const AtomicOperands<T>& o, u32 lanes, typename Cell<sizeof(T)>::type* cell, bool shared) {
    using Bits = typename Cell<sizeof(T)>::type;
    if (shared) {
        *cell = __builtin_bit_cast(Bits, fold<T, F>(o, lanes, __builtin_bit_cast(T, *cell), true));
    } else if constexpr (Kind == Atomic::Sum) {
        const AtomicOperands<T> unseen{nullptr, o.b, o.c};
        const Bits sum = static_cast<Bits>(fold<T, F>(unseen, lanes, T{0}, false));
        const Bits old = __atomic_fetch_add(cell, sum, __ATOMIC_SEQ_CST);
        if (o.d) fold<T, F>(o, lanes, static_cast<T>(old), false);
    } else {
        Bits old = load_cell(cell);
        while (!exchange_cell(cell, old,
                              __builtin_bit_cast(Bits, fold<T, F>(o, lanes, __builtin_bit_cast(T, old), false)))) {
        }
    }
}

/// The same of lanes that each name another cell.
template <class T, class F, Atomic Kind>
ALWAYS_INLINE void update_each(const Warp& w, const AtomicOperands<T>& o, u32 lanes, bool shared) {
    using Bits = typename Cell<sizeof(T)>::type;
    each_active(lanes, [&](int l) {
        Bits* cell = reinterpret_cast<Bits*>(w.address[l]);
        const T b = from<T>(o.b[l]), c = from<T>(o.c[l]);
        const auto wanted = [&](Bits old) {
            return __builtin_bit_cast(Bits, F{}(__builtin_bit_cast(T, old), b, c, shared));
        };
        Bits old;
        if (shared) {
            old = *cell;
            *cell = wanted(old);
        } else if constexpr (Kind == Atomic::Sum) {
            old = __atomic_fetch_add(cell, static_cast<Bits>(b), __ATOMIC_SEQ_CST);
        } else {
            old = load_cell(cell);
            while (!exchange_cell(cell, old, wanted(old))) {
            }
        }
        if (o.d) o.d[l] = to<T>(__builtin_bit_cast(T, old));
    });
}

template <class T>
ALWAYS_INLINE AtomicOperands<T> atomic_operands(const Warp& w, const Insn& i) {
    const Stored<T>* b = reg<T>(w, i.op[2]);
    return {i.op[0] == no_operand ? nullptr : reg<T>(w, i.op[0]), b, i.op[3] == no_operand ? b : reg<T>(w, i.op[3])};
}

/// At w.address of the active lanes.
template <class T, class F, Atomic Kind>
[[gnu::noinline]] void update_lanes(Warp& w, const Insn& i) {
    using Bits = typename Cell<sizeof(T)>::type;
    constexpr int crowd = 8;  // lanes at one cell, from which on it pays to look for them
    const AtomicOperands<T> o = atomic_operands<T>(w, i);
    const u64 base = window_base(w, Window::Shared, 0);
    const u32 shared = i.window == Window::Shared ? full_mask : lanes_in(w.address, base, w.shared_size);
    u32 rest = w.mask;
    while (rest) {
        const u64 address = w.address[__builtin_ctz(rest)];
        const u32 lanes = lanes_in(w.address, address, 1) & rest;
        if (__builtin_popcount(lanes) < crowd) break;
        update<T, F, Kind>(o, lanes, reinterpret_cast<Bits*>(address), (shared & lanes) != 0);
        rest &= ~lanes;
    }
    if (rest & ~shared) update_each<T, F, Kind>(w, o, rest & ~shared, false);
    if (rest & shared) update_each<T, F, Kind>(w, o, rest & shared, true);
}

template <class T, class F, Atomic Kind>
void atomic(Warp& w, const Insn& i) {
    resolve_lanes(w, i, true);
    update_lanes<T, F, Kind>(w, i);
}
/// In affine code.
template <class T, class F, Atomic Kind>
void atomic_affine(Warp& w, const Insn& i) {
    const Place place = known_place(w, i);
    if (place.low && place.step == 0 && place.low == place.high) {
        const bool shared = place.low - window_base(w, Window::Shared, 0) < w.shared_size;
        return update<T, F, Kind>(atomic_operands<T>(w, i), full_mask,
                                  reinterpret_cast<typename Cell<sizeof(T)>::type*>(place.low), shared);
    }
    spread_addresses(w, i);
    resolve_addresses<true>(w, i, i.window, true);
    update_lanes<T, F, Kind>(w, i);
}

}  // namespace
}  // namespace cpu::exec
