#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

#include "pycuda/memory/host_memory.hpp"
#include "pycuda/pools/memory_pool.hpp"

namespace pycuda {

/// A block of page-locked host memory from a pool, to which it returns with this object. Later uses of the address
/// then see its next holder's data.
class PooledHostAllocation final : public HostPointer {
public:
    PooledHostAllocation(std::shared_ptr<MemoryPool> pool, const PoolBlock& block) noexcept;
    ~PooledHostAllocation() override { release(); }

    void* data() const override;
    const char* what() const noexcept override { return name; }
    bool is_closed() const noexcept override { return !open_.load(std::memory_order_acquire); }

    static constexpr const char* name = "pooled host allocation";

private:
    bool release() noexcept override;

    const std::shared_ptr<MemoryPool> pool_;
    PoolBlock block_;
    std::atomic<bool> open_{true};
};

/// Page-locked host memory from a pool.
class PageLockedMemoryPool : public PoolHandle {
public:
    /// Create a pool in the current context; `flags`: host_alloc_flags (cuMemHostAlloc).
    explicit PageLockedMemoryPool(unsigned flags = 0);
    std::unique_ptr<PooledHostAllocation> allocate(std::size_t size);

private:
    PageLockedMemoryPool(const std::shared_ptr<Context>& context, unsigned flags);
};

}  // namespace pycuda
