#pragma once
// The only place that accesses this machine's floating-point control register.

#include <cstdint>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace cpu::exec {

/// Directed rounding, as PTX's modifiers name it.
enum class HostRounding : std::uint16_t { Nearest, Down, Up, Zero };

/// The register's whole value: rounding, flushing of subnormal numbers, and traps.
class FloatControl {
public:
    static FloatControl of_this_thread() noexcept {
#if defined(__x86_64__)
        return FloatControl(_mm_getcsr());
#elif defined(__aarch64__)
        std::uint64_t bits;
        asm volatile("mrs %0, fpcr" : "=r"(bits));
        return FloatControl(bits);
#else
#error "directed rounding needs this machine's floating-point control register"
#endif
    }
    void install() const noexcept {
#if defined(__x86_64__)
        _mm_setcsr(static_cast<unsigned>(bits_));
#elif defined(__aarch64__)
        asm volatile("msr fpcr, %0" ::"r"(bits_) : "memory");
#endif
    }

    /// Round to nearest, keep subnormal numbers and the payloads of NaNs, trap nothing.
    static constexpr FloatControl standard() noexcept { return FloatControl(standard_bits); }

    constexpr FloatControl rounding(HostRounding mode) const noexcept {
        return FloatControl((bits_ & ~(std::uint64_t{3} << rounding_shift)) | rounding_bits(mode) << rounding_shift);
    }

private:
    constexpr explicit FloatControl(std::uint64_t bits) noexcept : bits_(bits) {}

#if defined(__x86_64__)  // MXCSR
    static constexpr std::uint64_t standard_bits = 0x1f80;
    static constexpr unsigned rounding_shift = 13;
    static constexpr std::uint64_t rounding_bits(HostRounding mode) noexcept {
        return static_cast<std::uint64_t>(mode);
    }
#else  // FPCR, where 1 is up and 2 is down
    static constexpr std::uint64_t standard_bits = 0;
    static constexpr unsigned rounding_shift = 22;
    static constexpr std::uint64_t rounding_bits(HostRounding mode) noexcept {
        return mode == HostRounding::Down ? 2 : mode == HostRounding::Up ? 1 : static_cast<std::uint64_t>(mode);
    }
#endif

    std::uint64_t bits_;
};

/// Installs `wanted`, and restores the previous value at the end of the scope.
class FloatControlScope {
public:
    explicit FloatControlScope(FloatControl wanted) noexcept : saved_(FloatControl::of_this_thread()) {
        wanted.install();
    }
    ~FloatControlScope() { saved_.install(); }
    FloatControlScope(const FloatControlScope&) = delete;
    FloatControlScope& operator=(const FloatControlScope&) = delete;

private:
    const FloatControl saved_;
};

}  // namespace cpu::exec
