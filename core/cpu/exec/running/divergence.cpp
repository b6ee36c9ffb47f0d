#include "exec/running/block.hpp"

namespace cpu::exec {

namespace {

constexpr std::uint32_t forced_points = 16;

void remove(Warp& warp, std::uint32_t n) {
    warp.splits[n] = warp.splits[--warp.split_count];
}

void merge_at(Warp& warp, std::uint32_t pc) {
    for (std::uint32_t n = warp.split_count; n-- > 0;) {
        Split& split = warp.splits[n];
        if (split.state != SplitState::Ready || split.pc != pc) continue;
        warp.mask |= split.mask;
        remove(warp, n);
    }
    update_next_pc(warp);
}

}  // namespace

void update_next_pc(Warp& warp) {
    warp.next_pc = ~0u;
    for (std::uint32_t n = 0; n < warp.split_count; ++n)
        if (warp.splits[n].state == SplitState::Ready && warp.splits[n].pc < warp.next_pc)
            warp.next_pc = warp.splits[n].pc;
}

void park(Warp& warp, std::uint32_t pc, std::uint32_t mask, SplitState state) {
    warp.splits[warp.split_count++] = Split{pc, mask, state, 0, 0, ++warp.clock};
    if (state == SplitState::Ready && pc < warp.next_pc) warp.next_pc = pc;
}

bool pick_lowest(Warp& warp) {
    warp.mask = 0;
    if (warp.next_pc == ~0u) return false;
    warp.pc = warp.next_pc;
    merge_at(warp, warp.pc);
    return true;
}

void reconverge(Warp& warp) {
    if (warp.forced > 0) {
        --warp.forced;
        return merge_at(warp, warp.pc);
    }
    if (warp.next_pc > warp.pc) return;
    if (warp.next_pc < warp.pc) {
        park(warp, warp.pc, warp.mask, SplitState::Ready);
        pick_lowest(warp);
        return;
    }
    merge_at(warp, warp.pc);
}

void run_starved(Warp& warp) {
    std::uint32_t oldest = warp.split_count;
    for (std::uint32_t n = 0; n < warp.split_count; ++n) {
        const Split& split = warp.splits[n];
        if (split.state != SplitState::Ready) continue;
        if (oldest == warp.split_count || split.last_run < warp.splits[oldest].last_run) oldest = n;
    }
    if (oldest == warp.split_count) return;
    const Split chosen = warp.splits[oldest];
    remove(warp, oldest);
    park(warp, warp.pc, warp.mask, SplitState::Ready);
    warp.pc = chosen.pc;
    warp.mask = chosen.mask;
    warp.forced = forced_points;
    update_next_pc(warp);
}

}  // namespace cpu::exec
