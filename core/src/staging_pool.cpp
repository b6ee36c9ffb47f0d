#include "staging_pool.hpp"

#include <algorithm>
#include <bit>
#include <thread>

#include "deferred_release.hpp"
#include "driver_table.hpp"

namespace pycuda {
namespace {

constexpr std::size_t smallest_block = 64 << 10;
/// Free memory beyond this goes back to the system.
constexpr std::size_t most_free_bytes = 64 << 20;

/// The device is done with the block, or never will be. False only when a write-back is in the middle of its work.
bool retire(StagingBlock& block) noexcept {
    auto expected = StagingBlock::WriteBack::Queued;
    block.write_back.compare_exchange_strong(expected, StagingBlock::WriteBack::Cancelled);
    if (expected == StagingBlock::WriteBack::Running) return false;
    release_later(std::move(block.keep_alive));
    return true;
}

/// Blocks of contexts that ended before a write-back's turn. Leaked.
std::list<StagingBlock>& abandoned() {
    static auto* instance = new std::list<StagingBlock>;
    return *instance;
}

}  // namespace

void StagingPool::context_ends(bool reachable) noexcept {
    const std::lock_guard lock(mutex_);
    for (auto at = under_way_.begin(); at != under_way_.end();) {
        const auto block = at++;
        // A fault of the context fails it: no matter.
        if (reachable) static_cast<void>(driver().cuEventSynchronize.try_call(block->done));
        while (!retire(*block)) std::this_thread::yield();
        if (reachable) destroy(*block);
        // The driver may hold its address in a queue that never got there.
        if (block->write_back == StagingBlock::WriteBack::Cancelled)
            abandoned().splice(abandoned().end(), under_way_, block);
    }
    if (reachable)
        for (StagingBlock& block : free_) destroy(block);
    under_way_.clear();
    free_.clear();
    free_bytes_ = 0;
}

StagingBlock* StagingPool::take(std::size_t nbytes) {
    const std::lock_guard lock(mutex_);
    collect_finished();
    if (StagingBlock* block = reuse(nbytes)) return block;
    const std::size_t capacity = std::max(smallest_block, std::bit_ceil(nbytes));
    for (;;) {
        Blocks made;
        const CUresult result = make(capacity, made);
        if (result == CUDA_SUCCESS) {
            taken_.splice(taken_.end(), made);
            trim();
            return &taken_.back();
        }
        // Page-locked memory is scarce: what is in use now may do a little later.
        if (result != CUDA_ERROR_OUT_OF_MEMORY || !wait_for_oldest())
            driver().cuMemHostAlloc.fail(result, "asked for " + std::to_string(capacity) + " bytes to stage a copy");
        if (StagingBlock* block = reuse(nbytes)) return block;
    }
}

void StagingPool::give_back_after(StagingBlock* block, CUstream stream) {
    const CUresult result = driver().cuEventRecord.try_call(block->done, stream);
    // Without the event, nobody knows when the device is done: wait here.
    if (result != CUDA_SUCCESS) static_cast<void>(driver().cuStreamSynchronize.try_call(stream));
    const std::lock_guard lock(mutex_);
    const auto at = std::find_if(taken_.begin(), taken_.end(), [&](const StagingBlock& b) { return &b == block; });
    under_way_.splice(under_way_.end(), taken_, at);
}

void StagingPool::give_back(StagingBlock* block) noexcept {
    const std::lock_guard lock(mutex_);
    const auto at = std::find_if(taken_.begin(), taken_.end(), [&](const StagingBlock& b) { return &b == block; });
    free_bytes_ += block->capacity;
    free_.splice(free_.end(), taken_, at);
}

/// Moves what the device is done with to the free ones.
void StagingPool::collect_finished() {
    for (auto at = under_way_.begin(); at != under_way_.end();) {
        const auto block = at++;
        if (driver().cuEventQuery.try_call(block->done) == CUDA_ERROR_NOT_READY || !retire(*block)) continue;
        free_bytes_ += block->capacity;
        free_.splice(free_.end(), under_way_, block);
    }
}

/// False when there is nothing to wait for, or no progress.
bool StagingPool::wait_for_oldest() {
    if (under_way_.empty() || driver().cuEventSynchronize.try_call(under_way_.front().done) != CUDA_SUCCESS)
        return false;
    const std::size_t before = under_way_.size();
    collect_finished();
    for (StagingBlock& block : free_) destroy(block);
    free_.clear();
    free_bytes_ = 0;
    return under_way_.size() < before;
}

/// The smallest free block that is large enough.
StagingBlock* StagingPool::reuse(std::size_t nbytes) {
    auto best = free_.end();
    for (auto at = free_.begin(); at != free_.end(); ++at)
        if (at->capacity >= nbytes && (best == free_.end() || at->capacity < best->capacity)) best = at;
    if (best == free_.end()) return nullptr;
    free_bytes_ -= best->capacity;
    taken_.splice(taken_.end(), free_, best);
    taken_.back().write_back = StagingBlock::WriteBack::None;
    return &taken_.back();
}

void StagingPool::trim() {
    while (free_bytes_ > most_free_bytes) {
        free_bytes_ -= free_.front().capacity;
        destroy(free_.front());
        free_.pop_front();
    }
}

CUresult StagingPool::make(std::size_t capacity, Blocks& made) {
    StagingBlock& block = made.emplace_back();
    block.capacity = capacity;
    CUresult result = driver().cuEventCreate.try_call(&block.done, CU_EVENT_DISABLE_TIMING);
    if (result == CUDA_SUCCESS)
        result = driver().cuMemHostAlloc.try_call(&block.memory, capacity, CU_MEMHOSTALLOC_PORTABLE);
    if (result != CUDA_SUCCESS) destroy(block);
    return result;
}

void StagingPool::destroy(StagingBlock& block) noexcept {
    if (block.memory) driver().cuMemFreeHost.clean_up(block.memory);
    if (block.done) driver().cuEventDestroy.clean_up(block.done);
}

}  // namespace pycuda
