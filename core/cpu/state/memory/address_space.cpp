#include "state/memory/address_space.hpp"

#include "exec/checks/written_bytes.hpp"
#include "state/context.hpp"
#include "state/device.hpp"
#include "state/memory/memory_pool.hpp"

#include <algorithm>
#include <deque>
#include <mutex>
#include <new>

namespace cpu::state {

namespace {

/// All leases. Workers and pools may still have the address of one that has ended with its allocation, so their memory
/// is never released, but reused.
class Leases {
public:
    exec::Lease& take() {
        const std::lock_guard lock(mutex_);
        if (unused_.empty()) return all_.emplace_back();
        exec::Lease* const lease = unused_.back();
        unused_.pop_back();
        return *lease;
    }
    void give(exec::Lease& lease) noexcept try {
        lease.reset();
        const std::lock_guard lock(mutex_);
        unused_.push_back(&lease);
    } catch (const std::bad_alloc&) {
        // It stays unused.
    }

private:
    std::mutex mutex_;
    std::deque<exec::Lease> all_;
    std::vector<exec::Lease*> unused_;
};

Leases& leases() {
    static auto* const leaked = new Leases;  // streams run while the process exits
    return *leaked;
}

}  // namespace

Allocation::~Allocation() {
    if (const auto from = pool.lock())
        from->recycle(std::move(block), charged, size);
    else if (device && charged && !on_host())
        device->release(charged);
    if (lease) leases().give(*lease);
}

AddressSpace& AddressSpace::instance() {
    static auto* const space = new AddressSpace;
    return *space;
}

namespace {

CUmemAccess_flags access_of(const Allocation& allocation, const Context& viewer) {
    return allocation.access[static_cast<std::size_t>(viewer.device().ordinal())];
}

std::uint64_t next_id() noexcept {
    static std::atomic<std::uint64_t> next{1};
    return next.fetch_add(1);
}

}  // namespace

bool AddressSpace::visible(const Allocation& allocation, const Context& viewer) const {
    // The image itself registers its module's variables with its own context.
    if (allocation.kind == Allocation::Kind::Variable) return false;
    if (!allocation.access.empty()) return access_of(allocation, viewer) != CU_MEM_ACCESS_FLAGS_PROT_NONE;
    if (const auto pool = allocation.pool.lock()) return pool->accessible_from(viewer.device());
    // A pool may be destroyed before its allocations are freed.
    if (allocation.pooled && &viewer.device() == allocation.device) return true;
    if (allocation.of_graph) return &viewer.device() == allocation.device;
    return allocation.everywhere() || allocation.owner == &viewer || viewer.is_peer(allocation.owner);
}

bool AddressSpace::is_usable(const Allocation& allocation, const Context& viewer) const {
    const std::shared_lock lock(mutex_);
    return allocation.owner == &viewer || visible(allocation, viewer);
}

namespace {

/// True if only this device writes to it. Other processes may write to imported memory, and the program itself to
/// managed and host memory.
bool is_private(const Allocation& allocation) {
    if (const auto pool = allocation.pool.lock(); pool && pool->is_imported()) return false;
    return allocation.kind == Allocation::Kind::Device && !allocation.imported;
}

exec::Range range_of(const Allocation& allocation, const Context& viewer) {
    const bool read_only = allocation.access.empty() ? allocation.read_only
                                                     : access_of(allocation, viewer) == CU_MEM_ACCESS_FLAGS_PROT_READ;
    return {allocation.base, allocation.size, read_only, is_private(allocation), allocation.lease};
}

}  // namespace

void AddressSpace::add(const std::shared_ptr<Allocation>& allocation) {
    allocation->id = next_id();
    if (is_private(*allocation)) exec::written_bytes::track(allocation->base, allocation->size);
    std::unique_lock lock(mutex_);
    allocations_[allocation->base] = allocation;
    for (Context* context : contexts_)
        if (visible(*allocation, *context)) context->memory().add(range_of(*allocation, *context));
}

void AddressSpace::hide(Allocation& allocation) {
    allocation.freed = true;
    if (allocation.kind == Allocation::Kind::Device) exec::written_bytes::forget(allocation.base);
    // Removes it even where it is no longer visible: its pool may be gone, and a stale range would hide later
    // allocations.
    if (allocation.kind == Allocation::Kind::Variable) return;
    for (Context* context : contexts_) context->memory().remove(allocation.base);
}

std::shared_ptr<Allocation> AddressSpace::remove(std::uintptr_t base,
                                                 const std::function<bool(const Allocation&)>& wanted) {
    std::unique_lock lock(mutex_);
    const auto found = allocations_.find(base);
    if (found == allocations_.end() || !wanted(*found->second)) return nullptr;
    auto allocation = std::move(found->second);
    allocations_.erase(found);
    hide(*allocation);
    return allocation;
}

void AddressSpace::replace(const std::vector<std::uintptr_t>& bases,
                           const std::vector<std::shared_ptr<Allocation>>& made) {
    std::unique_lock lock(mutex_);
    std::vector<std::shared_ptr<Allocation>> gone;
    for (const std::uintptr_t base : bases) gone.push_back(std::move(allocations_.extract(base).mapped()));
    for (const auto& allocation : made) {
        allocation->id = next_id();
        allocations_[allocation->base] = allocation;
        for (Context* context : contexts_)
            if (visible(*allocation, *context)) context->memory().add(range_of(*allocation, *context));
    }
    for (const auto& allocation : gone) {
        allocation->freed = true;
        const auto now = allocations_.find(allocation->base);
        for (Context* context : contexts_)
            if (now == allocations_.end() || !visible(*now->second, *context))
                context->memory().remove(allocation->base);
    }
}

const std::shared_ptr<Allocation>* AddressSpace::locate(std::uintptr_t address) const {
    auto next = allocations_.upper_bound(address);
    if (next == allocations_.begin()) return nullptr;
    const auto& candidate = std::prev(next)->second;
    return address - candidate->base < candidate->size ? &candidate : nullptr;
}

std::shared_ptr<Allocation> AddressSpace::find(std::uintptr_t address) const {
    std::shared_lock lock(mutex_);
    const auto* found = locate(address);
    return found ? *found : nullptr;
}

std::shared_ptr<Allocation> AddressSpace::find(std::uintptr_t address, std::size_t bytes,
                                               const exec::QueuedAt& work) const {
    std::shared_lock lock(mutex_);
    const auto* found = locate(address);
    if (!found) return nullptr;
    const std::size_t offset = address - (*found)->base, size = (*found)->size_for(work);
    return bytes <= size && offset <= size - bytes ? *found : nullptr;
}

std::shared_ptr<Allocation> AddressSpace::first_in(std::uintptr_t address, std::size_t bytes) const {
    std::shared_lock lock(mutex_);
    const auto next = allocations_.lower_bound(address + bytes);
    if (next == allocations_.begin()) return nullptr;
    const auto& last = std::prev(next)->second;
    return last->base + last->size > address ? last : nullptr;
}

exec::Lease& AddressSpace::lease_at(std::uintptr_t base) {
    std::unique_lock lock(mutex_);
    const auto found = allocations_.find(base);
    require(found != allocations_.end());
    Allocation& allocation = *found->second;
    if (!allocation.lease) allocation.lease = &leases().take();
    for (Context* context : contexts_)
        if (visible(allocation, *context)) context->memory().add(range_of(allocation, *context));
    return *allocation.lease;
}

void AddressSpace::attach(Context& context) {
    std::unique_lock lock(mutex_);
    contexts_.push_back(&context);
    for (const auto& [base, allocation] : allocations_)
        if (visible(*allocation, context)) context.memory().add(range_of(*allocation, context));
}

std::vector<std::shared_ptr<Allocation>> AddressSpace::detach(Context& context) {
    std::unique_lock lock(mutex_);
    std::vector<std::shared_ptr<Allocation>> freed;
    for (auto at = allocations_.begin(); at != allocations_.end();) {
        if (at->second->owner != &context) {
            ++at;
            continue;
        }
        hide(*at->second);
        at->second->lease = nullptr;  // the pool may not know that its memory has ended
        freed.push_back(std::move(at->second));
        at = allocations_.erase(at);
    }
    std::erase(contexts_, &context);
    for (Context* other : contexts_) other->set_peer(&context, false);
    return freed;
}

void AddressSpace::update_pool_access(const MemoryPool& pool, const Device& device, bool accessible) {
    std::unique_lock lock(mutex_);
    for (const auto& [base, allocation] : allocations_) {
        if (allocation->pool.lock().get() != &pool) continue;
        for (Context* context : contexts_) {
            if (&context->device() != &device) continue;
            context->memory().withdraw(base);
            if (accessible) context->memory().add(range_of(*allocation, *context));
        }
    }
}

void AddressSpace::set_peer(Context& viewer, const Context& owner, bool enabled) {
    std::unique_lock lock(mutex_);
    for (const auto& [base, allocation] : allocations_) {
        if (allocation->owner != &owner || allocation->everywhere() || allocation->kind == Allocation::Kind::Variable)
            continue;
        if (enabled)
            viewer.memory().add(range_of(*allocation, viewer));
        else
            viewer.memory().withdraw(base);
    }
    viewer.set_peer(&owner, enabled);
}

}  // namespace cpu::state
