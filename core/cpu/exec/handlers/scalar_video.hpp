#pragma once
// Video instructions of several elements, for one lane. Included by each instruction set's file.

#include "exec/handlers/lanes.hpp"
#include "exec/handlers/video_mode.hpp"

namespace cpu::exec {
namespace {

/// What happens to the results: they replace elements of c, perhaps saturated, or are added to c.
enum class Way { Merge, Saturate, Sum };

ALWAYS_INLINE s32 video_function(u32 mode, s32 x, s32 y) {
    switch (static_cast<VideoFunction>(mode >> video_function_shift)) {
        case VideoFunction::Add:
            return x + y;
        case VideoFunction::Subtract:
            return x - y;
        case VideoFunction::Average:
            return (x + y + (x + y >= 0)) >> 1;
        case VideoFunction::Difference:
            return __builtin_abs(x - y);
        case VideoFunction::Minimum:
            return x < y ? x : y;
        case VideoFunction::Maximum:
            return x < y ? y : x;
        case VideoFunction::Equal:
            return x == y;
        case VideoFunction::NotEqual:
            return x != y;
        case VideoFunction::Less:
            return x < y;
        case VideoFunction::LessEqual:
            return x <= y;
        case VideoFunction::Greater:
            return x > y;
        case VideoFunction::GreaterEqual:
            return x >= y;
    }
    __builtin_unreachable();
}

/// Applies the mode's function to the n halves or bytes of a and b.
template <int n, Way way>
[[gnu::noinline]] u32 video(u32 a, u32 b, u32 c, u32 mode) {
    constexpr int width = 32 / n;
    constexpr s32 ones = (1 << width) - 1, top = 1 << (width - 1);
    // (x ^ top) - top extends the sign.
    const s32 top_a = mode & video_signed_a ? top : 0, top_b = mode & video_signed_b ? top : 0;
    const s32 min = mode & video_signed_d ? -top : 0, max = min + ones;
    u32 sum = c, packed = 0, counted = 0;
#pragma GCC unroll 4
    for (int k = 0; k < n; ++k) {
        const s32 x = static_cast<s32>((a >> k * width) & ones), y = static_cast<s32>((b >> k * width) & ones);
        s32 result = video_function(mode, (x ^ top_a) - top_a, (y ^ top_b) - top_b);
        if constexpr (way == Way::Saturate) result = result < min ? min : result > max ? max : result;
        const u32 counts = mode & video_mask << k ? ~0u : 0u;
        const u32 field = (static_cast<u32>(ones) << k * width) & counts;
        sum += static_cast<u32>(result) & counts;
        packed |= (static_cast<u32>(result) << k * width) & field;
        counted |= field;
    }
    return way == Way::Sum ? sum : packed | (c & ~counted);
}

}  // namespace
}  // namespace cpu::exec
