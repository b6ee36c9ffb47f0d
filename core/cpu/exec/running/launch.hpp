#pragma once

#include <cuda.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace cpu::exec {

class Kernel;
class Memory;

/// One grid. The caller has checked block and grid against the device's limits and the parameter size
/// against the kernel's.
struct GridLaunch {
    const Kernel* kernel = nullptr;
    Memory* memory = nullptr;
    std::array<std::uint32_t, 3> grid{1, 1, 1};
    std::array<std::uint32_t, 3> block{1, 1, 1};
    std::array<std::uint32_t, 3> cluster{1, 1, 1};  ///< its blocks; divides the grid
    bool explicit_cluster = false;                  ///< a size was asked for
    std::uint32_t dynamic_shared_bytes = 0;
    std::span<const std::byte> parameters;      ///< the packed parameter block; copied before run returns
    std::span<const std::uint64_t> references;  ///< what KernelInfo::references are bound to: handles, 0 for nothing
    bool cooperative = false;
    int priority = 0;  ///< as a stream's: of several launches, the one with the lowest gets the processors first
    std::uint64_t heap_bytes = 8u << 20;  ///< what device code's malloc may give out in all
    std::uint64_t stack_bytes = 1024;     ///< what a thread gets where the code does not show how deep its calls go
    unsigned threads = 0;                 ///< worker threads to use; 0: PYCUDA_CPU_THREADS, else all cores
    double seconds = 0;                   ///< after which it is ended; 0: PYCUDA_CPU_WATCHDOG, else never
    std::uint32_t depth = 0;              ///< of launches by kernels: 0 is the host's
    std::uint64_t* lane_instructions = nullptr;  ///< if given: gets the instructions executed, counted once a lane
};

/// Why a grid ended early, and a report for people: kernel, block, thread, PTX line, address, nearest allocation.
struct Fault {
    CUresult code = CUDA_ERROR_LAUNCH_FAILED;
    std::string report;
    std::uint64_t address = 0;  ///< of a bad access to memory, else 0
};

/// Runs the grid to its end, on the calling thread and the shared worker threads. Device printf goes to stdout in
/// order. Nothing is thrown; after a fault, no further block starts.
std::optional<Fault> run(const GridLaunch& launch) noexcept;

}  // namespace cpu::exec
