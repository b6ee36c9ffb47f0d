#include "exec/running/cluster.hpp"

#include <algorithm>

namespace cpu::exec {

namespace {

using Clock = std::chrono::steady_clock;

/// How long all threads of a cluster may wait at mbarriers and barriers before this counts as a deadlock. Only they can
/// release each other, but the loop around a wait may do other work, or check the time.
constexpr std::chrono::seconds patience{5};

std::array<std::uint32_t, 3> coordinates(std::uint64_t index, const std::array<std::uint32_t, 3>& size) {
    return {static_cast<std::uint32_t>(index % size[0]), static_cast<std::uint32_t>(index / size[0] % size[1]),
            static_cast<std::uint32_t>(index / size[0] / size[1])};
}

}  // namespace

// A gap between the shared memories of the blocks makes overruns detectable.
Cluster::Cluster(Grid& g, CachedRanges& cache)
    : grid(g),
      stride(g.blocks_per_cluster == 1 ? std::max(1u, g.all_shared_bytes()) : (g.all_shared_bytes() + 511) / 256 * 256),
      shared(std::size_t{stride} * g.blocks_per_cluster) {
    for (std::uint32_t rank = 0; rank < grid.blocks_per_cluster; ++rank)
        blocks.push_back(std::make_unique<Block>(*this, rank, cache));
}

std::size_t Cluster::size() const {
    std::size_t bytes = shared.size();
    for (const auto& block : blocks) bytes += block->registers.size() + block->local.size() + block->warps.size_bytes();
    return bytes;
}

void Cluster::start(std::uint64_t index) {
    live_threads = grid.threads_per_block * grid.blocks_per_cluster;
    arrived = 0;
    releases = 0;
    idle_since = {};
    std::array<std::uint32_t, 3> clusters;
    for (int n = 0; n < 3; ++n) clusters[n] = grid.size[n] / grid.cluster[n];
    const auto first = coordinates(index, clusters);
    if (blocks.size() == 1) return blocks[0]->start(first);
    for (std::uint32_t rank = 0; rank < blocks.size(); ++rank) {
        std::array<std::uint32_t, 3> ctaid = coordinates(rank, grid.cluster);
        for (int n = 0; n < 3; ++n) ctaid[n] += first[n] * grid.cluster[n];
        blocks[rank]->start(ctaid);
    }
}

Block::Status Cluster::step() {
    using Status = Block::Status;
    const std::uint64_t before = releases;
    bool done = true, running = false, spinning = false;
    for (const auto& block : blocks) {
        if (block->live_threads == 0) continue;
        const Status status = block->step();
        done &= status == Status::Done;
        running |= status == Status::Running;
        spinning |= status == Status::Waiting;
    }
    if (done) return Status::Done;
    if (running || releases != before) {
        idle_since = {};
        return Status::Running;
    }
    if (!spinning) return wait();
    time_out_waits(*this);
    idle_since = {};
    return Status::Waiting;
}

/// Called when every thread waits. Lets waits at mbarriers time out; if there are none, or if this has lasted too long,
/// raises a deadlock.
Block::Status Cluster::wait() {
    const auto now = Clock::now();
    if (idle_since == Clock::time_point{}) idle_since = now;
    if (now - idle_since > patience || !time_out_waits(*this))
        raise_deadlock(**std::ranges::find_if(blocks, [](const auto& block) { return block->live_threads != 0; }));
    return Block::Status::Waiting;
}

Block* Cluster::block_of(std::uint64_t address) const {
    const std::uint64_t offset = address - reinterpret_cast<std::uint64_t>(shared.get());
    if (offset / stride >= blocks.size() || offset % stride >= grid.all_shared_bytes()) return nullptr;
    Block* const block = blocks[offset / stride].get();
    return block->live_threads ? block : nullptr;
}

}  // namespace cpu::exec
