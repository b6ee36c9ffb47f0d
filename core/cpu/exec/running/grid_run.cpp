#include "exec/running/grid_run.hpp"

#include <algorithm>
#include <atomic>
#include <new>

#include "exec/running/worker.hpp"

namespace cpu::exec {

namespace {

/// A launch that ends within this time ends before other threads could join it.
constexpr std::chrono::microseconds head_start{5};
/// The maximum size that one ended launch, and all of them together, may retain for later launches, in bytes.
constexpr std::size_t max_state_bytes = 256 << 10, max_retained_bytes = 16 << 20;
std::atomic<std::size_t> retained_bytes{0};

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
    std::size_t size = 0;  ///< the part counted in retained_bytes

    explicit LaunchState(const GridLaunch& launch) : grid(launch), first(grid) {}
    ~LaunchState() { retained_bytes -= size; }
    LaunchState(const LaunchState&) = delete;
    LaunchState& operator=(const LaunchState&) = delete;

    bool start_again(const GridLaunch& launch) {
        if (!grid.start_again(launch)) return false;
        first.start_again();
        return true;
    }

    /// True if it is small and can serve a later launch, for which it is counted as retained.
    bool try_retain() {
        if (grid.fault || grid.runtime || grid.cooperative || grid.counting || grid.kernel.delays_sums) return false;
        first.end();
        if (size != 0) return true;
        const std::size_t bytes = first.size();
        if (bytes > max_state_bytes) return false;
        if (retained_bytes.fetch_add(bytes) > max_retained_bytes) {
            retained_bytes -= bytes;
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

/// The fault that the exception being handled stands for.
Fault fault_of_exception() noexcept {
    try {
        throw;
    } catch (const std::bad_alloc&) {
        return {CUDA_ERROR_OUT_OF_MEMORY, "out of memory for the grid", 0};
    } catch (const std::exception& e) {
        return {CUDA_ERROR_UNKNOWN, e.what(), 0};
    }
}

}  // namespace

GridRun::Counted::Counted(Memory& counting) noexcept : memory(counting) {
    memory.kernel_begins();
}

GridRun::Counted::~Counted() {
    memory.kernel_ends();
}

GridRun::GridRun(const GridLaunch& launch) noexcept : launch_(launch), counted_(*launch.memory) {
    try {
        state_ = begin(launch);
    } catch (...) {
        fault_ = fault_of_exception();
    }
}

GridRun::~GridRun() = default;

bool GridRun::run(Time leave_at) noexcept {
    try {
        return fault_ || (run_blocks(leave_at) && run_requests(leave_at));
    } catch (...) {
        fault_ = fault_of_exception();
        return true;
    }
}

bool GridRun::run_blocks(Time leave_at) {
    if (are_blocks_done_) return true;
    Worker& first = state_->first;
    const unsigned threads = state_->grid.threads;
    if (threads > 1 && !shared_ && !is_first_done_) {
        is_first_done_ = first.run(std::min(leave_at, Time::clock::now() + head_start), 1);
        if (!is_first_done_) shared_.emplace([this] { help(state_->grid); }, threads - 1, launch_.priority);
    }
    if (!is_first_done_) is_first_done_ = first.run(leave_at);
    if (!is_first_done_ || (shared_ && !shared_->finish(leave_at))) return false;
    end_blocks();
    return true;
}

void GridRun::end_blocks() {
    are_blocks_done_ = true;
    shared_.reset();
    Grid& grid = state_->grid;
    grid.flush();
    if (launch_.lane_instructions) *launch_.lane_instructions = grid.lane_instructions;
    if (state_->try_retain())
        launch_.kernel->spare_launch.put(std::move(state_));
    else
        fault_ = std::move(grid.fault);
}

bool GridRun::run_requests(Time leave_at) {
    return fault_ || !state_ || !state_->grid.runtime || state_->grid.runtime->run(launch_, leave_at, fault_);
}

std::optional<Fault> run(const GridLaunch& launch) noexcept {
    GridRun whole(launch);
    whole.run();
    return whole.take_fault();
}

}  // namespace cpu::exec
