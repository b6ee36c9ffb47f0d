#pragma once

#include <cstdint>

namespace cpu::exec {

/// Insn::mode of the video instructions of several elements, bit by bit.
enum VideoMode : std::uint16_t {
    video_signed_a = 1 << 0,  ///< elements of a are signed; so of b
    video_signed_b = 1 << 1,
    video_signed_d = 1 << 2,  ///< of d: to what results saturate
    video_mask = 1 << 3,      ///< the first of the bits that say which results count, the lowest element first
};
/// In the bits from video_function_shift on.
enum class VideoFunction : std::uint8_t {
    Add,
    Subtract,
    Average,
    Difference,
    Minimum,
    Maximum,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
};
inline constexpr unsigned video_function_shift = 8;

}  // namespace cpu::exec
