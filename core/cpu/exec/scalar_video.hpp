#pragma once
// Video instructions of several elements, in one lane. Included by each instruction set's file.

#include "exec/lanes.hpp"
#include "exec/video_mode.hpp"

namespace cpu::exec {
namespace {

/// f of the n halves or bytes of a and b, put into those of c that the mask names, or added to c.
template <int n, class F>
ALWAYS_INLINE u32 video(u32 a, u32 b, u32 c, u32 mode, F f) {
    constexpr int width = 32 / n;
    constexpr s32 ones = (1 << width) - 1, top = 1 << (width - 1);
    // x ^ top - top extends the sign.
    const s32 top_a = mode & video_signed_a ? top : 0, top_b = mode & video_signed_b ? top : 0;
    const bool saturates = mode & video_saturate, is_signed = mode & video_signed_d;
    constexpr s32 far = 1 << 24;  // beyond every result
    const s32 least = !saturates ? -far : is_signed ? -top : 0;
    const s32 most = !saturates ? far : is_signed ? top - 1 : ones;
    u32 sum = c, merged = c;
    for (int k = 0; k < n; ++k) {
        const s32 x = static_cast<s32>((a >> k * width) & ones), y = static_cast<s32>((b >> k * width) & ones);
        const s32 result = f((x ^ top_a) - top_a, (y ^ top_b) - top_b);
        const s32 clamped = result < least ? least : result > most ? most : result;
        const u32 counts = mode & video_mask << k ? ~0u : 0u;
        sum += static_cast<u32>(clamped) & counts;
        const u32 place = (static_cast<u32>(ones) << k * width) & counts;
        merged = (merged & ~place) | (static_cast<u32>(clamped) << k * width & place);
    }
    return mode & video_sum ? sum : merged;
}

}  // namespace
}  // namespace cpu::exec
