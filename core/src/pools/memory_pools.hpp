#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "pycuda/pools/memory_pool.hpp"

namespace pycuda {

/// The default stream has two handles. The handle of the per-thread default stream means a different stream in each
/// thread, so its uses count as uses on many streams.
inline LastUse use_on(CUstream stream) noexcept {
    if (stream == CU_STREAM_LEGACY) return LastUse::of(nullptr);
    return stream == CU_STREAM_PER_THREAD ? LastUse::many() : LastUse::of(stream);
}

/// The number of driver allocations that pools have.
std::atomic<long>& live_pooled_memory();

/// A pool of device memory for captured operations of one graph (MemoryPool).
std::shared_ptr<MemoryPool> new_pool_of_graph(Context& context);

/// All pools of a context: they end with it, and make room for each other.
class MemoryPools : public ContextAttachment {
public:
    void context_ends(bool reachable) noexcept override;
    void add(const std::shared_ptr<MemoryPool>& pool);
    /// The pool of device memory that the library uses itself, created at first use.
    std::shared_ptr<MemoryPool> default_device_pool(Context& context);
    /// Free the held blocks of the pools of one kind of memory. False if there were none.
    bool free_held(bool device_memory) noexcept;

private:
    std::vector<std::shared_ptr<MemoryPool>> all() noexcept;

    std::mutex mutex_;
    std::vector<std::weak_ptr<MemoryPool>> pools_;
    std::shared_ptr<MemoryPool> default_device_pool_;
};

}  // namespace pycuda
