#pragma once

#include "state/memory/page_block.hpp"
#include "state/registry.hpp"

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

namespace cpu::state {

class Context;
class Device;
class Stream;

/// Memory of one device that is allocated and freed in stream order. A freed block is kept for the next request of its
/// size while the pool holds no more than its release threshold.
class MemoryPool : public std::enable_shared_from_this<MemoryPool> {
public:
    enum class Location { Device, Host, Managed };
    /// `device`: the device whose memory it is; for host memory, which contexts of any device may allocate, the device
    /// that owns the pool.
    MemoryPool(Device& device, std::size_t max_size, Location location = Location::Device)
        : device_(device), max_size_(max_size), location_(location) {}
    ~MemoryPool();

    /// The pool of another process that this file identifies. Throws CUDA_ERROR_INVALID_VALUE for other files.
    static std::shared_ptr<MemoryPool> imported(SharedFile identity);
    /// Allows other processes to import the pool from now on.
    void make_shareable();
    const SharedFile& identity() const noexcept { return identity_; }  ///< empty if the pool cannot be shared
    bool is_imported() const noexcept { return imported_; }

    Device& device() const noexcept { return device_; }
    Location location() const noexcept { return location_; }
    CUmemoryPool handle = nullptr;  ///< set once, before the pool is shared

    /// Memory that the caller can use immediately. 0 for zero bytes. Throws CUDA_ERROR_OUT_OF_MEMORY.
    CUdeviceptr allocate(Context& context, std::size_t bytes);
    /// Takes a block back; only for the destructor of an allocation.
    void recycle(PageBlock block, std::size_t charged, std::size_t used) noexcept;
    /// Releases unused blocks until at most `bytes_to_keep` are held.
    void trim(std::size_t bytes_to_keep);

    std::uint64_t attribute(CUmemPool_attribute attribute) const;
    void set_attribute(CUmemPool_attribute attribute, std::uint64_t value);

    bool accessible_from(const Device& device) const;
    void set_accessible(const Device& device, bool accessible);

private:
    struct Counter {
        std::size_t current = 0;
        std::size_t high = 0;
        void add(std::size_t bytes) { high = std::max(high, current += bytes); }
        void subtract(std::size_t bytes) { current -= bytes; }
    };

    bool reserve(std::size_t size) noexcept;
    void release(std::size_t size) noexcept;
    void take_from_device(std::size_t size);
    void give_back(std::multimap<std::size_t, PageBlock>::iterator block) noexcept;

    Device& device_;
    SharedFile identity_;
    bool imported_ = false;
    std::size_t max_size_;  ///< 0: limited by the device's memory
    Location location_;
    mutable std::mutex mutex_;
    std::multimap<std::size_t, PageBlock> unused_;  ///< by size
    Counter reserved_;
    Counter used_;
    std::uint64_t release_threshold_ = 0;
    std::map<CUmemPool_attribute, std::uint64_t> reuse_;
    std::set<const Device*> peers_;
};

inline Registry<MemoryPool, CUmemoryPool>& memory_pools() {
    return registry<MemoryPool, CUmemoryPool>();
}

namespace memory_pool {

/// The pool that each device has from the start; other locations belong to the first one.
std::shared_ptr<MemoryPool> default_of(CUdevice device, MemoryPool::Location location = MemoryPool::Location::Device);
/// The pool that cuMemAllocAsync uses, or that was chosen for another location.
std::shared_ptr<MemoryPool> current_of(CUdevice device, MemoryPool::Location location = MemoryPool::Location::Device);
void set_current(CUdevice device, const std::shared_ptr<MemoryPool>& pool,
                 MemoryPool::Location location = MemoryPool::Location::Device);
/// Destroys a pool that the program created; the device falls back to its default pool.
void destroy(CUmemoryPool handle);

/// Frees memory from a pool or from cuMemAlloc, after all current work of `stream`.
void free_in_order(Stream& stream, CUdeviceptr pointer);

}  // namespace memory_pool

}  // namespace cpu::state
