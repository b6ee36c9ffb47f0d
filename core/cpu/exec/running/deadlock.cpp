// The fault report for a cluster in which no thread can continue.
#include <algorithm>
#include <bit>
#include <bitset>
#include <map>
#include <tuple>

#include "exec/running/cluster.hpp"
#include "exec/running/report.hpp"

namespace cpu::exec {

namespace {

constexpr int max_ranges = 4;

using Threads = std::bitset<limits::threads_per_block>;

/// "threads (0, 0, 0) to (15, 0, 0), (32, 0, 0)"
std::string names(const Block& block, const Threads& threads) {
    std::string text = threads.count() == 1 ? "thread " : "threads ";
    int ranges = 0;
    for (std::uint32_t t = 0; t < limits::threads_per_block; ++t) {
        if (!threads[t]) continue;
        std::uint32_t last = t;
        while (last + 1 < limits::threads_per_block && threads[last + 1]) ++last;
        if (ranges++ == max_ranges) return text + ", ...";
        text += (ranges > 1 ? ", " : "") + thread_name(block, t) +
                (last == t ? "" : (last == t + 1 ? ", " : " to ") + thread_name(block, last));
        t = last;
    }
    return text;
}

void add(Threads& threads, const Warp& w, std::uint32_t mask) {
    for (; mask; mask &= mask - 1) threads.set(thread_number(w, std::countr_zero(mask)));
}

std::string at_barrier(const Block& block, std::uint32_t id) {
    const Barrier& barrier = block.barriers[id];
    const std::uint32_t wanted = barrier.expected ? barrier.expected : block.live_threads;
    return "at barrier " + std::to_string(id) + ", where " + std::to_string(barrier.arrived) + " of " +
           std::to_string(wanted) + " threads have arrived";
}

}  // namespace

void raise_deadlock(const Block& block) {
    struct Waiting {
        Threads threads;
        std::uint32_t required = 0;
    };
    // Keyed by pc and what the threads wait for.
    std::map<std::tuple<std::uint32_t, SplitState, std::uint32_t>, Waiting> waiting_at;
    Threads exited;
    for (const Warp& w : block.warps) {
        const std::uint32_t threads = std::min(warp_size, block.grid.threads_per_block - w.index * warp_size);
        add(exited, w, (threads == warp_size ? full_mask : (1u << threads) - 1) & ~w.live);
        for (std::uint32_t n = 0; n < w.split_count; ++n) {
            const Split& split = w.splits[n];
            Waiting& waiting = waiting_at[{split.pc, split.state, split.barrier}];
            add(waiting.threads, w, split.mask);
            waiting.required = split.required;
        }
    }
    const auto what = [&](SplitState state, std::uint32_t barrier, std::uint32_t required) {
        if (state == SplitState::Barrier) return at_barrier(block, barrier);
        if (state == SplitState::Sync) return "for the lanes " + hex(required) + " of the warp";
        if (state == SplitState::Mbarrier) return std::string("for a phase of an mbarrier");
        return "at barrier.cluster, where " + std::to_string(block.cluster.arrived) + " of " +
               std::to_string(block.cluster.live_threads) + " threads have arrived";
    };
    std::string text = "deadlock in block " + block_name(block) + ", divergent barriers";
    for (const auto& [where, waiting] : waiting_at) {
        const auto& [pc, state, barrier] = where;
        text += "; " + names(block, waiting.threads) + (waiting.threads.count() == 1 ? " waits " : " wait ") +
                what(state, barrier, waiting.required) + ", " + code_location(block.grid.kernel, pc);
    }
    if (exited.any()) text += "; " + names(block, exited) + (exited.count() == 1 ? " has exited" : " have exited");
    throw FaultSignal{CUDA_ERROR_LAUNCH_TIMEOUT, text, 0};
}

}  // namespace cpu::exec
