#include <algorithm>
#include <cstdio>
#include <cstring>
#include <thread>

#include "exec/delayed_sums.hpp"
#include "exec/environment.hpp"
#include "exec/float_environment.hpp"
#include "exec/interruption.hpp"
#include "exec/observation.hpp"
#include "exec/running/cluster.hpp"
#include "exec/running/grid_constants.hpp"
#include "exec/running/pool.hpp"

namespace cpu::exec {

namespace {

/// Clusters that one thread keeps alive at once when they wait for others; a cooperative launch keeps all of them.
constexpr std::size_t most_resident = 64;
/// Rounds in which every resident cluster only waited, before another one is started.
constexpr int rounds_before_next = 32;
constexpr std::size_t flush_threshold = 1 << 16;
/// Turns of all its clusters after which a thread of the program asks whether that still wants to wait.
constexpr unsigned turns_between_questions = 64;
/// Flush delayed additions every N clusters so that polling from the host sees progress.
constexpr int clusters_of_delay = 64;

using Clock = std::chrono::steady_clock;
constexpr Clock::time_point never = Clock::time_point::max();
/// A launch that ends by then ends before other threads could have joined.
constexpr std::chrono::microseconds head_start{5};

Clock::time_point deadline_of(const GridLaunch& launch) {
    static const double all = environment_number("PYCUDA_CPU_WATCHDOG", 0.0, 1e9, "a number of seconds").value_or(0);
    const double seconds = launch.seconds > 0 ? launch.seconds : all;
    if (seconds == 0) return never;
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

/// One thread's share of a launch: the clusters that it keeps alive.
class Worker {
public:
    explicit Worker(Grid& grid)
        : grid_(grid), number_(grid.workers.fetch_add(1, std::memory_order_relaxed)), ranges_(known_ranges(grid)) {
        cache_.ranges = ranges_->ranges.data();
        cache_.count = ranges_->ranges.size();
        cache_.textures = &textures_;
        cache_.current = ranges_->memory;
        cache_.generation = ranges_->generation;
        if (!grid.kernel.delays_sums) return;
        delayed_ = std::make_unique<DelayedSums>(grid.memory);
        cache_.delayed = delayed_.get();
    }

    ~Worker() {
        if (grid_.kernel.delays_sums) return;  // begins to delay where it meets a range that it does not know
        ranges_->generation = cache_.generation;
        KnownRanges* none = nullptr;
        if (grid_.kernel.spare_ranges.ranges.compare_exchange_strong(none, ranges_.get())) ranges_.release();
    }
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    /// False if it has not ended by then.
    bool run(Clock::time_point pause) {
        int idle_rounds = 0;
        while (!grid_.cancelled.load(std::memory_order_relaxed)) {
            if (resident_.empty() && (wanted_elsewhere() || !start_next())) return true;
            if (pause != never && Clock::now() >= pause) return false;
            const bool waiting = step_all();
            idle_rounds = waiting ? idle_rounds + 1 : 0;
            if (idle_rounds >= (grid_.cooperative ? 1 : rounds_before_next)) {
                idle_rounds = 0;
                const bool room = grid_.cooperative || resident_.size() < most_resident;
                if (!room || !start_next()) std::this_thread::yield();
            }
            check_deadline();
            check_interruption();
        }
        return true;
    }

    /// The launch may end without this worker.
    void leave() {
        if (delayed_) end_delaying(*delayed_);
    }

private:
    static std::unique_ptr<KnownRanges> known_ranges(const Grid& grid) {
        std::unique_ptr<KnownRanges> known(grid.kernel.spare_ranges.ranges.exchange(nullptr));
        if (known && known->memory == grid.memory.generation_address()) return known;
        return std::make_unique<KnownRanges>(
            KnownRanges{std::vector<CachedRange>(2 * std::size_t{grid.kernel.cached_accesses}),
                        grid.memory.generation_address(), grid.memory.generation()});
    }

    bool start_next() {
        const std::optional<std::uint64_t> number = grid_.queue.take(number_);
        if (!number) return false;
        if (delayed_ && ++started_ % clusters_of_delay == 0) add_delayed(*delayed_);
        if (spare_.empty()) spare_.push_back(std::make_unique<Cluster>(grid_, cache_));
        resident_.push_back(std::move(spare_.back()));
        spare_.pop_back();
        resident_.back()->start(*number);
        return true;
    }

    /// A turn for each cluster; true if all of them only waited.
    bool step_all() {
        bool waiting = true;
        for (std::size_t n = 0; n < resident_.size();) {
            const Block::Status status = resident_[n]->step();
            waiting &= status == Block::Status::Waiting;
            if (status != Block::Status::Done) {
                ++n;
                continue;
            }
            spare_.push_back(std::move(resident_[n]));
            resident_.erase(resident_.begin() + static_cast<std::ptrdiff_t>(n));
        }
        return waiting;
    }

    void check_deadline() {
        if (grid_.deadline == never || Clock::now() < grid_.deadline) return;
        grid_.fail(CUDA_ERROR_LAUNCH_TIMEOUT, "the launch ran longer than PYCUDA_CPU_WATCHDOG allows");
    }

    void check_interruption() {
        if (++turns_ % turns_between_questions == 0) grid_.ask_for_interruption();
        const char* const why = grid_.memory.why_to_end();
        if (!why) return;
        grid_.fail(CUDA_ERROR_LAUNCH_FAILED, "kernel " + grid_.kernel.info.name +
                                                 ": ended, because the program stopped waiting for it (" + why + ")");
    }

    Grid& grid_;
    unsigned number_;
    unsigned turns_ = 0;
    std::unique_ptr<KnownRanges> ranges_;
    TextureCache textures_;
    CachedRanges cache_;
    std::unique_ptr<DelayedSums> delayed_;
    std::uint64_t started_ = 0;  ///< clusters
    std::vector<std::unique_ptr<Cluster>> resident_, spare_;
};

bool work(Grid& grid, Worker& worker, Clock::time_point pause = never) noexcept {
    // Kernels compute as PTX says, whatever the threads of the program have made of their floating-point environment.
    const FloatControlScope floats(FloatControl::standard());
    const ObservedWork observed(grid.kernel.info.name.c_str());
    bool finished = true;
    try {
        finished = worker.run(pause);
    } catch (const FaultSignal& fault) {
        grid.fail(fault.code, "kernel " + grid.kernel.info.name + ": " + fault.report, fault.address);
    } catch (const std::bad_alloc&) {
        grid.fail(CUDA_ERROR_OUT_OF_MEMORY, "kernel " + grid.kernel.info.name + ": no memory for a block");
    } catch (const std::exception& e) {
        grid.fail(CUDA_ERROR_UNKNOWN, "kernel " + grid.kernel.info.name + ": " + e.what());
    }
    worker.leave();
    return finished;
}

void help(Grid& grid) noexcept {
    try {
        Worker worker(grid);
        work(grid, worker);
    } catch (const std::bad_alloc&) {
        // The others do it without this one.
    }
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

/// The stack limit counts where the code does not show the depth, and then only above what every thread has.
std::uint32_t local_bytes_of(const GridLaunch& launch) {
    const Kernel& kernel = *launch.kernel;
    constexpr std::uint64_t most = 1u << 24;
    const std::uint64_t stack = std::clamp<std::uint64_t>(launch.stack_bytes, open_ended_stack, most);
    return kernel.local_bytes +
           (kernel.open_ended ? static_cast<std::uint32_t>(stack - open_ended_stack) / 64 * 64 : 0);
}

}  // namespace

// Blocks that may wait for one another start in order, as on a GPU: usually the blocks they wait for have started.
Grid::Grid(const GridLaunch& given)
    : launch(given),
      kernel(*launch.kernel),
      memory(*launch.memory),
      size(launch.grid),
      block(launch.block),
      cluster(launch.cluster),
      blocks_per_cluster(count(launch.cluster)),
      explicit_cluster(launch.explicit_cluster),
      dynamic_shared_bytes(launch.dynamic_shared_bytes),
      cooperative(launch.cooperative),
      counting(launch.lane_instructions != nullptr),
      parameters(std::max<std::size_t>(launch.parameters.size(), kernel.info.parameter_bytes)),
      parameter_bytes(static_cast<std::uint32_t>(launch.parameters.size())),
      heap_bytes(launch.heap_bytes),
      local_bytes(local_bytes_of(launch)),
      constants(kernel.spare_constants.bank.exchange(nullptr)),
      clusters(cluster_count(launch)),
      threads(thread_count(launch)),
      queue(clusters, kernel.may_wait ? 1 : threads) {
    threads_per_block = block[0] * block[1] * block[2];
    warps_per_block = (threads_per_block + warp_size - 1) / warp_size;
    // Each half of a warp is then in one row of the block.
    affine = kernel.affine_begin != no_operand && (block[0] % 16 == 0 || block[1] * block[2] == 1);
    // Where a warp waits for another, each gets its turn. What a warp prints stays together.
    together = affine && !counting && !kernel.may_wait && !kernel.info.uses_printf;
    shared_bytes = kernel.uses_dynamic_shared || dynamic_shared_bytes
                       ? kernel.dynamic_shared_offset + dynamic_shared_bytes
                       : kernel.info.static_shared_bytes;
    if (kernel.uses_reserved_shared) {
        reserved_shared_offset = (shared_bytes + 127) / 128 * 128;
        reserved_shared_bytes = 1024;
    }
    if (!launch.parameters.empty()) std::memcpy(parameters.get(), launch.parameters.data(), launch.parameters.size());
    if (cooperative) {
        workspace = AlignedBytes(256);
        std::memset(workspace.get(), 0, 256);
        memory.add({reinterpret_cast<std::uintptr_t>(workspace.get()), 256, false});
    }
    const bool fresh = !constants.get();
    if (fresh) constants = AlignedBytes(kernel.constant_bytes);
    for (const LaunchConstant& c : kernel.constants)
        if (fresh || c.kind != LaunchConstant::Kind::Immediate)
            broadcast(*this, launch.references, c, constants.get() + c.offset);
    deadline = deadline_of(launch);
}

Grid::~Grid() {
    if (cooperative) memory.remove(reinterpret_cast<std::uintptr_t>(workspace.get()));
    std::byte* none = nullptr;
    std::byte* const bank = constants.release();
    if (!kernel.spare_constants.bank.compare_exchange_strong(none, bank)) std::free(bank);
}

void Grid::fail(CUresult code, std::string report, std::uint64_t address) {
    std::lock_guard lock(mutex);
    if (!fault) fault = Fault{code, std::move(report), address};
    cancelled.store(true, std::memory_order_relaxed);
}

void Grid::ask_for_interruption() {
    if (const char* const why = why_interrupted()) memory.end_kernels(why);
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

namespace {

/// Counts a kernel for as long as it runs.
class RunningKernel {
public:
    explicit RunningKernel(Memory& memory) : memory_(memory) { memory_.kernel_begins(); }
    ~RunningKernel() { memory_.kernel_ends(); }
    RunningKernel(const RunningKernel&) = delete;
    RunningKernel& operator=(const RunningKernel&) = delete;

private:
    Memory& memory_;
};

}  // namespace

std::optional<Fault> run(const GridLaunch& launch) noexcept {
    const RunningKernel running(*launch.memory);
    try {
        Grid grid(launch);
        {
            Worker first(grid);
            if (!work(grid, first, grid.threads == 1 ? never : Clock::now() + head_start))
                run_on_pool([&] { work(grid, first); }, [&] { help(grid); }, grid.threads - 1, launch.priority,
                            [&] { grid.ask_for_interruption(); });
        }
        grid.flush();
        if (launch.lane_instructions) *launch.lane_instructions = grid.lane_instructions;
        if (grid.fault || !grid.runtime) return std::move(grid.fault);
        return grid.runtime->finish(launch);
    } catch (const std::bad_alloc&) {
        return Fault{CUDA_ERROR_OUT_OF_MEMORY, "no memory to start the grid", 0};
    } catch (const std::exception& e) {
        return Fault{CUDA_ERROR_UNKNOWN, e.what(), 0};
    }
}

}  // namespace cpu::exec
