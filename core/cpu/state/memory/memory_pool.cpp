#include "state/memory/memory_pool.hpp"

#include "platform/processors.hpp"
#include "state/context.hpp"
#include "state/device.hpp"
#include "state/graphs/graph_memory.hpp"
#include "state/memory/address_space.hpp"
#include "state/memory/memory.hpp"

#include <cstring>
#include <utility>

namespace cpu::state {

MemoryPool::~MemoryPool() {
    for (const auto& [size, block] : unused_) release(size);
}

/// There is no budget for host memory.
bool MemoryPool::reserve(std::size_t size) noexcept {
    return location_ == Location::Host || device_.reserve(size);
}

void MemoryPool::release(std::size_t size) noexcept {
    if (location_ != Location::Host) device_.release(size);
}

namespace {

/// The contents of a shared pool's file.
struct Identity {
    char kind[16] = "pycuda-cpu-pool";
    std::int32_t device = 0;
};

}  // namespace

void MemoryPool::make_shareable() {
    Identity mine;
    mine.device = device_.ordinal();
    SharedFile file(sizeof mine);
    file.write(0, &mine, sizeof mine);
    identity_ = std::move(file);
}

std::shared_ptr<MemoryPool> MemoryPool::imported(SharedFile identity) {
    const Identity wanted;
    Identity seen;
    require(identity.read(0, &seen, sizeof seen));
    require(std::memcmp(seen.kind, wanted.kind, sizeof seen.kind) == 0);
    auto pool = std::make_shared<MemoryPool>(cpu::state::device(seen.device), 0);
    pool->identity_ = std::move(identity);
    pool->imported_ = true;
    return pool;
}

CUdeviceptr MemoryPool::allocate(Context& context, std::size_t bytes) {
    require(!imported_);
    if (bytes == 0) return 0;
    require(bytes <= (location_ == Location::Host ? platform::physical_memory() : device_.total_memory()),
            CUDA_ERROR_OUT_OF_MEMORY);
    const std::size_t size = round_to_pages(bytes);
    auto made = std::make_shared<Allocation>();
    if (location_ == Location::Host) made->kind = Allocation::Kind::Host;
    if (location_ == Location::Managed) {
        made->kind = Allocation::Kind::Managed;
        made->advice = std::make_unique<AdviceMap>();
        made->flags = CU_MEM_ATTACH_GLOBAL;
    }
    {
        std::lock_guard lock(mutex_);
        const auto found = unused_.find(size);
        if (found != unused_.end()) {
            made->block = std::move(found->second);
            unused_.erase(found);
        } else {
            take_from_device(size);
        }
        used_.add(bytes);
        made->charged = size;
        made->device = location_ == Location::Device ? &device_ : &context.device();
        made->pool = weak_from_this();
        made->pooled = true;
    }
    if (!made->block.address()) made->block = PageBlock(size);
    made->base = made->block.address();
    made->size = bytes;
    made->context = context.weak_from_this();
    made->context_handle = context.handle();
    AddressSpace::instance().add(made);
    return made->base;
}

/// If the budget is too small, unused blocks of other sizes are released, the largest first.
void MemoryPool::take_from_device(std::size_t size) {
    const std::size_t max = max_size_ ? max_size_ : SIZE_MAX;
    require(size <= max, CUDA_ERROR_OUT_OF_MEMORY);
    while (reserved_.current > max - size || !reserve(size)) {
        require(!unused_.empty(), CUDA_ERROR_OUT_OF_MEMORY);
        give_back(std::prev(unused_.end()));
    }
    reserved_.add(size);
}

void MemoryPool::give_back(std::multimap<std::size_t, PageBlock>::iterator block) noexcept {
    reserved_.subtract(block->first);
    release(block->first);
    unused_.erase(block);
}

void MemoryPool::recycle(PageBlock block, std::size_t charged, std::size_t used) noexcept {
    if (imported_) return;  // the memory belongs to the other process
    std::lock_guard lock(mutex_);
    used_.subtract(used);
    if (block.address() && reserved_.current <= release_threshold_) {
        unused_.emplace(charged, std::move(block));
        return;
    }
    reserved_.subtract(charged);
    release(charged);
}

void MemoryPool::trim(std::size_t bytes_to_keep) {
    std::lock_guard lock(mutex_);
    while (!unused_.empty() && reserved_.current > bytes_to_keep) give_back(std::prev(unused_.end()));
}

std::uint64_t MemoryPool::attribute(CUmemPool_attribute which) const {
    std::lock_guard lock(mutex_);
    switch (which) {
        case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
        case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
        case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES: {
            const auto set = reuse_.find(which);
            return set == reuse_.end() ? 1 : set->second;
        }
        case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
            return release_threshold_;
        case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
            return reserved_.current;
        case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
            return reserved_.high;
        case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
            return used_.current;
        case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
            return used_.high;
        default:
            fail(CUDA_ERROR_INVALID_VALUE);
    }
}

void MemoryPool::set_attribute(CUmemPool_attribute which, std::uint64_t value) {
    std::lock_guard lock(mutex_);
    switch (which) {
        // Blocks are reused only once the free has run in its stream, which all three settings permit.
        case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
        case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
        case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
            reuse_[which] = value != 0;
            return;
        case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
            release_threshold_ = value;
            return;
        case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
        case CU_MEMPOOL_ATTR_USED_MEM_HIGH: {
            require(value == 0);
            Counter& counter = which == CU_MEMPOOL_ATTR_USED_MEM_HIGH ? used_ : reserved_;
            counter.high = counter.current;
            return;
        }
        default:
            fail(CUDA_ERROR_INVALID_VALUE);
    }
}

bool MemoryPool::accessible_from(const Device& other) const {
    std::lock_guard lock(mutex_);
    return (location_ == Location::Managed) || (location_ == Location::Device && &other == &device_) ||
           peers_.contains(&other);
}

void MemoryPool::set_accessible(const Device& other, bool accessible) {
    {
        std::lock_guard lock(mutex_);
        if (location_ == Location::Managed || (location_ == Location::Device && &other == &device_))
            require(accessible, CUDA_ERROR_INVALID_DEVICE);
        else if (accessible)
            peers_.insert(&other);
        else
            peers_.erase(&other);
    }
    AddressSpace::instance().update_pool_access(*this, other, accessible);
}

namespace memory_pool {

namespace {

struct Pools {
    std::mutex mutex;
    /// Managed and host memory belong to the first device, on behalf of all.
    using Place = std::pair<MemoryPool::Location, CUdevice>;
    std::map<Place, std::shared_ptr<MemoryPool>> initial;
    std::map<Place, std::shared_ptr<MemoryPool>> chosen;
};

Pools& pools() {
    static auto* const instance = new Pools;
    return *instance;
}

std::shared_ptr<MemoryPool> initial_of(const Pools::Place& place) {
    auto& pool = pools().initial[place];
    if (!pool) {
        pool = std::make_shared<MemoryPool>(device(place.second), 0, place.first);
        pool->handle = reinterpret_cast<CUmemoryPool>(new_handle_value());
        memory_pools().add_as(pool->handle, pool);
    }
    return pool;
}

}  // namespace

std::shared_ptr<MemoryPool> default_of(CUdevice ordinal, MemoryPool::Location location) {
    device(ordinal);
    std::lock_guard lock(pools().mutex);
    return initial_of({location, ordinal});
}

std::shared_ptr<MemoryPool> current_of(CUdevice ordinal, MemoryPool::Location location) {
    device(ordinal);
    std::lock_guard lock(pools().mutex);
    const auto found = pools().chosen.find({location, ordinal});
    return found == pools().chosen.end() ? initial_of({location, ordinal}) : found->second;
}

void set_current(CUdevice ordinal, const std::shared_ptr<MemoryPool>& pool, MemoryPool::Location location) {
    require(pool->location() == location && &device(ordinal) == &pool->device());
    std::lock_guard lock(pools().mutex);
    pools().chosen[{location, ordinal}] = pool;
}

void destroy(CUmemoryPool handle) {
    const auto pool = memory_pools().get(handle, CUDA_ERROR_INVALID_VALUE);
    std::lock_guard lock(pools().mutex);
    const Pools::Place place{pool->location(), pool->device().ordinal()};
    require(pool->is_imported() || initial_of(place) != pool);
    const auto chosen = pools().chosen.find(place);
    if (chosen != pools().chosen.end() && chosen->second == pool) pools().chosen.erase(chosen);
    memory_pools().take(handle);
}

namespace {

void free_graph_memory(Stream& stream, CUdeviceptr pointer) {
    const auto memory = graphs::graph_memory_at(pointer);
    require(memory != nullptr);
    stream.enqueue(make_task(TaskKind::Bookkeeping, memory->free_by_program()));
}

}  // namespace

void free_in_order(Stream& stream, CUdeviceptr pointer) {
    const auto found = AddressSpace::instance().find(pointer);
    require(found && found->base == pointer && !found->imported);
    require(found->pooled || found->kind != Allocation::Kind::Managed, CUDA_ERROR_NOT_SUPPORTED);
    require(found->pooled || found->kind == Allocation::Kind::Device);
    if (found->of_graph) return free_graph_memory(stream, pointer);
    const auto release = [pointer, held = std::weak_ptr(found)] {
        AddressSpace::instance().remove(pointer, [&](const Allocation& live) { return &live == held.lock().get(); });
    };
    if (!stream.run_here_if_idle(release)) stream.enqueue(make_task(TaskKind::Bookkeeping, release));
}

}  // namespace memory_pool

}  // namespace cpu::state
