#include "pools/memory_pools.hpp"

#include <algorithm>

#include "driver/driver_table.hpp"
#include "memory/out_of_memory.hpp"
#include "pycuda/streams/stream.hpp"
#include "streams/pending_waits.hpp"

namespace pycuda {
namespace {

class DevicePool final : public MemoryPool {
public:
    explicit DevicePool(const std::shared_ptr<Context>& context, bool of_graph = false)
        : MemoryPool(context, true, of_graph) {}
    const char* what() const noexcept override { return PooledDeviceAllocation::name; }

private:
    CUresult obtain(std::size_t bytes, std::uint64_t& address) noexcept override {
        CUdeviceptr pointer = 0;
        const CUresult result = driver().cuMemAlloc.try_call(&pointer, bytes);
        address = pointer;
        return result;
    }
    void release(std::uint64_t address) noexcept override {
        free_when_none_waits(driver().cuMemFree, CUdeviceptr{address}, is_alive());
    }
    const char* routine() const noexcept override { return "cuMemAlloc"; }
};

}  // namespace

std::shared_ptr<MemoryPool> new_pool_of_graph(Context& context) {
    auto pool = std::make_shared<DevicePool>(context.shared_from_this(), true);
    context.attachment<MemoryPools>()->add(pool);
    return pool;
}

void MemoryPools::context_ends(bool reachable) noexcept {
    for (const auto& pool : all()) pool->context_ends(reachable);
}

void MemoryPools::add(const std::shared_ptr<MemoryPool>& pool) {
    const std::lock_guard lock(mutex_);
    std::erase_if(pools_, [](const auto& known) { return known.expired(); });
    pools_.push_back(pool);
}

std::shared_ptr<MemoryPool> MemoryPools::default_device_pool(Context& context) {
    {
        const std::lock_guard lock(mutex_);
        if (default_device_pool_) return default_device_pool_;
        default_device_pool_ = std::make_shared<DevicePool>(context.shared_from_this());
    }
    add(default_device_pool_);
    return default_device_pool_;
}

std::vector<std::shared_ptr<MemoryPool>> MemoryPools::all() noexcept {
    std::vector<std::shared_ptr<MemoryPool>> pools;
    const std::lock_guard lock(mutex_);
    for (const auto& known : pools_)
        if (auto pool = known.lock()) pools.push_back(std::move(pool));
    return pools;
}

bool MemoryPools::free_held(bool device_memory) noexcept {
    bool any = false;
    for (const auto& pool : all())
        if (pool->is_device_memory() == device_memory && pool->held_blocks() > 0) {
            any = true;
            pool->free_held();
        }
    return any;
}

bool release_held_device_memory() noexcept {
    const auto context = Context::current_in_cleanup();
    const auto pools = context ? context->attachment_if_any<MemoryPools>() : nullptr;
    return pools && pools->free_held(true);
}

std::shared_ptr<MemoryPool> default_device_pool(Context& context) {
    return context.attachment<MemoryPools>()->default_device_pool(context);
}

// ---- the public classes

PooledDeviceAllocation::PooledDeviceAllocation(std::shared_ptr<MemoryPool> pool, const PoolBlock& block,
                                               bool was_of_array) noexcept
    : pool_(std::move(pool)), block_(block), was_of_array_(was_of_array) {}

std::shared_ptr<Context> PooledDeviceAllocation::context() const noexcept {
    return is_closed() ? nullptr : pool_->context();
}

bool PooledDeviceAllocation::end(bool by_call) noexcept {
    if (is_closed() || !open_.exchange(false, std::memory_order_acq_rel)) return false;
    pool_->give_freed(block_, by_call);
    return true;
}

PoolHandle::~PoolHandle() {
    close();
    if (pool_) pool_->release_hold();
}

std::size_t PoolHandle::alloc_size(unsigned bin) {
    if (bin >= 64 * 16) throw std::invalid_argument("size classes are numbered 0 to 1023, not " + std::to_string(bin));
    return MemoryPool::alloc_size(bin);
}

DeviceMemoryPool::DeviceMemoryPool() : DeviceMemoryPool(Context::current()) {}

DeviceMemoryPool::DeviceMemoryPool(const std::shared_ptr<Context>& context)
    : PoolHandle(context, std::make_shared<DevicePool>(context), false) {
    context->attachment<MemoryPools>()->add(pool());
}

DeviceMemoryPool DeviceMemoryPool::of_current_context() {
    auto context = Context::current();
    auto pool = default_device_pool(*context);
    return DeviceMemoryPool(std::move(context), std::move(pool), true);
}

std::unique_ptr<PooledDeviceAllocation> DeviceMemoryPool::allocate(std::size_t size, const Stream* stream) {
    return std::make_unique<PooledDeviceAllocation>(pool(), pool()->take(size, use_of(stream)));
}

}  // namespace pycuda
