#include "exec/running/worker.hpp"

#include <string>
#include <thread>

#include "exec/float_environment.hpp"
#include "exec/observation.hpp"
#include "exec/running/pool.hpp"
#include "exec/running/report.hpp"

namespace cpu::exec {

namespace {

/// The number of clusters that one thread keeps alive if they wait for others; a cooperative launch keeps all of them.
constexpr std::size_t max_resident = 64;
/// After this many rounds in which all resident clusters only waited, another one is started.
constexpr int rounds_before_next = 32;
/// Flush delayed additions every N clusters so that polling from the host sees progress.
constexpr int clusters_of_delay = 64;

}  // namespace

Worker::Worker(Grid& grid)
    : grid_(grid),
      number_(grid.workers.fetch_add(1, std::memory_order_relaxed)),
      ranges_(2 * std::size_t{grid.kernel.cached_accesses}),
      leases_(ranges_.size()) {
    cache_.ranges = ranges_.data();
    cache_.leases = leases_.data();
    cache_.count = ranges_.size();
    cache_.textures = &textures_;
    cache_.current = grid.memory.generation_address();
    cache_.generation = grid.memory.generation();
    if (!grid.kernel.delays_sums) return;
    delayed_ = std::make_unique<DelayedSums>(grid.memory, grid.launch.queued);
    cache_.delayed = delayed_.get();
}

void Worker::start_again() {
    number_ = grid_.workers.fetch_add(1, std::memory_order_relaxed);
    turns_ = 0;
    see_leases();
}

/// Ranges that pools lend may have another size for this launch. A lease is only valid while its range exists.
void Worker::see_leases() noexcept {
    if (cache_.generation != grid_.memory.generation()) return flush_ranges(cache_);
    for (std::size_t n = 0; n < leases_.size(); ++n)
        if (leases_[n]) ranges_[n].size = leases_[n]->limit(grid_.launch.queued);
}

std::size_t Worker::size() const {
    std::size_t bytes = 0;
    for (const auto& cluster : spare_) bytes += cluster->size();
    return bytes;
}

bool Worker::run(Time leave_at, unsigned turns_between) noexcept {
    // Kernels compute as PTX specifies, whatever floating-point environment the program's threads have set.
    const FloatControlScope floats(FloatControl::standard());
    const ObservedWork observed(grid_.kernel.info.name.c_str());
    bool finished = true;
    try {
        finished = run_clusters(leave_at, turns_between);
    } catch (const FaultSignal& fault) {
        grid_.fail(fault.code, "kernel " + grid_.kernel.info.name + ": " + fault.report, fault.address);
    } catch (const std::bad_alloc&) {
        grid_.fail(CUDA_ERROR_OUT_OF_MEMORY, "kernel " + grid_.kernel.info.name + ": out of memory for a block");
    } catch (const std::exception& e) {
        grid_.fail(CUDA_ERROR_UNKNOWN, "kernel " + grid_.kernel.info.name + ": " + e.what());
    }
    if (delayed_) end_delaying(*delayed_);  // the launch may end before this worker is destroyed
    return finished;
}

bool Worker::run_clusters(Time leave_at, unsigned turns_between) {
    int idle_rounds = 0;
    while (!grid_.cancelled.load(std::memory_order_relaxed)) {
        if (resident_.empty() && (wanted_elsewhere() || !start_next())) return true;
        if (leave_at != never && turns_++ % turns_between == 0 && std::chrono::steady_clock::now() >= leave_at)
            return false;
        const bool waiting = step_all();
        idle_rounds = waiting ? idle_rounds + 1 : 0;
        if (idle_rounds >= (grid_.cooperative ? 1 : rounds_before_next)) {
            idle_rounds = 0;
            const bool room = grid_.cooperative || resident_.size() < max_resident;
            if (!room || !start_next()) std::this_thread::yield();
        }
        if (grid_.deadline != never && std::chrono::steady_clock::now() >= grid_.deadline)
            grid_.fail(CUDA_ERROR_LAUNCH_TIMEOUT, "kernel " + grid_.kernel.info.name + ", grid " +
                                                      triple(grid_.size[0], grid_.size[1], grid_.size[2]) + ", block " +
                                                      triple(grid_.block[0], grid_.block[1], grid_.block[2]) +
                                                      ": the launch ran longer than PYCUDA_CPU_WATCHDOG allows");
        if (const char* const why = grid_.memory.why_to_end()) interrupt(why);
    }
    return true;
}

bool Worker::start_next() {
    const std::optional<std::uint64_t> number = grid_.queue.take(number_);
    if (!number) return false;
    if (delayed_ && ++started_ % clusters_of_delay == 0) add_delayed(*delayed_);
    if (spare_.empty()) spare_.push_back(std::make_unique<Cluster>(grid_, cache_));
    resident_.push_back(std::move(spare_.back()));
    spare_.pop_back();
    resident_.back()->start(*number);
    return true;
}

/// Gives each cluster a turn; true if all of them only waited.
bool Worker::step_all() {
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

void Worker::interrupt(const char* why) {
    grid_.fail(CUDA_ERROR_LAUNCH_FAILED, "kernel " + grid_.kernel.info.name +
                                             ": ended, because the program stopped waiting for it (" + why + ")");
}

}  // namespace cpu::exec
