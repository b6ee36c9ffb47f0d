#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "exec/running/block.hpp"

namespace cpu::exec {

/// The blocks of a cluster, which run at the same time and on one thread: they may wait for one another and access each
/// other's shared memory. Where a launch has no clusters, each block is one. Used again for one cluster after another.
struct Cluster {
    Grid& grid;
    std::uint32_t stride;  ///< bytes from one block's shared memory to the next one's
    AlignedBytes shared;   ///< of all blocks, by rank
    std::vector<std::unique_ptr<Block>> blocks;
    std::uint32_t live_threads = 0;
    std::uint32_t arrived = 0;  ///< threads, at barrier.cluster
    std::uint64_t releases =
        0;  ///< number of times that threads waiting for other blocks, or at an mbarrier, were released
    std::chrono::steady_clock::time_point idle_since{};  ///< when all began to wait for an mbarrier; none: they do not

    Cluster(Grid& grid, CachedRanges& cache);
    /// Makes it cluster `index` of the grid, at its start.
    void start(std::uint64_t index);
    /// A turn for each block. Waiting: no warp did more than wait for something to change.
    Block::Status step();
    /// In bytes, with its blocks.
    std::size_t size() const;
    /// The block in whose shared memory the host address lies; null: in none of a block that still runs.
    Block* block_of(std::uint64_t address) const;

private:
    Block::Status wait();
};

// cluster_barrier.cpp: lanes that wait are parked as SplitState::Cluster.
void arrive_at_cluster(Warp& warp, const Insn& insn);
/// Park the running lanes that have arrived and are not released; false if that is all of them.
bool wait_for_cluster(Warp& warp);
/// The lanes of `mask` have exited.
void lanes_left_cluster(Warp& warp, std::uint32_t mask);

// mbarrier.cpp: lanes that wait at one are parked as SplitState::Mbarrier.
/// A test_wait or try_wait has been run: parks the lanes whose phase is not complete; false if that is all of them.
bool wait_at_mbarrier(Warp& warp, const Insn& insn);
/// Lets the waiting lanes of the cluster go on, without what they waited for; false if there are none.
bool time_out_waits(Cluster& cluster);

}  // namespace cpu::exec
