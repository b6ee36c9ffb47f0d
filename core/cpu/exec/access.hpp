#pragma once
// Loads, stores, atomics and address conversions. Included by each instruction set's file.

#include "exec/scalar_float.hpp"

namespace cpu::exec {
namespace {

/// Even: all lanes access one place, or neighbours in their order. Halves: each half does, as in blocks 16 threads wide.
enum class Shape { Scattered, Even, Halves };

/// Collects what may be wrong with any active lane, so that one test covers the warp. In bounds is
/// (t | (limit - t)) with a clear sign bit, t being the distance from the range's start.
template <bool All>
ALWAYS_INLINE bool all_inside(const u64* address, u32 mask, u64 base, u64 limit) {
    u64 bad = 0;
    for (int l = 0; l < 32; ++l) {
        const u64 t = address[l] - base;
        const u64 sign = t | (limit - t);
        bad |= All || active<u64>(mask, l) ? sign : 0;
    }
    return static_cast<s64>(bad) >= 0;
}
template <bool All>
ALWAYS_INLINE bool all_aligned(const u64* address, u32 mask, u64 size) {
    u64 low = 0;
    for (int l = 0; l < 32; ++l) low |= All || active<u64>(mask, l) ? address[l] : 0;
    return (low & (size - 1)) == 0;
}
alignas(64) constexpr u64 half_index[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

/// Looks at the end lanes of the halves first: a test of every lane would slow down scattered accesses.
ALWAYS_INLINE Shape shape_of(const u64* address, u64 size) {
    const u64 low = address[15] - address[0], high = address[31] - address[16], neighbours = 15 * size;
    if ((low && low != neighbours) || (high && high != neighbours)) return Shape::Scattered;
    const u64 low_mask = low ? ~u64{0} : 0, high_mask = high ? ~u64{0} : 0;
    const int shift = __builtin_ctzll(size);
    u64 off = 0;
    for (int l = 0; l < 16; ++l) {
        const u64 distance = half_index[l] << shift;
        off |= (address[l] - address[0]) ^ (distance & low_mask);
        off |= (address[l + 16] - address[16]) ^ (distance & high_mask);
    }
    if (off) return Shape::Scattered;
    return low == high && address[16] - address[0] == (low ? 16 * size : 0) ? Shape::Even : Shape::Halves;
}
/// Are all active lanes' accesses aligned and within the range? The ends of the halves tell, if they are evenly spaced.
template <bool All>
ALWAYS_INLINE bool lies_in(const Warp& w, Shape shape, u64 size, u64 base, u64 extent) {
    const u64* address = w.address;
    if (extent < size) return false;
    if (!All || shape == Shape::Scattered)
        return all_inside<All>(address, w.mask, base, extent - size) && all_aligned<All>(address, w.mask, size);
    constexpr int ends[] = {0, 15, 16, 31};
    u64 bad = 0;
    for (int l : ends) bad |= (address[l] - base) | (extent - size - (address[l] - base));
    return static_cast<s64>(bad) >= 0 && ((address[0] | address[16]) & (size - 1)) == 0;
}

ALWAYS_INLINE void operand_addresses(Warp& w, u32 operand, bool wide, s32 displacement) {
    u64* address = w.address;
    if (wide) {
        const u64* base = reg<u64>(w, operand);
        const u64 offset = static_cast<u64>(static_cast<s64>(displacement));
        for (int l = 0; l < 32; ++l) address[l] = base[l] + offset;
    } else {
        const u32* base = reg<u32>(w, operand);
        const u32 offset = static_cast<u32>(displacement);
        for (int l = 0; l < 32; ++l) address[l] = static_cast<u32>(base[l] + offset);
    }
}

template <bool All>
Shape resolve_generic(Warp& w, const Insn& i, bool write) {
    const u64 size = i.size;
    HitCache& cache = *w.cache;
    if (__atomic_load_n(cache.current, __ATOMIC_ACQUIRE) != cache.generation) flush_hits(cache);
    const Hit* hit = cache.hits + 2 * std::size_t{i.target};
    const Shape shape = All ? shape_of(w.address, size) : Shape::Scattered;
    if (!lies_in<All>(w, shape, size, hit[0].base, hit[0].size) &&
        !lies_in<All>(w, shape, size, hit[1].base, hit[1].size))
        check_slow(w, i, write);
    return shape;
}

/// From offsets in a window to host addresses.
template <bool All>
ALWAYS_INLINE Shape resolve_window(Warp& w, const Insn& i, Window window, bool write) {
    const u64 extent = window == Window::Shared ? w.shared_size : w.local_size;
    const Shape shape = All ? shape_of(w.address, i.size) : Shape::Scattered;
    if (!lies_in<All>(w, shape, i.size, 0, extent)) window_fault(w, i, window, write);
    if (window == Window::Shared) {
        const u64 base = reinterpret_cast<u64>(w.shared);
        for (int l = 0; l < 32; ++l) w.address[l] += base;
        return shape;
    }
    const u64 base = reinterpret_cast<u64>(w.local);
    for (int l = 0; l < 32; ++l) w.address[l] += base + static_cast<u64>(l) * w.local_size;
    return Shape::Scattered;
}

/// Host addresses of the active lanes, all of them checked, in w.address.
template <bool All>
Shape resolve(Warp& w, const Insn& i, bool write) {
    operand_addresses(w, i.op[1], i.wide_address, i.offset);
    return i.window == Window::Generic ? resolve_generic<All>(w, i, write)
                                       : resolve_window<All>(w, i, i.window, write);
}

// op[0], op[2..4] are the destinations or sources in order, op[1] the address.
ALWAYS_INLINE u32 element_operand(const Insn& i, int n) {
    return n == 0 ? i.op[0] : i.op[n + 1];
}

/// Evenly spaced lanes, from the first one on.
template <int First, int Count, class T, int N>
ALWAYS_INLINE void load_even(Stored<T>* const* d, const u64* address) {
    const T* source = reinterpret_cast<const T*>(address[First]);
    if (address[First] == address[First + Count - 1]) {
        for (int n = 0; n < N; ++n) {
            const Stored<T> value = static_cast<Stored<T>>(source[n]);
            for (int l = 0; l < Count; ++l) d[n][First + l] = value;
        }
    } else {
        for (int n = 0; n < N; ++n)
            for (int l = 0; l < Count; ++l) d[n][First + l] = static_cast<Stored<T>>(source[l * N + n]);
    }
}
template <bool All, class T, int N>
void load(Warp& w, const Insn& i) {
    const Shape shape = resolve<All>(w, i, false);
    const u64* address = w.address;
    Stored<T>* d[N];
    for (int n = 0; n < N; ++n) d[n] = reg<T>(w, element_operand(i, n));
    if (All && shape == Shape::Even) {
        load_even<0, 32, T, N>(d, address);
    } else if (All && shape == Shape::Halves) {
        load_even<0, 16, T, N>(d, address);
        load_even<16, 16, T, N>(d, address);
    } else if (All) {
        for (int l = 0; l < 32; ++l)
            for (int n = 0; n < N; ++n) d[n][l] = static_cast<Stored<T>>(reinterpret_cast<const T*>(address[l])[n]);
    } else {
        each_active(w.mask, [&](int l) {
            for (int n = 0; n < N; ++n) d[n][l] = static_cast<Stored<T>>(reinterpret_cast<const T*>(address[l])[n]);
        });
    }
}

/// As load_even; of lanes that write to one place, the last one wins.
template <int First, int Count, class T, int N>
ALWAYS_INLINE void store_even(const Stored<T>* const* s, const u64* address) {
    T* target = reinterpret_cast<T*>(address[First]);
    if (address[First] == address[First + Count - 1]) {
        for (int n = 0; n < N; ++n) target[n] = static_cast<T>(s[n][First + Count - 1]);
    } else {
        for (int n = 0; n < N; ++n)
            for (int l = 0; l < Count; ++l) target[l * N + n] = static_cast<T>(s[n][First + l]);
    }
}
template <bool All, class T, int N>
void store(Warp& w, const Insn& i) {
    const Shape shape = resolve<All>(w, i, true);
    const u64* address = w.address;
    const Stored<T>* s[N];
    for (int n = 0; n < N; ++n) s[n] = reg<T>(w, element_operand(i, n));
    if (All && shape == Shape::Even) {
        store_even<0, 32, T, N>(s, address);
    } else if (All && shape == Shape::Halves) {
        store_even<0, 16, T, N>(s, address);
        store_even<16, 16, T, N>(s, address);
    } else if (All) {
        for (int l = 0; l < 32; ++l)
            for (int n = 0; n < N; ++n) reinterpret_cast<T*>(address[l])[n] = static_cast<T>(s[n][l]);
    } else {
        each_active(w.mask, [&](int l) {
            for (int n = 0; n < N; ++n) reinterpret_cast<T*>(address[l])[n] = static_cast<T>(s[n][l]);
        });
    }
}

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

/// atom and red: op[0] old value (absent in red), op[2] and op[3] the operands. Blocks run on several threads, so that
/// these are the host's atomics; shared memory belongs to one thread at a time, but a generic address may be either.
template <class T, class F>
void atomic(Warp& w, const Insn& i) {
    using Bits = typename Cell<sizeof(T)>::type;
    resolve<false>(w, i, true);
    Stored<T>* d = i.op[0] == no_operand ? nullptr : reg<T>(w, i.op[0]);
    const Stored<T>* b = reg<T>(w, i.op[2]);
    const Stored<T>* c = i.op[3] == no_operand ? b : reg<T>(w, i.op[3]);
    each_active(w.mask, [&](int l) {
        Bits* cell = reinterpret_cast<Bits*>(w.address[l]);
        const T vb = from<T>(b[l]), vc = from<T>(c[l]);
        Bits old = load_cell(cell);
        while (!exchange_cell(cell, old, __builtin_bit_cast(Bits, F{}(__builtin_bit_cast(T, old), vb, vc)))) {
        }
        if (d) d[l] = to<T>(__builtin_bit_cast(T, old));
    });
}

/// In global memory subnormal numbers count as zero, in shared memory they do not.
inline void atomic_add_single(Warp& w, const Insn& i) {
    resolve<false>(w, i, true);
    f32* d = i.op[0] == no_operand ? nullptr : reg<f32>(w, i.op[0]);
    const f32* b = reg<f32>(w, i.op[2]);
    each_active(w.mask, [&](int l) {
        u32* cell = reinterpret_cast<u32*>(w.address[l]);
        const bool shared = w.address[l] - reinterpret_cast<u64>(w.shared) < w.shared_size;
        u32 old = load_cell(cell);
        f32 a;
        do {
            a = bits_as<f32>(old);
        } while (!exchange_cell(cell, old, bits_as<u32>(canonical(shared ? a + b[l] : ftz(ftz(a) + ftz(b[l]))))));
        if (d) d[l] = a;
    });
}

/// cp.async: op[0] destination in shared memory (32 or 64 bits, aux says which), op[1] source, op[2] bytes to take (the
/// rest is zero-filled). Done at once, which is one of the orders that it allows.
template <bool All>
void copy_async(Warp& w, const Insn& i) {
    operand_addresses(w, i.op[0], i.aux & 1, static_cast<s32>(i.op[3]));
    resolve_window<All>(w, i, Window::Shared, true);
    for (int l = 0; l < 32; ++l) w.copy_target[l] = w.address[l];
    const u32* take = i.op[2] == no_operand ? nullptr : reg<u32>(w, i.op[2]);
    const auto bytes_of = [&](int l) { return take && take[l] < i.size ? take[l] : u32{i.size}; };
    const u32 all = w.mask;
    u32 whole = 0;
    each_active(all, [&](int l) { whole |= bytes_of(l) == i.size ? lane_bit[l] : 0; });
    w.mask = whole;
    if (whole) resolve<false>(w, i, false);
    w.mask = all;
    if (whole != all) {
        operand_addresses(w, i.op[1], i.wide_address, i.offset);
        each_active(all & ~whole, [&](int l) {
            if (bytes_of(l)) check_part(w, i, l, bytes_of(l));
        });
    }
    each_active(all, [&](int l) {
        const u32 bytes = bytes_of(l);
        u8* d = reinterpret_cast<u8*>(w.copy_target[l]);
        const u8* s = reinterpret_cast<const u8*>(w.address[l]);
        for (u32 n = 0; n < i.size; ++n) d[n] = n < bytes ? s[n] : u8{0};
    });
}

ALWAYS_INLINE u64 window_base(const Warp& w, Window window, int l) {
    return window == Window::Shared ? reinterpret_cast<u64>(w.shared)
                                    : reinterpret_cast<u64>(w.local) + static_cast<u64>(l) * w.local_size;
}
template <bool All, Window W>
void window_to_generic(Warp& w, const Insn& i) {
    const u64* a = reg<u64>(w, i.op[1]);
    u64* d = reg<u64>(w, i.op[0]);
    for (int l = 0; l < 32; ++l) put<All, u64>(d, w.mask, l, a[l] + window_base(w, W, l));
}
template <bool All, Window W>
void generic_to_window(Warp& w, const Insn& i) {
    const u64* a = reg<u64>(w, i.op[1]);
    u64* d = reg<u64>(w, i.op[0]);
    for (int l = 0; l < 32; ++l) put<All, u64>(d, w.mask, l, a[l] - window_base(w, W, l));
}

enum class InSpace { Shared, Local, Global, Const, Param };
template <bool All, InSpace S>
void in_space(Warp& w, const Insn& i) {
    const u64* a = reg<u64>(w, i.op[1]);
    u32 bits = 0;
    for (int l = 0; l < 32; ++l) {
        const bool shared = a[l] - window_base(w, Window::Shared, 0) < w.shared_size;
        const bool local = a[l] - window_base(w, Window::Local, l) < w.local_size;
        const bool param = a[l] - reinterpret_cast<u64>(w.parameters) < w.parameter_size;
        const bool in = S == InSpace::Shared  ? shared
                        : S == InSpace::Local ? local
                        : S == InSpace::Param ? param
                        : S == InSpace::Const ? active<u32>(w.mask, l) && is_constant(w, a[l])
                                              : !shared && !local && !param && !is_constant(w, a[l]);
        bits |= in ? lane_bit[l] : 0;
    }
    set_pred<All>(w, i.op[0], bits);
}

template <bool All>
void fence(Warp&, const Insn&) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
template <bool All>
void ignore(Warp&, const Insn&) {}

/// op[0] = address, op[1] = bytes, op[2] = the frame's top, aux: alignment.
template <bool All>
void allocate_local(Warp& w, const Insn& i) {
    const u64* bytes = reg<u64>(w, i.op[1]);
    u64* d = reg<u64>(w, i.op[0]);
    u32* top = reg<u32>(w, i.op[2]);
    each_active(w.mask, [&](int l) {
        const u64 start = (u64{top[l]} + i.aux - 1) & ~(u64{i.aux} - 1);
        if (bytes[l] > w.local_size || start + bytes[l] > w.local_size)
            raise_fault(w, i, CUDA_ERROR_ILLEGAL_ADDRESS, l, bytes[l], "alloca beyond the thread's stack, of bytes:");
        d[l] = start;
        top[l] = static_cast<u32>(start + bytes[l]);
    });
}

template <bool All, class T, int Shift>
void read_clock(Warp& w, const Insn& i) {
    const T now = static_cast<T>(__builtin_ia32_rdtsc() >> Shift);
    Stored<T>* d = reg<T>(w, i.op[0]);
    for (int l = 0; l < 32; ++l) put<All, T>(d, w.mask, l, now);
}
template <bool All, class T, int Shift>
void read_timer(Warp& w, const Insn& i) {
    const T now = static_cast<T>(nanoseconds_now() >> Shift);
    Stored<T>* d = reg<T>(w, i.op[0]);
    for (int l = 0; l < 32; ++l) put<All, T>(d, w.mask, l, now);
}

}  // namespace
}  // namespace cpu::exec
