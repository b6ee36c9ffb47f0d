#pragma once

#include <cuda.h>

#include <condition_variable>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>

#include "pycuda/contexts/context.hpp"
#include "streams/host_calls.hpp"

namespace pycuda {

/// One page-locked buffer, with the event that marks when the device is done with it. For a copy from the device to
/// pageable memory, also the second half of the copy, from the buffer to its destination.
struct StagingBlock {
    void* memory = nullptr;
    std::size_t capacity = 0;
    CUevent done = nullptr;
    CUstream stream = nullptr;  ///< in which the event is
    std::shared_ptr<HostCall> write_back;
    int waiters = 0;  ///< threads that wait for `done`: it must stay
};

/// Cancel it, or wait for it if it is running; that is short, because it only copies.
void finish(HostCall& call) noexcept;

/// Page-locked memory of one context, reused as soon as the device is done with it, and bounded: a request beyond the
/// limit waits for the oldest copy. Every call requires the context current and held. Thread-safe.
class StagingPool : public ContextAttachment {
public:
    static constexpr std::size_t max_pinned_bytes = 64 << 20;

    /// Take a block of at least `nbytes`, until it is returned. A thread has one at a time. MemoryError if page-locked
    /// memory runs out.
    StagingBlock* take(std::size_t nbytes);
    /// Return the block, which is in use until the present work of `stream` is complete.
    void give_back_after(StagingBlock* block, CUstream stream);
    /// Return a block that the device does not use, because an earlier step failed.
    void give_back(StagingBlock* block) noexcept;
    /// The work of a stream (null: of every stream) is over after a fault: queued copies write to no host memory any
    /// more.
    void settle(const CUstream* stream = nullptr) noexcept;
    /// Page-locked bytes of all blocks.
    std::size_t pinned_bytes() const;

    /// Wait for all copies, then free all blocks.
    void context_ends(bool reachable) noexcept override;

private:
    using Blocks = std::list<StagingBlock>;
    using Lock = std::unique_lock<std::mutex>;
    Blocks::iterator find_taken(const StagingBlock* block) noexcept;
    bool collect_finished();
    bool wait_for_oldest(Lock& lock);
    bool free_unused(std::size_t bytes) noexcept;
    StagingBlock* reuse(std::size_t nbytes);
    CUresult make(std::size_t capacity, Blocks& made);
    void destroy(StagingBlock& block) noexcept;

    mutable std::mutex mutex_;
    std::condition_variable given_back_;
    Blocks free_;
    Blocks under_way_;
    Blocks taken_;
    std::size_t pinned_bytes_ = 0;
};

}  // namespace pycuda
