#include <algorithm>
#include <cstdio>
#include <cstring>
#include <thread>

#include "exec/environment.hpp"
#include "exec/running/block.hpp"
#include "exec/running/grid_constants.hpp"
#include "exec/running/pool.hpp"

namespace cpu::exec {

namespace {

constexpr std::size_t flush_threshold = 1 << 16;

using Clock = std::chrono::steady_clock;

Time deadline_of(const GridLaunch& launch) {
    static const double all = environment_number("PYCUDA_CPU_WATCHDOG", 0.0, 1e9, "a number of seconds").value_or(0);
    const double seconds = launch.seconds > 0 ? launch.seconds : all;
    if (seconds == 0) return never;
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

std::uint32_t count(const std::array<std::uint32_t, 3>& size) {
    return size[0] * size[1] * size[2];
}

std::uint64_t cluster_count(const GridLaunch& launch) {
    return std::uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2] / count(launch.cluster);
}

unsigned thread_count(const GridLaunch& launch) {
    const unsigned threads = launch.threads ? launch.threads : default_threads();
    return static_cast<unsigned>(std::min<std::uint64_t>(threads, cluster_count(launch)));
}

/// The stack limit applies only where the code does not show the depth, and then only if it exceeds the minimum of
/// every thread.
std::uint32_t local_bytes_of(const GridLaunch& launch) {
    const Kernel& kernel = *launch.kernel;
    constexpr std::uint64_t max = 1u << 24;
    const std::uint64_t stack = std::clamp<std::uint64_t>(launch.stack_bytes, open_ended_stack, max);
    return kernel.local_bytes +
           (kernel.open_ended ? static_cast<std::uint32_t>(stack - open_ended_stack) / 64 * 64 : 0);
}

}  // namespace

Grid::Grid(const GridLaunch& given)
    : launch(given),
      kernel(*launch.kernel),
      memory(*launch.memory),
      block(launch.block),
      cluster(launch.cluster),
      blocks_per_cluster(count(launch.cluster)),
      explicit_cluster(launch.explicit_cluster),
      dynamic_shared_bytes(launch.dynamic_shared_bytes),
      cooperative(launch.cooperative),
      counting(launch.lane_instructions != nullptr),
      parameters(std::max<std::size_t>(launch.parameters.size(), kernel.info.parameter_bytes)),
      parameter_bytes(static_cast<std::uint32_t>(launch.parameters.size())),
      local_bytes(local_bytes_of(launch)),
      constants(kernel.constant_bytes) {
    threads_per_block = block[0] * block[1] * block[2];
    warps_per_block = (threads_per_block + warp_size - 1) / warp_size;
    // With these sizes, each half of a warp is in one row of the block.
    affine = kernel.affine_begin != no_operand && (block[0] % 16 == 0 || block[1] * block[2] == 1);
    // If one warp waits for another, each needs its own turns. A warp's printf output must stay together.
    together = affine && !counting && !kernel.may_wait && !kernel.info.uses_printf;
    shared_bytes = kernel.uses_dynamic_shared || dynamic_shared_bytes
                       ? kernel.dynamic_shared_offset + dynamic_shared_bytes
                       : kernel.info.static_shared_bytes;
    if (kernel.uses_reserved_shared) {
        reserved_shared_offset = (shared_bytes + 127) / 128 * 128;
        reserved_shared_bytes = 1024;
    }
    if (cooperative) {
        workspace = AlignedBytes(256);
        std::memset(workspace.get(), 0, 256);
        memory.add({reinterpret_cast<std::uintptr_t>(workspace.get()), 256, false});
    }
    take(true);
}

// Blocks that may wait for one another start in order, as on a GPU: the blocks that they wait for have then usually
// started.
void Grid::take(bool fresh) {
    const bool resized = size != launch.grid;
    size = launch.grid;
    heap_bytes = launch.heap_bytes;
    clusters = cluster_count(launch);
    threads = thread_count(launch);
    queue.start(clusters, kernel.may_wait ? 1 : threads);
    if (!launch.parameters.empty()) std::memcpy(parameters.get(), launch.parameters.data(), launch.parameters.size());
    for (const LaunchConstant& c : kernel.constants)
        if (fresh || c.kind == LaunchConstant::Kind::Parameter || c.kind == LaunchConstant::Kind::Reference ||
            (resized && c.kind == LaunchConstant::Kind::Special))
            broadcast(*this, launch.references, c, constants.get() + c.offset, fresh);
    deadline = deadline_of(launch);
}

bool Grid::start_again(const GridLaunch& next) {
    if (&memory != next.memory || block != next.block || cluster != next.cluster ||
        explicit_cluster != next.explicit_cluster || dynamic_shared_bytes != next.dynamic_shared_bytes ||
        local_bytes != local_bytes_of(next) || parameter_bytes != next.parameters.size() || next.cooperative ||
        next.lane_instructions)
        return false;
    launch = next;
    workers = 0;
    take(false);
    return true;
}

Grid::~Grid() {
    if (cooperative) memory.remove(reinterpret_cast<std::uintptr_t>(workspace.get()));
}

void Grid::fail(CUresult code, std::string report, std::uint64_t address) {
    std::lock_guard lock(mutex);
    if (!fault) fault = Fault{code, std::move(report), address};
    cancelled.store(true, std::memory_order_relaxed);
}

DeviceRuntime& Grid::device_runtime() {
    std::lock_guard lock(mutex);
    if (!runtime) runtime = std::make_unique<DeviceRuntime>();
    return *runtime;
}

void Grid::print(std::string_view text) {
    std::lock_guard lock(mutex);
    output += text;
    if (output.size() > flush_threshold) flush();
}

void Grid::flush() {
    if (output.empty()) return;
    std::fwrite(output.data(), 1, output.size(), stdout);
    std::fflush(stdout);
    output.clear();
}

}  // namespace cpu::exec
