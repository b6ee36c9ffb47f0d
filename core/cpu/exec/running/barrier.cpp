#include <bit>
#include <string>

#include "exec/operands.hpp"
#include "exec/running/cluster.hpp"
#include "ptx/modifiers.hpp"

namespace cpu::exec {

namespace {

/// Returns the first running lane's value of `operand`. Lanes with another value are parked; they run later.
std::uint32_t park_others(Warp& w, std::uint32_t operand) {
    const std::uint32_t* values = lanes_of<std::uint32_t>(w, operand);
    const std::uint32_t value = values[std::countr_zero(w.mask)];
    if (operand & 1) return value;  // a constant: the same in all lanes
    std::uint32_t different = 0, same = 0;
    for (std::uint32_t lane = 0; lane < warp_size; ++lane) different |= values[lane] ^ value;
    if (!different) return value;
    for (std::uint32_t rest = w.mask; rest; rest &= rest - 1)
        if (values[std::countr_zero(rest)] == value) same |= rest & -rest;
    if (same != w.mask) park(w, w.pc, w.mask & ~same, SplitState::Ready);
    w.mask = same;
    return value;
}

/// bar.red: writes the reduction of the threads' predicates to the lanes of `mask`.
void put_reduction(Warp& w, const Insn& insn, std::uint32_t mask, const Barrier& barrier) {
    const auto operation = static_cast<ptx::Operation>(insn.reduction);
    if (operation == ptx::Operation::Popc) {
        auto* d = lanes_of<std::uint32_t>(w, insn.op[3]);
        each_lane(mask, [&](int lane) { d[lane] = barrier.count; });
        return;
    }
    const bool holds = operation == ptx::Operation::And ? barrier.count == barrier.arrived : barrier.count > 0;
    std::uint32_t& d = predicate_of(w, insn.op[3]);
    d = holds ? d | mask : d & ~mask;
}

/// For PYCUDA_CPU_CHECK=race: threads that wait at the complete barrier are ordered after all arrivals.
void order_accesses(Block& block, RaceCheck& race, std::uint32_t id) {
    const auto each_waiting = [&](auto f) {
        for (const Warp& w : block.warps)
            for (std::uint32_t n = 0; n < w.split_count; ++n)
                if (w.splits[n].state == SplitState::Barrier && w.splits[n].barrier == id) f(w, w.splits[n].mask);
    };
    std::uint32_t waiting = 0;
    each_waiting([&](const Warp&, std::uint32_t mask) { waiting += static_cast<std::uint32_t>(std::popcount(mask)); });
    // A barrier without a count does not wait for exited threads, so their accesses are complete as well.
    const bool counted = block.barriers[id].expected != 0;
    const bool whole = waiting == (counted ? block.grid.threads_per_block : block.live_threads);
    if (!whole) each_waiting([&](const Warp& w, std::uint32_t mask) { race.order.released(w, mask, id); });
    race.order.completed(id);
    if (whole) race.start_epoch();
}

/// An explicit count counts whole warps: for the warps that have arrived, it includes lanes that exited or never
/// existed.
std::uint32_t absent_lanes(const Block& block, const Barrier& barrier) {
    int absent = 0;
    for (const Warp& w : block.warps)
        if (const std::uint32_t lanes = barrier.lanes[w.index]) absent += std::popcount(~w.live & ~lanes);
    return static_cast<std::uint32_t>(absent);
}

void release_if_complete(Block& block, std::uint32_t id) {
    Barrier& barrier = block.barriers[id];
    const bool complete = barrier.expected ? barrier.arrived + absent_lanes(block, barrier) >= barrier.expected
                                           : barrier.arrived >= block.live_threads;
    if (!complete) return;
    if (block.checks.race) order_accesses(block, *block.checks.race, id);
    for (Warp& w : block.warps) {
        for (std::uint32_t n = 0; n < w.split_count; ++n) {
            Split& split = w.splits[n];
            if (split.state != SplitState::Barrier || split.barrier != id) continue;
            const Insn& insn = block.grid.kernel.insns[split.pc];
            if (insn.op[3] != no_operand) put_reduction(w, insn, split.mask, barrier);
            split.state = SplitState::Ready;
            ++split.pc;
        }
        update_next_pc(w);
    }
    barrier.clear();
    block.awaited &= ~(1u << id);
}

/// All threads at a barrier must give the same count, a multiple of the warp size.
void check_count(Warp& w, const Insn& insn, std::uint32_t id, std::uint32_t expected) {
    const Barrier& barrier = w.block->barriers[id];
    const std::uint32_t all = w.block->grid.warps_per_block * warp_size;
    const auto count = [all](std::uint32_t given) { return given ? given : all; };
    std::string what;
    if (expected % warp_size != 0)
        what = "a barrier for " + std::to_string(expected) + " threads, which is not a multiple of 32: barrier " +
               std::to_string(id);
    else if (barrier.arrived && count(barrier.expected) != count(expected))
        what = "barrier " + std::to_string(id) + " for " + std::to_string(count(expected)) + " threads, while " +
               std::to_string(barrier.arrived) + " threads wait at it for " + std::to_string(count(barrier.expected));
    if (!what.empty()) raise_fault(w, insn, CUDA_ERROR_LAUNCH_FAILED, std::countr_zero(w.mask), 0, what.c_str());
}

std::uint32_t required_lanes(const Warp& w, std::uint32_t members, std::uint32_t self) {
    return (members & w.live) | self;
}

/// The parked lanes that have arrived at a Sync instruction like this one.
std::uint32_t parked_lanes(const Warp& w, const Insn& insn, std::uint32_t members) {
    std::uint32_t lanes = 0;
    for (std::uint32_t n = 0; n < w.split_count; ++n) {
        const Split& split = w.splits[n];
        if (split.state == SplitState::Sync && split.required == members &&
            w.block->grid.kernel.insns[split.pc].run[1] == insn.run[1])
            lanes |= split.mask;
    }
    return lanes;
}

/// Lanes that waited at the current instruction rejoin the running lanes: the rest of a matrix instruction needs all of
/// them.
void join_parked(Warp& w, std::uint32_t members) {
    for (std::uint32_t n = w.split_count; n-- > 0;) {
        const Split& split = w.splits[n];
        if (split.state != SplitState::Sync || split.required != members || split.pc != w.pc) continue;
        w.mask |= split.mask;
        w.splits[n] = w.splits[--w.split_count];
    }
}

/// Runs the instruction for every parked split at an instruction like this one, whose lanes are all in w.group.
void run_parked(Warp& w, const Insn& insn, std::uint32_t members) {
    const std::uint32_t running = w.mask;
    for (std::uint32_t n = 0; n < w.split_count; ++n) {
        Split& split = w.splits[n];
        const Insn& other = w.block->grid.kernel.insns[split.pc];
        if (split.state != SplitState::Sync || split.required != members || other.run[1] != insn.run[1]) continue;
        w.mask = split.mask;
        other.run[1](w, other);
        split.state = SplitState::Ready;
        ++split.pc;
    }
    w.mask = running;
    update_next_pc(w);
}

}  // namespace

void arrive_at_barrier(Warp& w, const Insn& insn, bool waits) {
    Block& block = *w.block;
    const std::uint32_t id = park_others(w, insn.op[0]);
    if (id >= block.barriers.size()) raise_fault(w, insn, CUDA_ERROR_LAUNCH_FAILED, -1, 0, "barrier number above 15");
    const std::uint32_t expected = insn.op[1] == no_operand ? 0 : park_others(w, insn.op[1]);
    Barrier& barrier = block.barriers[id];
    if (expected % warp_size != 0 || (barrier.arrived && barrier.expected != expected))
        check_count(w, insn, id, expected);
    const std::uint32_t lanes = w.mask;
    block.awaited |= 1u << id;
    if (expected) {
        if (!barrier.arrived) barrier.lanes.fill(0);
        barrier.lanes[w.index] |= lanes;
    }
    barrier.arrived += static_cast<std::uint32_t>(std::popcount(lanes));
    barrier.expected = expected;
    if (insn.op[2] != no_operand)
        barrier.count += static_cast<std::uint32_t>(std::popcount(predicate_of(w, insn.op[2]) & lanes));
    if (block.checks.race) block.checks.race->order.arrived(w, lanes, id);
    if (waits) {
        park(w, w.pc, lanes, SplitState::Barrier);
        w.splits[w.split_count - 1].barrier = static_cast<std::uint8_t>(id);
    } else {
        park(w, w.pc + 1, lanes, SplitState::Ready);
    }
    w.mask = 0;
    release_if_complete(block, id);
}

void lanes_exited(Warp& w, std::uint32_t mask) {
    Block& block = *w.block;
    w.live &= ~mask;
    w.mask = 0;
    block.live_threads -= static_cast<std::uint32_t>(std::popcount(mask));
    lanes_left_cluster(w, mask);
    for (std::uint32_t rest = block.awaited; rest; rest &= rest - 1)
        release_if_complete(block, static_cast<std::uint32_t>(std::countr_zero(rest)));
    for (std::uint32_t n = 0; n < w.split_count; ++n) {
        const Split split = w.splits[n];
        if (split.state != SplitState::Sync) continue;
        const Insn& insn = block.grid.kernel.insns[split.pc];
        const std::uint32_t lanes = parked_lanes(w, insn, split.required);
        if (required_lanes(w, split.required, lanes) != lanes) continue;
        w.group = lanes;
        if (block.checks.race) block.checks.race->order.synchronized(w, lanes);
        run_parked(w, insn, split.required);
    }
}

bool synchronize(Warp& w, const Insn& insn) {
    const std::uint32_t members = park_others(w, insn.op[5]);
    insn.run[0](w, insn);
    const std::uint32_t lanes = parked_lanes(w, insn, members) | w.mask;
    if (required_lanes(w, members, lanes) == lanes) {
        w.group = lanes;
        if (w.block->checks.race) w.block->checks.race->order.synchronized(w, lanes);
        if (lanes != w.mask) join_parked(w, members);
        insn.run[1](w, insn);
        if (lanes != w.mask) run_parked(w, insn, members);
        return true;
    }
    park(w, w.pc, w.mask, SplitState::Sync);
    w.splits[w.split_count - 1].required = members;
    w.mask = 0;
    return false;
}

}  // namespace cpu::exec
