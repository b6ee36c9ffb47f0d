#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "exec/running/block.hpp"

namespace cpu::exec {

/// The blocks of a cluster, which run concurrently on one thread: they may wait for one another and access each other's
/// shared memory. In a launch without clusters, each block is its own cluster. Reused for one cluster after another.
struct Cluster {
    Grid& grid;
    std::uint32_t stride;  ///< distance in bytes from one block's shared memory to the next one's
    AlignedBytes shared;   ///< of all blocks, by rank
    std::vector<std::unique_ptr<Block>> blocks;
    std::uint32_t live_threads = 0;
    std::uint32_t arrived = 0;  ///< number of threads at barrier.cluster
    std::uint64_t releases =
        0;  ///< number of times that threads waiting for other blocks, or at an mbarrier, were released
    /// Since when all threads have been waiting, some of them at an mbarrier; the default: they have not.
    std::chrono::steady_clock::time_point idle_since{};

    Cluster(Grid& grid, CachedRanges& cache);
    /// Starts cluster `index` of the grid.
    void start(std::uint64_t index);
    /// Gives each block a turn. Waiting: no warp did more than wait for something to change.
    Block::Status step();
    /// Size in bytes, including its blocks.
    std::size_t size() const;
    /// The block whose shared memory contains the host address; null if none of the running blocks does.
    Block* block_of(std::uint64_t address) const;

private:
    Block::Status wait();
};

// cluster_barrier.cpp: lanes that wait are parked as SplitState::Cluster.
void arrive_at_cluster(Warp& warp, const Insn& insn);
/// Parks the running lanes that have arrived and are not released yet; false if no lane remains.
bool wait_for_cluster(Warp& warp);
/// The lanes of `mask` have exited.
void lanes_left_cluster(Warp& warp, std::uint32_t mask);

// mbarrier.cpp: lanes that wait at one are parked as SplitState::Mbarrier.
/// Called after a test_wait or try_wait: parks the lanes whose phase is not complete; false if no lane remains.
bool wait_at_mbarrier(Warp& warp, const Insn& insn);
/// Lets the cluster's lanes that wait at an mbarrier continue, with a failed wait; false if there are none.
bool time_out_waits(Cluster& cluster);

}  // namespace cpu::exec
