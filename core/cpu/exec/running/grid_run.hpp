#pragma once

#include <memory>
#include <optional>

#include "exec/running/launch.hpp"
#include "exec/running/pool.hpp"

namespace cpu::exec {

struct LaunchState;

/// A launch that runs. A thread may leave it unfinished, for another to continue.
class GridRun {
public:
    explicit GridRun(const GridLaunch& launch) noexcept;
    ~GridRun();
    GridRun(const GridRun&) = delete;
    GridRun& operator=(const GridRun&) = delete;

    /// Runs it on the calling thread and the shared worker threads. False if it has not ended by `leave_at`: the shared
    /// threads go on, and another call, on any thread, must continue it.
    bool run(Time leave_at = never) noexcept;
    /// Why it ended early.
    std::optional<Fault> take_fault() noexcept { return std::move(fault_); }

private:
    bool run_blocks(Time leave_at);
    bool run_requests(Time leave_at);
    void end_blocks();

    /// Counts a kernel while it runs.
    struct Counted {
        explicit Counted(Memory& memory) noexcept;
        ~Counted();
        Counted(const Counted&) = delete;
        Counted& operator=(const Counted&) = delete;
        Memory& memory;
    };

    const GridLaunch launch_;
    const Counted counted_;
    std::unique_ptr<LaunchState> state_;
    std::optional<SharedWork> shared_;  ///< destroyed before the state, which helpers use
    bool is_first_done_ = false;        ///< no block is left to start
    bool are_blocks_done_ = false;
    std::optional<Fault> fault_;
};

}  // namespace cpu::exec
