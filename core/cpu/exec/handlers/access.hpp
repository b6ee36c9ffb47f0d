#pragma once
// Loads and stores. Included by each instruction set's file.

#include "exec/handlers/scalar_float.hpp"
#include "exec/host_instructions.hpp"

namespace cpu::exec {
namespace {

/// Even: all lanes access one place, or consecutive places in lane order. Halves: each half of the warp does, as in
/// blocks 16 threads wide.
enum class Shape { Scattered, Even, Halves };

/// The checked bytes that the active lanes of an access touch. Evenly spaced lanes are described by their halves,
/// others by w.address. Scalars, because arrays would be written and read as vectors of different widths, which stalls.
struct Footprint {
    Shape shape = Shape::Scattered;
    u64 low = 0, high = 0;            ///< address of each half's first lane
    u64 low_span = 0, high_span = 0;  ///< from there to its last lane; 0: a single place

    ALWAYS_INLINE bool lies_in(u64 size, u64 base, u64 extent) const {
        const u64 room = extent - size;
        return extent >= size && low_span <= room && low - base <= room - low_span && high_span <= room &&
               high - base <= room - high_span && ((low | high) & (size - 1)) == 0;
    }
};

/// Distances between the lanes of a half, in bytes: 0, or neighbours of 1, 2, 4, 8 or 16 bytes.
template <class A>
struct Distances {
    A rows[6][16];
    constexpr Distances() : rows{} {
        for (unsigned row = 1; row < 6; ++row)
            for (unsigned l = 0; l < 16; ++l) rows[row][l] = static_cast<A>(l << (row - 1));
    }
};
template <class A>
alignas(64) constexpr Distances<A> distances;

/// The bits in which a lane of a half differs from where the first lane and the distance predict it.
template <class A>
ALWAYS_INLINE Vector<A> unexpected(const A* lanes, A span, unsigned row) {
    const A* distance = distances<A>.rows[span ? row : 0];
    Vector<A> bits = {};
    for (int l = 0; l < 16; l += vector_lanes<A>)
        bits |= (load_vector(lanes + l) - lanes[0]) ^ load_vector(distance + l);
    return bits;
}

/// The last lanes of the halves are tested first: a test of every lane would slow down scattered accesses.
template <class A>
ALWAYS_INLINE Footprint footprint_of(const A* base, A size, s32 displacement) {
    const A low = base[0], high = base[16], neighbours = 15 * size;
    const A low_span = base[15] - low, high_span = base[31] - high;
    if ((low_span && low_span != neighbours) || (high_span && high_span != neighbours)) return {};
    const unsigned row = 1 + static_cast<unsigned>(__builtin_ctzll(size));
    if (any_bit(unexpected(base, low_span, row) | unexpected(base + 16, high_span, row))) return {};
    const bool even = low_span == high_span && high - low == (low_span ? 16 * size : 0);
    const A offset = static_cast<A>(displacement);
    return {even ? Shape::Even : Shape::Halves, static_cast<A>(low + offset), static_cast<A>(high + offset), low_span,
            high_span};
}

/// Combines whatever may be wrong with any active lane, so that one test covers the warp. An access is in bounds if (t
/// | (limit - t)) has a clear sign bit, where t is the distance from the start of the range.
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
template <bool All>
ALWAYS_INLINE bool lie_in(const Warp& w, u64 size, u64 base, u64 extent) {
    return extent >= size && all_inside<All>(w.address, w.mask, base, extent - size) &&
           all_aligned<All>(w.address, w.mask, size);
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

ALWAYS_INLINE const CachedRange* cached_ranges(const Warp& w, const Insn& i) {
    CachedRanges& cache = *w.cache;
    if (__atomic_load_n(cache.current, __ATOMIC_ACQUIRE) != cache.generation) flush_ranges(cache);
    return cache.ranges + 2 * std::size_t{i.cached_ranges};
}
ALWAYS_INLINE u64 window_base(const Warp& w, Window window, int l) {
    return reinterpret_cast<u64>(window == Window::Shared ? w.shared : w.local[l]);
}
ALWAYS_INLINE u64 extent_of(const Warp& w, Window window) {
    return window == Window::Shared ? w.shared_size : w.local_size;
}

/// Checks w.address of the active lanes, and converts offsets in a window to host addresses.
template <bool All>
ALWAYS_INLINE void resolve_addresses(Warp& w, const Insn& i, Window window, bool write) {
    if (window == Window::Generic) {
        const CachedRange* range = cached_ranges(w, i);
        if (!lie_in<All>(w, i.access_bytes, range[0].base, range[0].size) &&
            !lie_in<All>(w, i.access_bytes, range[1].base, range[1].size) &&
            !lie_in<All>(w, i.access_bytes, window_base(w, Window::Shared, 0), w.shared_size))
            check_slow(w, i, write);
        return;
    }
    if (!lie_in<All>(w, i.access_bytes, 0, extent_of(w, window))) window_fault(w, i, window, write);
    for (int l = 0; l < 32; ++l) w.address[l] += window_base(w, window, l);
}

/// The same for evenly spaced lanes. False if one of them is invalid, or if their range is not cached.
ALWAYS_INLINE bool find_footprint(Warp& w, const Insn& i, Footprint& footprint) {
    const u64 shared = window_base(w, Window::Shared, 0);
    if (i.window == Window::Generic) {
        const CachedRange* range = cached_ranges(w, i);
        return footprint.lies_in(i.access_bytes, range[0].base, range[0].size) ||
               footprint.lies_in(i.access_bytes, range[1].base, range[1].size) ||
               footprint.lies_in(i.access_bytes, shared, w.shared_size);
    }
    const bool inside = footprint.lies_in(i.access_bytes, 0, w.shared_size);
    footprint.low += shared;
    footprint.high += shared;
    return inside;
}
/// The slow path after find_footprint(), for the addresses in w.address.
ALWAYS_INLINE void check_footprint(Warp& w, const Insn& i, bool write) {
    if (i.window != Window::Generic) window_fault(w, i, i.window, write);
    check_slow(w, i, write);
}

/// Puts the host addresses of the active lanes into w.address.
[[gnu::noinline]] void resolve_lanes(Warp& w, const Insn& i, bool write) {
    operand_addresses(w, i.op[1], i.wide_address, i.offset);
    resolve_addresses<false>(w, i, i.window, write);
}

/// For a full mask: returns the footprint, which is Scattered if the addresses are in w.address.
ALWAYS_INLINE Footprint resolve_warp(Warp& w, const Insn& i, bool write) {
    if (i.window != Window::Local) {
        Footprint footprint = i.wide_address ? footprint_of<u64>(reg<u64>(w, i.op[1]), i.access_bytes, i.offset)
                                             : footprint_of<u32>(reg<u32>(w, i.op[1]), i.access_bytes, i.offset);
        if (footprint.shape != Shape::Scattered) {
            if (!find_footprint(w, i, footprint)) {
                operand_addresses(w, i.op[1], i.wide_address, i.offset);
                check_footprint(w, i, write);
            }
            return footprint;
        }
    }
    operand_addresses(w, i.op[1], i.wide_address, i.offset);
    resolve_addresses<true>(w, i, i.window, write);
    return {};
}
/// Out of line, for rare accesses.
[[gnu::noinline]] Footprint resolve_warp_rarely(Warp& w, const Insn& i, bool write) {
    return resolve_warp(w, i, write);
}
/// Element types that are accessed so often that all of the code is inlined.
template <class T, int N>
constexpr bool is_often_accessed = N == 1 && (sizeof(T) == 4 || sizeof(T) == 8);

// op[0] and op[2..4] are the destinations or sources in order, op[1] is the address.
ALWAYS_INLINE u32 element_operand(const Insn& i, int n) {
    return n == 0 ? i.op[0] : i.op[n + 1];
}

/// Loads evenly spaced lanes, from the first one on, in whole vectors: reading a register that was written in pieces is
/// slow, because no single store can be forwarded.
template <int First, int Count, class T, int N>
ALWAYS_INLINE void load_even(Stored<T>* const* d, u64 address, u64 span) {
    const T* source = reinterpret_cast<const T*>(address);
    if (span == 0) {
        for (int n = 0; n < N; ++n) {
            const Stored<T> value = static_cast<Stored<T>>(source[n]);
            if constexpr (sizeof(Stored<T>) <= 8) {
                const Vector<Stored<T>> all = Vector<Stored<T>>{} + value;
                for (int l = 0; l < Count; l += vector_lanes<Stored<T>>) store_vector(d[n] + First + l, all);
            } else {
                for (int l = 0; l < Count; ++l) d[n][First + l] = value;
            }
        }
    } else if constexpr (sizeof(T) < 4) {
        for (int n = 0; n < N; ++n) {
            Stored<T>* out = d[n] + First;
#pragma GCC ivdep
#pragma GCC unroll 1
            for (int l = 0; l < Count; ++l) out[l] = static_cast<Stored<T>>(source[l * N + n]);
        }
    } else {
        using Word = std::conditional_t<sizeof(T) == 4, u32, u64>;
        constexpr int words = Count * static_cast<int>(sizeof(T) / sizeof(Word)), lanes = vector_lanes<Word>;
        for (int l = 0; l < words; l += lanes) {
            Vector<Word> in[N], out[N];
            for (int n = 0; n < N; ++n)
                in[n] = load_vector<Word>(reinterpret_cast<const Word*>(source) + l * N + n * lanes);
            deinterleave<N, 1>(in, out);
            for (int n = 0; n < N; ++n) store_vector(reinterpret_cast<Word*>(d[n] + First) + l, out[n]);
        }
    }
}
template <bool All, class T, int N>
ALWAYS_INLINE void load_from(const Warp& w, const Insn& i, const Footprint& footprint) {
    const u64* address = w.address;
    Stored<T>* d[N];
    for (int n = 0; n < N; ++n) d[n] = reg<T>(w, element_operand(i, n));
    if (All && footprint.shape == Shape::Even) {
        load_even<0, 32, T, N>(d, footprint.low, footprint.low_span);
    } else if (All && footprint.shape == Shape::Halves) {
        load_even<0, 16, T, N>(d, footprint.low, footprint.low_span);
        load_even<16, 16, T, N>(d, footprint.high, footprint.high_span);
    } else {
        each_lane<All>(w.mask, [&](int l) {
            for (int n = 0; n < N; ++n) d[n][l] = static_cast<Stored<T>>(reinterpret_cast<const T*>(address[l])[n]);
        });
    }
}

template <class T, int N>
[[gnu::noinline]] void load_from_rarely(const Warp& w, const Insn& i, const Footprint& footprint) {
    load_from<true, T, N>(w, i, footprint);
}
template <bool All, class T, int N>
void load(Warp& w, const Insn& i) {
    if constexpr (!All) {
        resolve_lanes(w, i, false);
        load_from<false, T, N>(w, i, {});
    } else if constexpr (is_often_accessed<T, N>) {
        load_from<true, T, N>(w, i, resolve_warp(w, i, false));
    } else {
        load_from_rarely<T, N>(w, i, resolve_warp_rarely(w, i, false));
    }
}

/// Like load_even; if several lanes write to one place, the last one wins.
template <int First, int Count, class T, int N>
ALWAYS_INLINE void store_even(const Stored<T>* const* s, u64 address, u64 span) {
    T* target = reinterpret_cast<T*>(address);
    if (span == 0) {
        for (int n = 0; n < N; ++n) target[n] = static_cast<T>(s[n][First + Count - 1]);
    } else if constexpr (sizeof(T) < 4) {
        for (int n = 0; n < N; ++n) {
            const Stored<T>* in = s[n] + First;
#pragma GCC ivdep
#pragma GCC unroll 1
            for (int l = 0; l < Count; ++l) target[l * N + n] = static_cast<T>(in[l]);
        }
    } else {
        using Word = std::conditional_t<sizeof(T) == 4, u32, u64>;
        constexpr int words = Count * static_cast<int>(sizeof(T) / sizeof(Word)), lanes = vector_lanes<Word>;
        for (int l = 0; l < words; l += lanes) {
            Vector<Word> in[N], out[N];
            for (int n = 0; n < N; ++n) in[n] = load_vector<Word>(reinterpret_cast<const Word*>(s[n] + First) + l);
            interleave<N, 1>(in, out);
            for (int n = 0; n < N; ++n) store_vector(reinterpret_cast<Word*>(target) + l * N + n * lanes, out[n]);
        }
    }
}
template <bool All, class T, int N>
ALWAYS_INLINE void store_to(const Warp& w, const Insn& i, const Footprint& footprint) {
    const u64* address = w.address;
    const Stored<T>* s[N];
    for (int n = 0; n < N; ++n) s[n] = reg<T>(w, element_operand(i, n));
    if (All && footprint.shape == Shape::Even) {
        store_even<0, 32, T, N>(s, footprint.low, footprint.low_span);
    } else if (All && footprint.shape == Shape::Halves) {
        store_even<0, 16, T, N>(s, footprint.low, footprint.low_span);
        store_even<16, 16, T, N>(s, footprint.high, footprint.high_span);
    } else {
        each_lane<All>(w.mask, [&](int l) {
            for (int n = 0; n < N; ++n) reinterpret_cast<T*>(address[l])[n] = static_cast<T>(s[n][l]);
        });
    }
}

template <class T, int N>
[[gnu::noinline]] void store_to_rarely(const Warp& w, const Insn& i, const Footprint& footprint) {
    store_to<true, T, N>(w, i, footprint);
}
template <bool All, class T, int N>
void store(Warp& w, const Insn& i) {
    if constexpr (!All) {
        resolve_lanes(w, i, true);
        store_to<false, T, N>(w, i, {});
    } else if constexpr (is_often_accessed<T, N>) {
        store_to<true, T, N>(w, i, resolve_warp(w, i, true));
    } else {
        store_to_rarely<T, N>(w, i, resolve_warp_rarely(w, i, true));
    }
}

/// cp.async: op[0] is the destination in shared memory (32 or 64 bits, see wide_target), op[1] the source, op[2] the
/// number of bytes to read (the rest is zero-filled), op[3] the destination's offset. Done immediately, which is one of
/// the permitted orders.
template <bool All>
void copy_async(Warp& w, const Insn& i) {
    operand_addresses(w, i.op[0], i.wide_target, static_cast<s32>(i.op[3]));
    resolve_addresses<All>(w, i, Window::Shared, true);
    for (int l = 0; l < 32; ++l) w.copy_target[l] = w.address[l];
    const u32* take = i.op[2] == no_operand ? nullptr : reg<u32>(w, i.op[2]);
    const auto bytes_of = [&](int l) { return take && take[l] < i.access_bytes ? take[l] : u32{i.access_bytes}; };
    const u32 all = w.mask;
    u32 whole = 0;
    each_active(all, [&](int l) { whole |= bytes_of(l) == i.access_bytes ? lane_bit[l] : 0; });
    w.mask = whole;
    if (whole) resolve_lanes(w, i, false);
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
        for (u32 n = 0; n < i.access_bytes; ++n) d[n] = n < bytes ? s[n] : u8{0};
    });
}

template <bool All>
void fence(Warp&, const Insn&) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
template <bool All>
void ignore(Warp&, const Insn&) {}

template <bool All, class T, int Shift>
void read_clock(Warp& w, const Insn& i) {
    const T now = static_cast<T>(cycle_counter() >> Shift);
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
