#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "pycuda/captures/captured_work.hpp"
#include "pycuda/driver/open_captures.hpp"
#include "pycuda/handles/device_ptr.hpp"
#include "pycuda/handles/handle.hpp"

namespace pycuda {

struct MemInfo {
    std::size_t free;
    std::size_t total;
};

/// Free and total bytes of the current context's device (cuMemGetInfo).
MemInfo mem_get_info();

/// The range of one driver allocation.
struct AddressRange {
    DevicePtr base;
    std::size_t size;
};

/// The allocation that `devptr` points into (cuMemGetAddressRange): for pooled memory, the driver's allocation that
/// contains the block. LogicError if there is none.
AddressRange mem_get_address_range(DevicePtr devptr);

/// Whether synchronous copies and fills of the allocation that contains `devptr` always wait for their end
/// (cuPointerSetAttribute), as GPUDirect RDMA needs. LogicError if there is none.
void mem_set_sync_memops(DevicePtr devptr, bool sync);
/// A dma-buf of `nbytes` bytes, for drivers of other devices: a file descriptor, which the caller closes
/// (cuMemGetHandleForAddressRange). Both are multiples of the host's page size. LogicError if the device has none
/// (DeviceAttribute::DMA_BUF_SUPPORTED), as the CPU device.
int mem_export_dma_buf(DevicePtr devptr, std::size_t nbytes);

/// Memory that device code can access by its address. Plain, pooled, pitched, managed, IPC and stream-ordered memory
/// derive from it; every function that takes device memory accepts it. Each kind frees itself in its own way.
class DeviceMemory {
public:
    virtual ~DeviceMemory() = default;
    DeviceMemory(const DeviceMemory&) = delete;
    DeviceMemory& operator=(const DeviceMemory&) = delete;

    /// The address as a number. It may be used on any stream until the memory is freed. LogicError after free,
    /// and after the context's end.
    virtual DevicePtr pointer() const = 0;
    /// The address, for work that is about to be queued on `stream` only: pooled memory records the
    /// stream, so that its next holder waits for no other.
    virtual DevicePtr pointer_for(CUstream stream) { return noted(pointer(), stream); }
    /// The requested size in bytes.
    virtual std::size_t size() const noexcept = 0;
    /// The context it belongs to; null after free.
    virtual std::shared_ptr<Context> context() const noexcept = 0;
    /// Its kind, for messages and live_handles: "device allocation".
    virtual const char* what() const noexcept = 0;
    virtual bool is_closed() const noexcept = 0;
    /// Free the memory now. LogicError if it is free already.
    virtual void free();
    /// Free the memory now; a no-op if it is free already. For Java's close and for clean-up.
    void close() noexcept { release(); }

protected:
    DeviceMemory() = default;
    DeviceMemory(DeviceMemory&&) = default;
    /// The address of memory that graphs keep. Each kind's pointer() calls this: the node whose arguments are being
    /// read, or the graph into which `stream` is captured, keeps the memory.
    static DevicePtr noted(DevicePtr address, CUstream stream = nullptr) {
        if (any_capture_is_open()) [[unlikely]]
            note_memory_of_graph(stream, address);
        return address;
    }

private:
    /// True if this call freed it.
    virtual bool release() noexcept = 0;
};

struct DeviceMemoryTraits {
    using type = DevicePtr;
    static constexpr const char* what = "device allocation";
    static constexpr bool is_number = true;
    /// If graphs use it, they free it.
    static void destroy(DevicePtr pointer, Context* owner) noexcept;
};

struct PitchedAllocation;

/// Linear device memory, freed with this object (cuMemFree). Exclusive owner; move-only.
class DeviceAllocation final : public DeviceMemory {
public:
    /// At least `bytes` bytes in the current context (cuMemAlloc). If memory runs out, the hook of
    /// set_out_of_memory_hook runs, then the context's pools free what they hold; the allocation is
    /// tried again after each step. MemoryError names the requested bytes.
    explicit DeviceAllocation(std::size_t bytes);

    DevicePtr pointer() const override { return noted(memory_.get()); }
    DevicePtr pointer_for(CUstream stream) override { return noted(memory_.get(), stream); }
    std::size_t size() const noexcept override { return size_; }
    std::shared_ptr<Context> context() const noexcept override { return memory_.owner(); }
    const char* what() const noexcept override { return DeviceMemoryTraits::what; }
    bool is_closed() const noexcept override { return memory_.get_or_null() == 0; }

private:
    friend PitchedAllocation mem_alloc_pitch(std::size_t width, std::size_t height, unsigned access_size);
    DeviceAllocation(Handle<DeviceMemoryTraits> memory, std::size_t size) : memory_(std::move(memory)), size_(size) {}
    bool release() noexcept override;

    Handle<DeviceMemoryTraits> memory_;
    std::size_t size_;
};

struct PitchedAllocation {
    DeviceAllocation allocation;
    std::size_t pitch;  ///< bytes from one row to the next
};

/// Allocate `height` rows of at least `width` bytes, each aligned for fast accesses of `access_size` bytes (4, 8 or 16)
/// (cuMemAllocPitch). If memory runs out, it is handled as by DeviceAllocation.
PitchedAllocation mem_alloc_pitch(std::size_t width, std::size_t height, unsigned access_size);

/// Called if device memory runs out, so that the language collects garbage that holds device memory. Null: none.
/// Must not throw. Set once, by the language module.
void set_out_of_memory_hook(void (*hook)()) noexcept;

}  // namespace pycuda
