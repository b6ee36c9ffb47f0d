#pragma once

#include <cuda.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "exec/running/queued_work.hpp"

namespace cpu::exec {

class Kernel;
class Memory;

/// When a thread leaves work that is not finished, so that another one may continue it.
using Time = std::chrono::steady_clock::time_point;
constexpr Time never = Time::max();

/// A launch of one grid. The caller has checked block and grid against the device's limits, and the size of the
/// parameters against the kernel's.
struct GridLaunch {
    const Kernel* kernel = nullptr;
    Memory* memory = nullptr;
    std::array<std::uint32_t, 3> grid{1, 1, 1};
    std::array<std::uint32_t, 3> block{1, 1, 1};
    std::array<std::uint32_t, 3> cluster{1, 1, 1};  ///< its size in blocks; divides the grid
    bool explicit_cluster = false;                  ///< the launch specified a size
    std::uint32_t dynamic_shared_bytes = 0;
    std::span<const std::byte> parameters;      ///< the packed parameter block; copied before run returns
    std::span<const std::uint64_t> references;  ///< the handles bound to KernelInfo::references, 0 for unbound ones
    bool cooperative = false;
    /// Like a stream's priority: of several launches, the one with the lowest value gets processors first.
    int priority = 0;
    QueuedAt queued;                      ///< decides what pools had lent: see Lease
    std::uint64_t heap_bytes = 8u << 20;  ///< how much device code's malloc may allocate in total
    std::uint64_t stack_bytes = 1024;     ///< the stack of a thread where the code does not show the depth of its calls
    unsigned threads = 0;                 ///< worker threads to use; 0: PYCUDA_CPU_THREADS, else all cores
    double seconds = 0;                   ///< time limit; 0: PYCUDA_CPU_WATCHDOG, else none
    std::uint32_t depth = 0;              ///< nesting depth of launches by kernels; 0 for the host's
    /// If given, receives the number of executed instructions, counted per lane.
    std::uint64_t* lane_instructions = nullptr;
};

/// Why a grid ended early, with a readable report: kernel, block, thread, PTX line, address, nearest allocation.
struct Fault {
    CUresult code = CUDA_ERROR_LAUNCH_FAILED;
    std::string report;
    std::uint64_t address = 0;  ///< the address of an invalid access, else 0
};

/// Runs the grid to its end, on the calling thread and the shared worker threads. Device printf goes to stdout in
/// order. Never throws; after a fault, no further block starts.
std::optional<Fault> run(const GridLaunch& launch) noexcept;

}  // namespace cpu::exec
