#include "streams/staging_pool.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <thread>
#include <utility>

#include "contexts/interruptible_wait.hpp"
#include "driver/driver_table.hpp"
#include "known_memory/allocations.hpp"
#include "pycuda/driver/open_captures.hpp"
#include "pycuda/threads/waiting.hpp"
#include "streams/pending_waits.hpp"

namespace pycuda {
namespace {

constexpr std::size_t smallest_block = 64 << 10;
/// Some streams may be slow: after so many of them, do not query the rest.
constexpr std::size_t max_slow_streams = 8;

/// True if the device has finished with the block or failed. False while a write-back is running.
bool retire(StagingBlock& block) noexcept {
    if (block.write_back && !block.write_back->cancel()) return false;
    block.write_back.reset();
    return true;
}

/// Releases the lock while a thread waits for a block, which stays in its list.
class Waiting {
public:
    Waiting(std::unique_lock<std::mutex>& lock, StagingBlock& block) : lock_(lock), block_(block) {
        ++block_.waiters;
        lock_.unlock();
    }
    ~Waiting() {
        lock_.lock();
        --block_.waiters;
    }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

private:
    std::unique_lock<std::mutex>& lock_;
    StagingBlock& block_;
};

}  // namespace

void finish(HostCall& call) noexcept {
    while (!call.cancel()) std::this_thread::yield();
}

StagingBlock* StagingPool::take(std::size_t nbytes) {
    const std::size_t capacity = std::max(smallest_block, std::bit_ceil(nbytes));
    const RelaxedCapture relaxed;
    Lock lock = lock_over_calls(mutex_);
    for (;;) {
        if (StagingBlock* block = reuse(nbytes)) return block;
        if (collect_finished()) continue;
        free_unused(max_pinned_bytes - capacity);
        if (pinned_bytes_ + capacity <= max_pinned_bytes) {
            Blocks made;
            const CUresult result = make(capacity, made);
            if (result == CUDA_SUCCESS) {
                taken_.splice(taken_.end(), made);
                return &taken_.back();
            }
            // Page-locked memory is scarce: wait for a block in use.
            const bool again = result == CUDA_ERROR_OUT_OF_MEMORY && (free_unused(0) || wait_for_oldest(lock));
            if (!again)
                driver().cuMemHostAlloc.fail(result,
                                             "asked for " + std::to_string(capacity) + " bytes to stage a copy");
        } else {
            wait_for_oldest(lock);
        }
    }
}

void StagingPool::give_back_after(StagingBlock* block, CUstream stream) {
    block->stream = stream;
    const CUresult result = driver().cuEventRecord.try_call(block->done, stream);
    // Without the event, completion is unknown: wait here.
    if (result != CUDA_SUCCESS) static_cast<void>(driver().cuStreamSynchronize.try_call(stream));
    {
        const auto lock = lock_over_calls(mutex_);
        under_way_.splice(under_way_.end(), taken_, find_taken(block));
    }
    given_back_.notify_all();
}

void StagingPool::give_back(StagingBlock* block) noexcept {
    {
        const auto lock = lock_over_calls(mutex_);
        free_.splice(free_.end(), taken_, find_taken(block));
    }
    given_back_.notify_all();
}

void StagingPool::settle(const CUstream* stream) noexcept {
    const auto lock = lock_over_calls(mutex_);
    for (const StagingBlock& block : under_way_)
        if (block.write_back && (!stream || block.stream == *stream)) finish(*block.write_back);
}

std::size_t StagingPool::pinned_bytes() const {
    const auto lock = lock_over_calls(mutex_);
    return pinned_bytes_;
}

void StagingPool::context_ends(bool reachable) noexcept {
    const auto lock = lock_over_calls(mutex_);
    for (StagingBlock& block : under_way_) {
        // It fails after a fault of the context, which does not matter.
        if (reachable) static_cast<void>(driver().cuEventSynchronize.try_call(block.done));
        if (block.write_back) finish(*std::exchange(block.write_back, nullptr));
    }
    free_.splice(free_.end(), under_way_);
    if (reachable)
        for (StagingBlock& block : free_) destroy(block);
    free_.clear();
    pinned_bytes_ = 0;
}

StagingPool::Blocks::iterator StagingPool::find_taken(const StagingBlock* block) noexcept {
    return std::find_if(taken_.begin(), taken_.end(), [&](const StagingBlock& b) { return &b == block; });
}

/// Move finished blocks to the free list. False if there was none. Behind an unfinished block of a stream, the others
/// of that stream are unfinished, too.
bool StagingPool::collect_finished() {
    const std::size_t before = free_.size();
    std::array<CUstream, max_slow_streams> slow;
    std::size_t known = 0;
    for (auto at = under_way_.begin(); at != under_way_.end() && known < slow.size();) {
        const auto block = at++;
        if (std::find(slow.begin(), slow.begin() + known, block->stream) != slow.begin() + known) continue;
        if (driver().cuEventQuery.try_call(block->done) == CUDA_ERROR_NOT_READY || !retire(*block))
            slow[known++] = block->stream;
        else
            free_.splice(free_.end(), under_way_, block);
    }
    return free_.size() > before;
}

/// Wait without the lock. False if there is nothing to wait for.
bool StagingPool::wait_for_oldest(Lock& lock) {
    if (!under_way_.empty()) {
        StagingBlock& oldest = under_way_.front();
        const Waiting unlocked(lock, oldest);
        InterruptibleWait wait;
        wait.until([&] { return driver().cuEventQuery.try_call(oldest.done); });
        static_cast<void>(driver().cuEventSynchronize.try_call(oldest.done));
        wait.check();
        return true;
    }
    if (taken_.empty() && free_.empty()) return false;
    // Another thread is about to return a block.
    given_back_.wait_for(lock, std::chrono::milliseconds(1));
    return true;
}

/// Free unused blocks until at most `bytes` are left. False if none was freed.
bool StagingPool::free_unused(std::size_t bytes) noexcept {
    const std::size_t before = pinned_bytes_;
    for (auto at = free_.begin(); at != free_.end() && pinned_bytes_ > bytes;) {
        const auto block = at++;
        if (block->waiters != 0) continue;
        destroy(*block);
        free_.erase(block);
    }
    return pinned_bytes_ < before;
}

/// The smallest free block that is large enough.
StagingBlock* StagingPool::reuse(std::size_t nbytes) {
    auto best = free_.end();
    for (auto at = free_.begin(); at != free_.end(); ++at)
        if (at->capacity >= nbytes && (best == free_.end() || at->capacity < best->capacity)) best = at;
    if (best == free_.end()) return nullptr;
    taken_.splice(taken_.end(), free_, best);
    return &taken_.back();
}

CUresult StagingPool::make(std::size_t capacity, Blocks& made) {
    const LibraryAllocation own;
    StagingBlock& block = made.emplace_back();
    CUresult result = driver().cuEventCreate.try_call(&block.done, CU_EVENT_DISABLE_TIMING);
    if (result == CUDA_SUCCESS)
        result = driver().cuMemHostAlloc.try_call(&block.memory, capacity, CU_MEMHOSTALLOC_PORTABLE);
    if (result == CUDA_SUCCESS) pinned_bytes_ += block.capacity = capacity;
    if (result != CUDA_SUCCESS) destroy(block);
    return result;
}

void StagingPool::destroy(StagingBlock& block) noexcept {
    pinned_bytes_ -= block.capacity;
    if (block.memory) free_when_none_waits(driver().cuMemFreeHost, block.memory, false);
    if (block.done) driver().cuEventDestroy.clean_up(block.done);
}

}  // namespace pycuda
