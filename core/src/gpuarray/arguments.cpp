#include "gpuarray/arguments.hpp"

#include <bit>

namespace pycuda::gpuarray {

// n / d = (high(n * factor) + n) >> shift, with 2^shift the power of two that is at least d.

Divisor::Divisor(std::uint64_t divisor) noexcept : size(static_cast<std::uint32_t>(divisor)) {
    shift = static_cast<std::uint32_t>(std::bit_width(divisor - 1));
    const std::uint64_t excess = (1ull << shift) - divisor;
    factor = static_cast<std::uint32_t>((excess << 32) / divisor + 1);
}

WideDivisor::WideDivisor(std::uint64_t divisor) noexcept : size(divisor) {
    shift = static_cast<std::uint64_t>(std::bit_width(divisor - 1));
    __extension__ using Wide = unsigned __int128;
    const Wide excess = (static_cast<Wide>(1) << shift) - divisor;
    factor = static_cast<std::uint64_t>((excess << 64) / divisor + 1);
}

}  // namespace pycuda::gpuarray
