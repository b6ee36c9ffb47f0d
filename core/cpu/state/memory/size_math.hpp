#pragma once

#include "state/error.hpp"

#include <cstddef>

namespace cpu::state {

// Arithmetic on sizes that come from the program: an overflow is CUDA_ERROR_INVALID_VALUE.

inline std::size_t sum(std::size_t a, std::size_t b) {
    std::size_t result = 0;
    require(!__builtin_add_overflow(a, b, &result));
    return result;
}

inline std::size_t product(std::size_t a, std::size_t b) {
    std::size_t result = 0;
    require(!__builtin_mul_overflow(a, b, &result));
    return result;
}

}  // namespace cpu::state
