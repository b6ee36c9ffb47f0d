#pragma once

#include <cuda.h>

#include <array>
#include <atomic>
#include <cstdint>

#include "pycuda/launching/launch.hpp"

namespace pycuda {

class LaunchGraph;

/// Queues the launches of one kernel in the cheaper way. A kernel that is launched again and again in one stream gets
/// an executable graph of one node, whose arguments and geometry each launch updates: on GPUs that costs the
/// host about half of cuLaunchKernel. It is used only where it is faster: the first launches are timed, and a kernel
/// that gains nothing is launched plainly for a while, each time longer, before it is tried again. A launch is a plain
/// one wherever a graph could behave differently: with attributes, while the stream captures, in a trace, in a stream
/// with a priority, in the per-thread default stream, in another context than the graph's, on the CPU device, and when
/// another thread launches the same kernel in the same stream at this moment. PYCUDA_LAUNCH=plain (never a graph) and
/// PYCUDA_LAUNCH=graph (also on the CPU device, and if it is not faster) change that.
///
/// There are at most 32 graphs in a process, of about 110 KB of device memory each. They end with their module, stream
/// or context. Thread-safe. Copies start without graphs.
class RepeatedLaunches {
public:
    RepeatedLaunches() = default;
    RepeatedLaunches(const RepeatedLaunches&) noexcept {}
    RepeatedLaunches& operator=(const RepeatedLaunches&) noexcept { return *this; }

    /// Queues one grid, without the attributes of `config`: return cuLaunchKernel's result, or CUDA_SUCCESS. `extra`:
    /// the block of arguments as cuLaunchKernel takes it, or null. The function's context must be current.
    CUresult queue(CUfunction function, const LaunchConfig& config, void** extra);

private:
    CUresult queue_repeated(CUfunction function, const LaunchConfig& config, void** extra);
    void make_graph(CUfunction function, const LaunchConfig& config, void** extra);

    static constexpr unsigned streams = 4;  ///< with graphs at a time
    std::atomic<LaunchGraph*> graphs_[streams] = {};
    std::atomic<std::uint64_t> owner_{0};     ///< identifies it to its graphs; 0: it has none yet
    std::atomic<std::uint32_t> launches_{0};  ///< plain ones
    std::atomic<unsigned> next_{0};           ///< index in graphs_ to replace next
    std::array<std::atomic<std::uint32_t>, 8> plain_nanoseconds_{};  ///< of the last timed plain launches
    std::atomic<std::uint32_t> pause_{0};  ///< plain launches left before a graph is tried again
    std::atomic<std::uint32_t> next_pause_{1024};
};

/// Ends the graphs of an object that is about to end or to change its launches. The context must be current.
void forget_launch_graphs_of(CUmodule module) noexcept;
void forget_launch_graphs_of(CUstream stream) noexcept;
void forget_launch_graphs_of(CUfunction function) noexcept;
/// Ends those of a context; `reachable`: it is current, and its graphs can be destroyed.
void forget_launch_graphs_of(CUcontext context, bool reachable) noexcept;

}  // namespace pycuda
