#include <atomic>
#include <chrono>
#include <memory>
#include <new>

#include "exec/running/pool.hpp"
#include "exec/running/worker.hpp"

namespace cpu::exec {

namespace {

/// A launch that ends within this time ends before other threads could join it.
constexpr std::chrono::microseconds head_start{5};
/// The maximum size that one ended launch, and all of them together, may keep for later launches, in bytes.
constexpr std::size_t most_kept = 256 << 10, most_kept_in_all = 16 << 20;
std::atomic<std::size_t> kept_in_all{0};

/// Counts a kernel while it runs.
class RunningKernel {
public:
    explicit RunningKernel(Memory& memory) : memory_(memory) { memory_.kernel_begins(); }
    ~RunningKernel() { memory_.kernel_ends(); }
    RunningKernel(const RunningKernel&) = delete;
    RunningKernel& operator=(const RunningKernel&) = delete;

private:
    Memory& memory_;
};

void help(Grid& grid) noexcept {
    try {
        Worker(grid).run();
    } catch (const std::bad_alloc&) {
        // The other workers continue without this one.
    }
}

}  // namespace

struct LaunchState {
    Grid grid;
    Worker first;
    std::size_t size = 0;  ///< the part counted in kept_in_all

    explicit LaunchState(const GridLaunch& launch) : grid(launch), first(grid) {}
    ~LaunchState() { kept_in_all -= size; }
    LaunchState(const LaunchState&) = delete;
    LaunchState& operator=(const LaunchState&) = delete;

    bool start_again(const GridLaunch& launch) {
        if (!grid.start_again(launch)) return false;
        first.start_again();
        return true;
    }

    /// True if it can serve a later launch, and is small.
    bool may_be_kept() {
        if (grid.fault || grid.runtime || grid.cooperative || grid.counting || grid.kernel.delays_sums) return false;
        first.end();
        if (size != 0) return true;
        const std::size_t bytes = first.size();
        if (bytes > most_kept) return false;
        if (kept_in_all.fetch_add(bytes) > most_kept_in_all) {
            kept_in_all -= bytes;
            return false;
        }
        size = bytes;
        return true;
    }
};

std::unique_ptr<LaunchState> SpareLaunch::take() {
    return std::unique_ptr<LaunchState>(state_.exchange(nullptr));
}
void SpareLaunch::put(std::unique_ptr<LaunchState> state) {
    LaunchState* none = nullptr;
    if (state_.compare_exchange_strong(none, state.get())) static_cast<void>(state.release());
}
SpareLaunch::~SpareLaunch() {
    delete state_.load();
}

namespace {

std::unique_ptr<LaunchState> begin(const GridLaunch& launch) {
    std::unique_ptr<LaunchState> state = launch.kernel->spare_launch.take();
    if (state && state->start_again(launch)) return state;
    state.reset();  // its memory can then be reused for the new one
    return std::make_unique<LaunchState>(launch);
}

}  // namespace

std::optional<Fault> run(const GridLaunch& launch) noexcept {
    const RunningKernel running(*launch.memory);
    try {
        std::unique_ptr<LaunchState> state = begin(launch);
        Grid& grid = state->grid;
        using Time = Worker::Time;
        if (!state->first.run(grid.threads == 1 ? Time::max() : Time::clock::now() + head_start))
            run_on_pool([&] { state->first.run(); }, [&] { help(grid); }, grid.threads - 1, launch.priority,
                        [&] { grid.ask_for_interruption(); });
        grid.flush();
        if (launch.lane_instructions) *launch.lane_instructions = grid.lane_instructions;
        if (state->may_be_kept()) {
            launch.kernel->spare_launch.put(std::move(state));
            return std::nullopt;
        }
        if (grid.fault || !grid.runtime) return std::move(grid.fault);
        return grid.runtime->finish(launch);
    } catch (const std::bad_alloc&) {
        return Fault{CUDA_ERROR_OUT_OF_MEMORY, "out of memory for the grid", 0};
    } catch (const std::exception& e) {
        return Fault{CUDA_ERROR_UNKNOWN, e.what(), 0};
    }
}

}  // namespace cpu::exec
