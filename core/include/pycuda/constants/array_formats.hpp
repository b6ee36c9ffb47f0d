#pragma once

#include <cstddef>

#include "pycuda/constants/constants.hpp"

namespace pycuda {

/// Bytes of one channel of a plain format (integers of 8 to 32 bits, HALF, FLOAT); 0 for packed and compressed ones.
constexpr std::size_t channel_bytes(ArrayFormat format) noexcept {
    switch (format) {
        case ArrayFormat::UNSIGNED_INT8:
        case ArrayFormat::SIGNED_INT8:
            return 1;
        case ArrayFormat::UNSIGNED_INT16:
        case ArrayFormat::SIGNED_INT16:
        case ArrayFormat::HALF:
            return 2;
        case ArrayFormat::UNSIGNED_INT32:
        case ArrayFormat::SIGNED_INT32:
        case ArrayFormat::FLOAT:
            return 4;
        default:
            return 0;
    }
}

}  // namespace pycuda
