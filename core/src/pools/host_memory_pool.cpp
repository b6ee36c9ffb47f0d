#include "pycuda/pools/host_memory_pool.hpp"

#include "driver/driver_table.hpp"
#include "known_memory/page_locked.hpp"
#include "pools/memory_pools.hpp"
#include "streams/pending_waits.hpp"

namespace pycuda {
namespace {

class HostPool final : public MemoryPool {
public:
    HostPool(const std::shared_ptr<Context>& context, unsigned flags) : MemoryPool(context, false), flags_(flags) {}
    const char* what() const noexcept override { return PooledHostAllocation::name; }

private:
    CUresult obtain(std::size_t bytes, std::uint64_t& address) noexcept override {
        void* memory = nullptr;
        const CUresult result = driver().cuMemHostAlloc.try_call(&memory, bytes, flags_);
        if (result == CUDA_SUCCESS) note_page_locked(memory, bytes, this->context()->handle_or_null());
        address = reinterpret_cast<std::uintptr_t>(memory);
        return result;
    }
    void release(std::uint64_t address) noexcept override {
        forget_page_locked(reinterpret_cast<const void*>(address));
        free_when_none_waits(driver().cuMemFreeHost, reinterpret_cast<void*>(address), is_alive());
    }
    const char* routine() const noexcept override { return "cuMemHostAlloc"; }

    const unsigned flags_;
};

}  // namespace

PooledHostAllocation::PooledHostAllocation(std::shared_ptr<MemoryPool> pool, const PoolBlock& block) noexcept
    : HostPointer(block.bytes), pool_(std::move(pool)), block_(block) {}

void* PooledHostAllocation::data() const {
    if (is_closed()) [[unlikely]]
        raise_closed(name);
    if (!pool_->is_alive()) [[unlikely]]
        raise_context_gone(name);
    return reinterpret_cast<void*>(block_.address);
}

bool PooledHostAllocation::release() noexcept {
    if (!open_.exchange(false, std::memory_order_acq_rel)) return false;
    pool_->give_freed(block_);
    return true;
}

PageLockedMemoryPool::PageLockedMemoryPool(unsigned flags) : PageLockedMemoryPool(Context::current(), flags) {}

PageLockedMemoryPool::PageLockedMemoryPool(const std::shared_ptr<Context>& context, unsigned flags)
    : PoolHandle(context, std::make_shared<HostPool>(context, flags), false) {
    context->attachment<MemoryPools>()->add(pool());
}

std::unique_ptr<PooledHostAllocation> PageLockedMemoryPool::allocate(std::size_t size) {
    return std::make_unique<PooledHostAllocation>(pool(), pool()->take(size));
}

}  // namespace pycuda
