// barrier.cluster.
#include <algorithm>
#include <bit>

#include "exec/running/cluster.hpp"

namespace cpu::exec {

namespace {

void release_waiting(Block& block) {
    for (Warp& w : block.warps) {
        // The barrier orders all accesses up to its wait, including each lane's between arrive and wait, before later
        // ones.
        if (RaceCheck* race = block.checks.race.get(); race && !block.at_cluster.empty())
            if (const std::uint32_t lanes = block.at_cluster[w.index]) race->order.released(w, lanes, cluster_barrier);
        for (std::uint32_t n = 0; n < w.split_count; ++n) {
            Split& split = w.splits[n];
            if (split.state != SplitState::Cluster) continue;
            split.state = SplitState::Ready;
            ++split.pc;
        }
        update_next_pc(w);
    }
    std::ranges::fill(block.at_cluster, 0);
    if (block.checks.race) block.checks.race->order.completed(cluster_barrier);
}

void release_if_complete(Cluster& cluster) {
    if (cluster.arrived == 0 || cluster.arrived < cluster.live_threads) return;
    cluster.arrived = 0;
    ++cluster.releases;
    for (const auto& block : cluster.blocks) release_waiting(*block);
}

}  // namespace

void arrive_at_cluster(Warp& w, const Insn& insn) {
    w.block->at_cluster.resize(w.block->warps.size());
    std::uint32_t& waiting = w.block->at_cluster[w.index];
    if (const std::uint32_t again = waiting & w.mask)
        raise_fault(w, insn, CUDA_ERROR_LAUNCH_FAILED, std::countr_zero(again), 0,
                    "a second barrier.cluster.arrive without a barrier.cluster.wait");
    if (RaceCheck* race = w.block->checks.race.get()) race->order.arrived(w, w.mask, cluster_barrier);
    waiting |= w.mask;
    w.block->cluster.arrived += static_cast<std::uint32_t>(std::popcount(w.mask));
    release_if_complete(w.block->cluster);
}

bool wait_for_cluster(Warp& w) {
    const std::vector<std::uint32_t>& arrived = w.block->at_cluster;
    const std::uint32_t waiting = arrived.empty() ? 0 : arrived[w.index] & w.mask;
    if (waiting) park(w, w.pc, waiting, SplitState::Cluster);
    w.mask &= ~waiting;
    ++w.pc;
    return w.mask != 0;
}

void lanes_left_cluster(Warp& w, std::uint32_t mask) {
    Cluster& cluster = w.block->cluster;
    cluster.live_threads -= static_cast<std::uint32_t>(std::popcount(mask));
    if (cluster.arrived == 0) return;
    w.block->at_cluster.resize(w.block->warps.size());
    std::uint32_t& waiting = w.block->at_cluster[w.index];
    cluster.arrived -= static_cast<std::uint32_t>(std::popcount(waiting & mask));
    waiting &= ~mask;
    if (cluster.arrived) release_if_complete(cluster);
}

}  // namespace cpu::exec
