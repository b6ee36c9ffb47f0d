#pragma once

#include <cstdint>

namespace cpu::exec {

/// The bits of Insn::mode in video instructions of several elements.
enum VideoMode : std::uint16_t {
    video_signed_a = 1 << 0,  ///< elements of a are signed; the next bit says so of b
    video_signed_b = 1 << 1,
    video_signed_d = 1 << 2,  ///< results saturate to a signed range
    video_mask = 1 << 3,      ///< the first of the bits that select the results to use, lowest element first
};
/// The function, in the bits from video_function_shift on.
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
