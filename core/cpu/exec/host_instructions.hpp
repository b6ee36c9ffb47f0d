#pragma once
// The only place for instructions of the host that C++ cannot express.

#include <cstdint>

namespace cpu::exec {

/// True if the host performs loads in program order, and stores too.
#if defined(__x86_64__)
inline constexpr bool host_keeps_order = true;
#else
inline constexpr bool host_keeps_order = false;
#endif

/// Tells the processor that this is a spin loop.
[[gnu::always_inline]] inline void spin_pause() noexcept {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("isb" ::
                     : "memory");  // `yield` is a no-op on most processors; this stops the pipeline for tens of cycles
#endif
}

/// A counter that increases while the processor runs, like a device's clock.
[[gnu::always_inline]] inline std::uint64_t cycle_counter() noexcept {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    // The generic timer, of 25 to 1000 MHz. The shift keeps the difference over a short kernel from being zero.
    std::uint64_t ticks;
    asm volatile("mrs %0, cntvct_el0" : "=r"(ticks)::"memory");
    return ticks << 5;
#else
#error "this machine's cycle counter is not known"
#endif
}

__extension__ typedef unsigned __int128 SixteenBytes;

/// A sequentially consistent compare-exchange. Returns false, with the current value in `expected`, if it differed.
/// Inline, because without -march for the newest processors the compiler calls a library.
[[gnu::always_inline]] inline bool exchange_16_bytes(SixteenBytes* cell, SixteenBytes& expected, SixteenBytes wanted) {
    std::uint64_t low = static_cast<std::uint64_t>(expected), high = static_cast<std::uint64_t>(expected >> 64);
    const std::uint64_t wanted_low = static_cast<std::uint64_t>(wanted),
                        wanted_high = static_cast<std::uint64_t>(wanted >> 64);
    bool same;
#if defined(__x86_64__)
    asm volatile("lock cmpxchg16b %1"
                 : "=@ccz"(same), "+m"(*cell), "+a"(low), "+d"(high)
                 : "b"(wanted_low), "c"(wanted_high)
                 : "memory");
#elif defined(__aarch64__)
    // An exclusive load of a pair is atomic only if the store succeeds, so a pair that differs is stored back.
    std::uint64_t found_low, found_high;
    unsigned failed;
    asm volatile(
        "1: ldaxp %[found_low], %[found_high], %[cell]\n"
        "   cmp %[found_low], %[low]\n"
        "   ccmp %[found_high], %[high], #0, eq\n"
        "   b.ne 2f\n"
        "   stlxp %w[failed], %[wanted_low], %[wanted_high], %[cell]\n"
        "   cbnz %w[failed], 1b\n"
        "   b 3f\n"
        "2: stlxp %w[failed], %[found_low], %[found_high], %[cell]\n"
        "   cbnz %w[failed], 1b\n"
        "3: dmb ish\n"
        : [found_low] "=&r"(found_low), [found_high] "=&r"(found_high), [failed] "=&r"(failed), [cell] "+Q"(*cell)
        : [low] "r"(low), [high] "r"(high), [wanted_low] "r"(wanted_low), [wanted_high] "r"(wanted_high)
        : "cc", "memory");
    same = found_low == low && found_high == high;
    low = found_low, high = found_high;
#else
#error "this machine's exchange of 16 bytes is not known"
#endif
    expected = SixteenBytes{high} << 64 | low;
    return same;
}

}  // namespace cpu::exec
