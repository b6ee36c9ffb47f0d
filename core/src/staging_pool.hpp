#pragma once

#include <cuda.h>

#include <atomic>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>

#include "pycuda/context.hpp"

namespace pycuda {

/// One page-locked buffer with the event that says when the device is done with it, and, on its way from the device to
/// pageable memory, the second half of that way.
struct StagingBlock {
    void* memory = nullptr;
    std::size_t capacity = 0;
    CUevent done = nullptr;

    enum class WriteBack { None, Queued, Running, Done, Cancelled };
    std::atomic<WriteBack> write_back{WriteBack::None};
    void* dest = nullptr;
    std::size_t nbytes = 0;
    std::shared_ptr<void> keep_alive;
};

/// Page-locked memory of one context, reused as soon as the device is done with it. Lives as the context's attachment;
/// every call is made with that context current. Thread-safe.
class StagingPool : public ContextAttachment {
public:
    /// Waits for what is under way, and frees all.
    void context_ends(bool reachable) noexcept override;

    /// A block of at least `nbytes` that nothing else uses, until it is given back. MemoryError when page-locked memory
    /// is out.
    StagingBlock* take(std::size_t nbytes);
    /// The block is in use until the work that `stream` has by now is done.
    void give_back_after(StagingBlock* block, CUstream stream);
    /// The block is not in use by the device: something failed before it got there.
    void give_back(StagingBlock* block) noexcept;

private:
    using Blocks = std::list<StagingBlock>;
    void collect_finished();
    bool wait_for_oldest();
    void trim();
    StagingBlock* reuse(std::size_t nbytes);
    CUresult make(std::size_t capacity, Blocks& made);
    static void destroy(StagingBlock& block) noexcept;

    std::mutex mutex_;
    Blocks free_;
    Blocks under_way_;
    Blocks taken_;
    std::size_t free_bytes_ = 0;
};

}  // namespace pycuda
