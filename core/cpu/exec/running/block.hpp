#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "exec/checks/instrument.hpp"
#include "exec/code.hpp"
#include "exec/running/aligned_bytes.hpp"
#include "exec/running/block_queue.hpp"
#include "exec/running/device_runtime.hpp"
#include "exec/running/launch.hpp"
#include "exec/running/memory.hpp"
#include "exec/warp.hpp"

namespace cpu::exec {

/// Thrown by raise_fault, caught by the worker that runs the block.
struct FaultSignal {
    CUresult code;
    std::string report;
    std::uint64_t address;  ///< of a bad access to memory, else 0
};

/// What is shared by all blocks of a launch.
struct Grid {
    GridLaunch launch;  ///< of which the parameters are copied below
    const Kernel& kernel;
    Memory& memory;
    std::array<std::uint32_t, 3> size{}, block;
    std::array<std::uint32_t, 3> cluster;  ///< its blocks in each direction
    std::uint32_t blocks_per_cluster = 1;
    bool explicit_cluster = false;
    std::uint32_t dynamic_shared_bytes = 0;
    std::uint32_t shared_bytes = 0;
    std::uint32_t reserved_shared_offset = 0;  ///< of the system's part, behind the kernel's
    std::uint32_t reserved_shared_bytes = 0;   ///< none if the kernel does not name it
    std::uint32_t threads_per_block = 1;
    std::uint32_t warps_per_block = 1;
    bool cooperative = false;
    bool counting = false;
    std::atomic<std::uint64_t> lane_instructions{0};
    AlignedBytes parameters;  ///< a copy: the address space .param lies here
    std::uint32_t parameter_bytes = 0;
    std::uint64_t heap_bytes = 0;  ///< what malloc may give out in all
    std::uint32_t local_bytes;     ///< of a thread
    AlignedBytes constants;
    AlignedBytes workspace;  ///< of a cooperative launch: its grid barrier
    std::uint64_t clusters = 1;
    bool affine = false;    ///< whole warps start in affine code
    bool together = false;  ///< and run it together
    std::atomic<bool> cancelled{false};
    std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();

    std::mutex mutex;  ///< of the following
    std::optional<Fault> fault;
    std::string output;                      ///< of device printf, not yet on stdout
    std::unique_ptr<DeviceRuntime> runtime;  ///< what its threads asked for; none: nothing

    unsigned threads = 1;  ///< that may work on it
    BlockQueue queue;
    std::atomic<unsigned> workers{0};  ///< that have begun

    /// Of one block, with the system's part.
    std::uint32_t all_shared_bytes() const {
        return reserved_shared_bytes ? reserved_shared_offset + reserved_shared_bytes : shared_bytes;
    }

    explicit Grid(const GridLaunch& launch);
    /// Makes it the grid of another launch of the kernel; false, and nothing happened, if that has another shape. This
    /// one has ended, and kept its blocks.
    bool start_again(const GridLaunch& next);
    /// Ends the kernels of its memory where the program, if this is a thread of it, does not want to wait any longer.
    void ask_for_interruption();
    ~Grid();
    Grid(const Grid&) = delete;
    Grid& operator=(const Grid&) = delete;
    void fail(CUresult code, std::string report, std::uint64_t address = 0);
    void print(std::string_view text);
    DeviceRuntime& device_runtime();
    void flush();

private:
    void take(bool fresh);
};

struct Barrier {
    std::uint32_t arrived = 0;
    std::uint32_t expected = 0;                  ///< 0: every thread that has not exited
    std::uint32_t count = 0;                     ///< bar.red: arrived threads whose predicate holds
    std::array<std::uint32_t, warp_size> lanes;  ///< that have arrived, of each warp; only where a count is expected

    void clear() { arrived = expected = count = 0; }
};

struct Cluster;

/// A block that runs: its warps with their registers, local and shared memory. Used again for one block after another.
struct Block {
    Grid& grid;
    Cluster& cluster;
    std::uint32_t rank;  ///< in the cluster
    std::byte* shared;   ///< its part of the cluster's
    std::uint32_t smid = 0;
    std::array<std::uint32_t, 3> ctaid{~0u, ~0u, ~0u};  ///< none yet
    std::unique_ptr<Warp[]> warp_storage;               ///< not cleared: most of a Warp is scratch space
    std::span<Warp> warps;
    AlignedBytes registers, local;
    std::array<Barrier, 16> barriers{};
    std::uint32_t awaited = 0;  ///< one bit for each barrier at which threads have arrived
    std::uint32_t live_threads = 0;
    std::vector<std::uint32_t> at_cluster;  ///< lanes of each warp that have arrived at the cluster's barrier
    BlockChecks checks;

    Block(Cluster& cluster, std::uint32_t rank, CachedRanges& cache);
    /// Makes it the block of the grid that is called so, at its start.
    void start(const std::array<std::uint32_t, 3>& ctaid);
    enum class Status { Done, Running, Waiting, Blocked };
    /// One turn for each warp. Waiting: no warp did more than wait in a loop for something to change; Blocked: none can
    /// go on.
    Status step();

private:
    void clear_reserved_shared();
    void set_ctaid(int n);
    std::size_t count_together(std::size_t first) const;

    bool fresh_ = false;  ///< no warp has run yet
    std::vector<std::uint32_t>
        first_groups_;  ///< of warps that begin as a group: at the first one, how many; at the others 0
};

enum class Outcome {
    Done,      ///< every lane has exited
    Blocked,   ///< every live lane waits at a barrier, an mbarrier or for other lanes
    Yielded,   ///< the turn is over
    Spinning,  ///< the turn is over, and the loop may wait for another warp or block
};
Outcome run_warp(Warp& warp);
/// How many warps of those that are at one place in affine code, from the first on, can run it as a group (affine.cpp).
std::size_t count_group(std::span<Warp> warps, std::uint32_t pc);
/// Runs them, one instruction for all after the other, and leaves in `warps` those that were together to the end. Done:
/// they have exited; Blocked: they have parted.
Outcome run_group(std::span<Warp>& warps);

// Divergence (divergence.cpp): the running split is (warp.pc, warp.mask); the others are parked.
void park(Warp& warp, std::uint32_t pc, std::uint32_t mask, SplitState state);
/// Makes the ready split with the lowest pc the running one; false if none is ready.
bool pick_lowest(Warp& warp);
void update_next_pc(Warp& warp);
/// At a reconvergence point: merges with parked splits at this pc, or switches to one that is further behind.
void reconverge(Warp& warp);
/// Runs the split that has waited longest, for a while without regard to the lowest pc.
void run_starved(Warp& warp);

/// From affine code to that for any warp: the instruction at `pc` is the next one (affine.cpp).
void leave_affine(Warp& warp, std::uint32_t pc);

// Barriers (barrier.cpp). Each leaves the running split's lanes parked or released and warp.mask at 0.
void arrive_at_barrier(Warp& warp, const Insn& insn, bool waits);
/// The lanes of `mask` have exited.
void lanes_exited(Warp& warp, std::uint32_t mask);
/// False: the running lanes were parked until the others that the instruction names are there.
bool synchronize(Warp& warp, const Insn& insn);

/// No thread of the cluster can go on: raises the fault that says which threads wait where (deadlock.cpp).
[[noreturn]] void raise_deadlock(const Block& block);

// Calls (call.cpp).
void enter_call(Warp& warp, const Insn& insn, std::uint32_t pc);
void return_from_call(Warp& warp, const Insn& insn, std::uint32_t pc);

}  // namespace cpu::exec
