#pragma once

#include <cuda.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "pycuda/devices/device.hpp"
#include "pycuda/memory/stream_ordered.hpp"

namespace pycuda {

struct StreamOrderedPoolTraits {
    using type = CUmemoryPool;
    static constexpr const char* what = "stream-ordered pool";
    static void destroy(CUmemoryPool pool) noexcept;
};

/// The bytes that another process needs to open memory of a pool of this one.
using PoolPointerHandle = std::array<unsigned char, sizeof(CUmemPoolPtrExportData)>;

/// A pool of the driver: streams allocate from it and free to it in the order of their work. Belongs to a
/// location, not to a context. Memory that is allocated when the pool ends stays valid until it is freed, and the
/// driver's pool lives until then.
class StreamOrderedPool {
public:
    /// Create a pool (cuMemPoolCreate). `id`: number of the device or NUMA node, -1 for the current context's
    /// device. `max_size`: the maximum size in bytes, 0: no limit. A `handle_type` other than NONE allows
    /// exports. `managed`: a pool of managed memory, whose preferred location is the given one; CUDA 13.0.
    explicit StreamOrderedPool(pycuda::MemLocationType location = pycuda::MemLocationType::DEVICE, int id = -1,
                               std::size_t max_size = 0,
                               pycuda::MemAllocationHandleType handle_type = pycuda::MemAllocationHandleType::NONE,
                               bool managed = false);
    /// The default pool of a device (cuDeviceGetDefaultMemPool). Lives as long as the driver.
    static StreamOrderedPool default_of(const Device& device);
    /// The pool that mem_alloc_async takes from on a device (cuDeviceGetMemPool). Its owner determines its lifetime.
    static StreamOrderedPool current_of(const Device& device);
    /// From now on mem_alloc_async takes from this pool on the device (cuDeviceSetMemPool).
    void make_current(const Device& device);

    /// The default pool of a location, also of the host's memory or of managed memory (cuMemGetDefaultMemPool). Needs a
    /// driver of CUDA 13.0. `id` as above.
    static StreamOrderedPool default_at(pycuda::MemLocationType location, int id = -1, bool managed = false);
    /// The pool that was made current there, or the default one (cuMemGetMemPool). Needs a driver of CUDA 13.0.
    static StreamOrderedPool current_at(pycuda::MemLocationType location, int id = -1, bool managed = false);
    /// Make this the current pool of its location (cuMemSetMemPool). LogicError if it is of another one. Needs a driver
    /// of CUDA 13.0.
    void make_current_at(pycuda::MemLocationType location, int id = -1, bool managed = false);

    /// mem_alloc_async from this pool (cuMemAllocFromPoolAsync).
    std::unique_ptr<StreamOrderedAllocation> allocate(std::size_t bytes, const Stream* stream = nullptr);

    /// Flags are 0 or 1, all others bytes (cuMemPoolGetAttribute).
    std::uint64_t get_attribute(MemPoolAttribute attribute) const;
    /// cuMemPoolSetAttribute. High watermarks can only be set to 0.
    void set_attribute(MemPoolAttribute attribute, std::size_t value);
    /// Gives unused memory back to the system until no more than `bytes_to_keep` are reserved (cuMemPoolTrimTo).
    void trim(std::size_t bytes_to_keep = 0);

    MemAccessFlags get_access(const Device& device) const;  ///< cuMemPoolGetAccess
    /// Set a device's access to the pool's memory (cuMemPoolSetAccess).
    void set_access(const Device& device, pycuda::MemAccessFlags access = pycuda::MemAccessFlags::READWRITE);

    /// A file descriptor with which another process imports the pool; the caller closes it
    /// (cuMemPoolExportToShareableHandle). For pools with handle type POSIX_FILE_DESCRIPTOR.
    int export_descriptor() const;
    /// The pool of another process. It cannot allocate, but opens memory that the process exports. The caller keeps
    /// the descriptor.
    static StreamOrderedPool import_descriptor(int descriptor);
    /// For the start of memory from a pool whose descriptor has been exported (cuMemPoolExportPointer).
    static PoolPointerHandle export_pointer(DevicePtr devptr);
    /// Memory that another process exported from this imported pool (cuMemPoolImportPointer). Free it before that
    /// process does.
    std::unique_ptr<StreamOrderedAllocation> import_pointer(const PoolPointerHandle& handle);

    CUmemoryPool handle() const { return pool_.get(); }
    Handle<StreamOrderedPoolTraits>::Use use() const { return pool_.use(); }
    void close() noexcept { pool_.reset(); }

private:
    explicit StreamOrderedPool(Handle<StreamOrderedPoolTraits> pool) : pool_(std::move(pool)) {}
    Handle<StreamOrderedPoolTraits> pool_;
};

}  // namespace pycuda
