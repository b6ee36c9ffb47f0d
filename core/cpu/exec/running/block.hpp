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
    std::uint64_t address;  ///< the address of an invalid access, else 0
};

/// The state that all blocks of a launch share.
struct Grid {
    GridLaunch launch;  ///< its parameters are copied below
    const Kernel& kernel;
    Memory& memory;
    std::array<std::uint32_t, 3> size{}, block;
    std::array<std::uint32_t, 3> cluster;  ///< its size in blocks, in each direction
    std::uint32_t blocks_per_cluster = 1;
    bool explicit_cluster = false;
    std::uint32_t dynamic_shared_bytes = 0;
    std::uint32_t shared_bytes = 0;
    std::uint32_t reserved_shared_offset = 0;  ///< where the system's part starts, after the kernel's
    std::uint32_t reserved_shared_bytes = 0;   ///< 0 if the kernel does not use it
    std::uint32_t threads_per_block = 1;
    std::uint32_t warps_per_block = 1;
    bool cooperative = false;
    bool counting = false;
    std::atomic<std::uint64_t> lane_instructions{0};
    AlignedBytes parameters;  ///< a copy, which the address space .param refers to
    std::uint32_t parameter_bytes = 0;
    std::uint64_t heap_bytes = 0;  ///< how much malloc may allocate in total
    std::uint32_t local_bytes;     ///< local memory of each thread
    AlignedBytes constants;
    AlignedBytes workspace;  ///< for a cooperative launch: its grid barrier
    std::uint64_t clusters = 1;
    bool affine = false;    ///< whole warps start in affine code
    bool together = false;  ///< and run it in groups
    std::atomic<bool> cancelled{false};
    Time deadline = never;

    std::mutex mutex;  ///< guards the following
    std::optional<Fault> fault;
    std::string output;                      ///< output of device printf that is not yet on stdout
    std::unique_ptr<DeviceRuntime> runtime;  ///< what the kernel's threads requested; null: nothing

    unsigned threads = 1;  ///< maximum number that may work on it
    BlockQueue queue;
    std::atomic<unsigned> workers{0};  ///< how many have started

    /// The shared memory of one block, including the system's part.
    std::uint32_t all_shared_bytes() const {
        return reserved_shared_bytes ? reserved_shared_offset + reserved_shared_bytes : shared_bytes;
    }

    explicit Grid(const GridLaunch& launch);
    /// Reuses the object for another launch of the kernel, whose grid may have another size. Returns false, without
    /// effect, if anything else that blocks depend on differs. The previous launch must have ended.
    bool start_again(const GridLaunch& next);
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
    std::uint32_t count = 0;                     ///< bar.red: number of arrived threads whose predicate is true
    std::array<std::uint32_t, warp_size> lanes;  ///< the arrived lanes of each warp; only if a count is expected

    void clear() { arrived = expected = count = 0; }
};

struct Cluster;

/// A running block: its warps with their registers, local and shared memory. Reused for one block after another.
struct Block {
    Grid& grid;
    Cluster& cluster;
    std::uint32_t rank;  ///< in the cluster
    std::byte* shared;   ///< its part of the cluster's shared memory
    std::uint32_t smid = 0;
    std::array<std::uint32_t, 3> ctaid{~0u, ~0u, ~0u};  ///< ~0: none yet
    std::unique_ptr<Warp[]> warp_storage;               ///< not cleared: most of a Warp is scratch space
    std::span<Warp> warps;
    AlignedBytes registers, local;
    std::array<Barrier, 16> barriers{};
    std::uint32_t awaited = 0;  ///< one bit for each barrier with arrived threads
    std::uint32_t live_threads = 0;
    std::vector<std::uint32_t> at_cluster;  ///< for each warp, the lanes that have arrived at the cluster's barrier
    BlockChecks checks;

    Block(Cluster& cluster, std::uint32_t rank, CachedRanges& cache);
    /// Starts the block with this index in the grid.
    void start(const std::array<std::uint32_t, 3>& ctaid);
    enum class Status { Done, Running, Waiting, Blocked };
    /// Gives each warp a turn. Waiting: those that ran only waited in a loop for something to change; Blocked: none can
    /// continue.
    Status step();

private:
    void clear_reserved_shared();
    void set_ctaid(int n);
    std::size_t count_together(std::size_t first) const;

    bool fresh_ = false;  ///< no warp has run yet
    std::vector<std::uint32_t>
        first_groups_;  ///< the groups in which warps start: for the first warp of a group its size, for the others 0
};

enum class Outcome {
    Done,      ///< every lane has exited
    Blocked,   ///< every live lane waits at a barrier, an mbarrier or for other lanes
    Yielded,   ///< the turn is over
    Spinning,  ///< the turn is over, and the loop may wait for another warp or block
};
Outcome run_warp(Warp& warp);
/// How many of the warps, which are at one place in affine code, can run it as a group, counted from the first
/// (affine.cpp).
std::size_t count_group(std::span<Warp> warps, std::uint32_t pc);
/// Runs them in lockstep, and leaves in `warps` those that stayed together to the end. Done: they have exited; Blocked:
/// they have diverged.
Outcome run_group(std::span<Warp>& warps);

// Divergence (divergence.cpp): the running split is (warp.pc, warp.mask); all other splits are parked.
void park(Warp& warp, std::uint32_t pc, std::uint32_t mask, SplitState state);
/// Makes the ready split with the lowest pc the running one; false if none is ready.
bool pick_lowest(Warp& warp);
void update_next_pc(Warp& warp);
/// At a reconvergence point: merges with splits parked at this pc, or switches to one with a lower pc.
void reconverge(Warp& warp);
/// Switches to the split that has waited longest, and lets it run for a while although its pc is not the lowest.
void run_starved(Warp& warp);

/// Switches from affine code to the generic code: the instruction at `pc` is next (affine.cpp).
void leave_affine(Warp& warp, std::uint32_t pc);

// Barriers (barrier.cpp). Lanes that arrive, exit or have to wait are no longer running: warp.mask is then 0.
void arrive_at_barrier(Warp& warp, const Insn& insn, bool waits);
/// The lanes of `mask` have exited.
void lanes_exited(Warp& warp, std::uint32_t mask);
/// Runs the instruction if all lanes that it names have arrived. If not, parks the running lanes and returns false.
bool synchronize(Warp& warp, const Insn& insn);

/// No thread of the cluster can continue: raises a fault that says which threads wait where (deadlock.cpp).
[[noreturn]] void raise_deadlock(const Block& block);

// Calls (call.cpp).
void enter_call(Warp& warp, const Insn& insn, std::uint32_t pc);
void return_from_call(Warp& warp, const Insn& insn, std::uint32_t pc);

}  // namespace cpu::exec
