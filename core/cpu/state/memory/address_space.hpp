#pragma once

#include "exec/running/lease.hpp"
#include "state/memory/advice.hpp"
#include "state/memory/page_block.hpp"

#include <cuda.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <shared_mutex>
#include <vector>

namespace cpu::state {

class Context;
class Device;
class MemoryPool;

/// One range of the unified address space that copies and kernels may access.
struct Allocation {
    enum class Kind { Device, Managed, Host, Registered, Variable };

    ~Allocation();

    Kind kind = Kind::Device;
    std::uintptr_t base = 0;
    std::size_t size = 0;            ///< as requested
    unsigned flags = 0;              ///< of cuMemHostAlloc, cuMemHostRegister or cuMemAllocManaged
    std::weak_ptr<Context> context;  ///< the context that created it
    Context* owner = nullptr;        ///< the same context, only for comparison
    CUcontext context_handle = nullptr;
    Device* device = nullptr;
    std::size_t charged = 0;  ///< taken from the device's budget, and returned at destruction
    std::uint64_t id = 0;     ///< never reused, as CU_POINTER_ATTRIBUTE_BUFFER_ID
    bool sync_memops = true;  ///< as CU_POINTER_ATTRIBUTE_SYNC_MEMOPS; copies of this device always are
    bool read_only = false;
    bool imported = false;              ///< opened from another process's handle
    bool is_external = false;           ///< a buffer of external memory, which cuMemFree unmaps
    std::atomic<bool> freed{false};     ///< set once freed: texture objects may keep the memory alive
    std::weak_ptr<MemoryPool> pool;     ///< the pool that it came from
    bool pooled = false;                ///< came from a pool, which may be gone
    std::unique_ptr<AdviceMap> advice;  ///< for managed memory
    bool of_graph = false;              ///< launches of a graph allocate it: see GraphMemory
    PageBlock block;                    ///< empty for memory owned elsewhere
    exec::Lease* lease = nullptr;       ///< if a pool of the program lends it: see AddressSpace::lease_at
    /// For mapped virtual memory: each device's access. Empty for other memory.
    std::vector<CUmemAccess_flags> access;
    std::shared_ptr<const void> storage;  ///< for a variable: its module, which queued copies keep alive

    bool on_host() const noexcept { return kind == Kind::Host || kind == Kind::Registered; }
    /// True for host and managed memory, which belong to every context's address space.
    bool everywhere() const noexcept { return on_host() || kind == Kind::Managed; }
    /// The context that the driver names for it: none for memory of a pool, which belongs to the device.
    CUcontext named_context() const noexcept { return pool.expired() ? context_handle : nullptr; }
    std::byte* data() const noexcept { return reinterpret_cast<std::byte*>(base); }
    /// How many bytes, from the start on, the work may access.
    std::size_t size_for(const exec::QueuedAt& work) const noexcept { return lease ? lease->limit(work) : size; }
};

/// Every live allocation of the process, and which contexts' kernels may access it.
class AddressSpace {
public:
    static AddressSpace& instance();

    void add(const std::shared_ptr<Allocation>& allocation);
    /// Removes the allocation that starts at `base`, if `wanted` agrees; nullptr if there is none.
    std::shared_ptr<Allocation> remove(std::uintptr_t base, const std::function<bool(const Allocation&)>& wanted);
    /// For virtual memory: replaces the allocations that start at `bases` by `made`. Memory in both stays accessible
    /// throughout.
    void replace(const std::vector<std::uintptr_t>& bases, const std::vector<std::shared_ptr<Allocation>>& made);
    /// The allocation that contains `address`; nullptr if there is none.
    std::shared_ptr<Allocation> find(std::uintptr_t address) const;
    /// The allocation that contains all of [address, address + bytes), and where `work` may access all of them; nullptr
    /// if there is none.
    std::shared_ptr<Allocation> find(std::uintptr_t address, std::size_t bytes,
                                     const exec::QueuedAt& work = exec::QueuedAt::now()) const;
    /// An allocation that overlaps the range; nullptr if there is none.
    std::shared_ptr<Allocation> first_in(std::uintptr_t address, std::size_t bytes) const;

    /// A pool of the program will lend the allocation that starts at `base`: returns what it must keep up to date. It
    /// is valid until the allocation is freed; if that ends with its context, forever. Nothing is lent at first.
    exec::Lease& lease_at(std::uintptr_t base);

    /// Makes the memory that belongs to every context visible in a new one.
    void attach(Context& context);
    /// The context is ending: removes and returns its own allocations, except registered host memory.
    std::vector<std::shared_ptr<Allocation>> detach(Context& context);
    /// True if kernels of `viewer` may access the allocation.
    bool is_usable(const Allocation& allocation, const Context& viewer) const;
    /// Allow or forbid kernels of `viewer` to access device memory of `owner`.
    void set_peer(Context& viewer, const Context& owner, bool enabled);
    /// Allow or forbid kernels on `device` to access memory from `pool`.
    void update_pool_access(const MemoryPool& pool, const Device& device, bool accessible);

private:
    bool visible(const Allocation& allocation, const Context& viewer) const;
    const std::shared_ptr<Allocation>* locate(std::uintptr_t address) const;
    void hide(Allocation& allocation);

    mutable std::shared_mutex mutex_;
    std::map<std::uintptr_t, std::shared_ptr<Allocation>> allocations_;
    std::vector<Context*> contexts_;
};

}  // namespace cpu::state
