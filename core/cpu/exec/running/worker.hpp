#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "exec/delayed_sums.hpp"
#include "exec/running/cluster.hpp"

namespace cpu::exec {

/// One thread's share of a launch: the clusters that are alive on it.
class Worker {
public:
    explicit Worker(Grid& grid);
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    /// The worker checks the time after this many rounds over all clusters.
    static constexpr unsigned turns_between_looks = 64;

    /// False if it has not finished by `leave_at`. Then another call, on any thread, continues it.
    bool run(Time leave_at = never, unsigned turns_between = turns_between_looks) noexcept;
    /// Called when the launch has ended: releases objects that must not live longer.
    void end() {
        if (!grid_.kernel.textures.empty()) textures_ = {};
    }
    /// The size in bytes of what it keeps for the next launch.
    std::size_t size() const;
    /// The grid is reused for another launch, with this as its first worker.
    void start_again();

private:
    bool run_clusters(Time leave_at, unsigned turns_between);
    bool start_next();
    bool step_all();
    void interrupt(const char* why);

    Grid& grid_;
    unsigned number_;
    unsigned turns_ = 0;
    void see_leases() noexcept;

    std::vector<CachedRange> ranges_;   ///< two for each memory instruction
    std::vector<const Lease*> leases_;  ///< of each range
    TextureCache textures_;
    CachedRanges cache_;
    std::unique_ptr<DelayedSums> delayed_;
    std::uint64_t started_ = 0;  ///< clusters
    std::vector<std::unique_ptr<Cluster>> resident_, spare_;
};

}  // namespace cpu::exec
