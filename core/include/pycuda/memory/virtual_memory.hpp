#pragma once

#include <cuda.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "pycuda/constants/constants.hpp"
#include "pycuda/devices/device.hpp"
#include "pycuda/memory/device_memory.hpp"

namespace pycuda {

struct PhysicalMemoryTraits {
    using type = CUmemGenericAllocationHandle;
    static constexpr const char* what = "physical memory";
    static void destroy(CUmemGenericAllocationHandle memory) noexcept;
};

/// Memory without an address, to be mapped into VirtualMemory, in this process or another. Exclusive owner; move-only.
/// Mappings stay when this object ends.
class PhysicalMemory {
public:
    /// cuMemCreate. `size` is rounded up to the granularity. `id`: number of the device or NUMA node, -1 for the
    /// current context's device. A `handle_type` other than NONE allows exports.
    explicit PhysicalMemory(std::size_t size, pycuda::MemLocationType location = pycuda::MemLocationType::DEVICE,
                            int id = -1,
                            pycuda::MemAllocationHandleType handle_type = pycuda::MemAllocationHandleType::NONE);
    /// Memory of a device for sparse arrays (Array::map_tiles), and for nothing else. -1: the current context's device.
    static PhysicalMemory tile_pool(std::size_t size, int device = -1);
    std::size_t size() const noexcept { return size_; }
    /// A file descriptor with which another process imports the memory; the caller closes it
    /// (cuMemExportToShareableHandle). For memory with handle type POSIX_FILE_DESCRIPTOR.
    int export_descriptor() const;
    /// Memory of another process, of `size` bytes (cuMemImportFromShareableHandle). The caller keeps the descriptor.
    static PhysicalMemory import_descriptor(int descriptor, std::size_t size);
    /// The memory that is mapped at an address, of `size` bytes (cuMemRetainAllocationHandle); it lives as long as this
    /// object or a mapping. LogicError if nothing is mapped there.
    static PhysicalMemory of_address(DevicePtr devptr, std::size_t size);
    /// The granularity of sizes and addresses in bytes (cuMemGetAllocationGranularity), for memory of a device;
    /// -1: the current context's.
    static std::size_t granularity(MemAllocationGranularity which, int device = -1);

    std::uint64_t handle() const { return memory_.get(); }
    Handle<PhysicalMemoryTraits>::Use use() const { return memory_.use(); }
    void close() noexcept { memory_.reset(); }

private:
    friend class VirtualMemory;
    PhysicalMemory(std::size_t size, const CUmemAllocationProp& properties);
    /// Takes over the handle.
    static PhysicalMemory with_properties(CUmemGenericAllocationHandle memory, std::size_t size);
    PhysicalMemory(Handle<PhysicalMemoryTraits> memory, std::size_t size, int device)
        : memory_(std::move(memory)), size_(size), device_(device) {}
    Handle<PhysicalMemoryTraits> memory_;
    std::size_t size_;
    int device_;  ///< has access from the start; -1: none
};

/// A reserved range of addresses that gets memory as needed: it grows and shrinks in place, and its address
/// stays. Reserved addresses without memory must not be accessed. Access is granted per device; the current
/// context's device has it from the start.
class VirtualMemory final : public DeviceMemory {
public:
    /// Reserves addresses (cuMemAddressReserve) and maps memory of the current context's device for the first `size`
    /// bytes. `reserve`: bytes of addresses, which cost nothing; 0: the size of the device's memory.
    explicit VirtualMemory(std::size_t size = 0, std::size_t reserve = 0,
                           pycuda::MemAllocationHandleType handle_type = pycuda::MemAllocationHandleType::NONE);
    ~VirtualMemory() override { release(); }

    DevicePtr pointer() const override;
    std::size_t size() const noexcept override;
    std::shared_ptr<Context> context() const noexcept override;
    const char* what() const noexcept override { return name; }
    bool is_closed() const noexcept override;

    /// Bytes of reserved addresses.
    std::size_t reserved() const noexcept { return reserved_; }
    /// Bytes with memory: at least the size.
    std::size_t mapped() const noexcept;
    /// Grows, or shrinks from the end, in place; the address and the remaining contents stay. LogicError
    /// beyond the reserved size, MemoryError if there is too little memory; the size is then
    /// unchanged. Shrinking waits for all work of the context and unmaps whole pieces. Pieces that a graph may use stay
    /// mapped until it, its executable graphs and their launches have ended; growing again takes them back. The same
    /// holds for free and destruction. While a stream is captured, nothing waits, and pieces are unmapped afterwards.
    void resize(std::size_t size);
    /// Maps further memory, also another process's, after the mapped part (cuMemMap), and increases the size.
    /// LogicError while a graph uses memory that was mapped there.
    void map(const PhysicalMemory& memory);
    /// Sets a device's access to all of it, also after it grows (cuMemSetAccess).
    void set_access(const Device& device, pycuda::MemAccessFlags access = pycuda::MemAccessFlags::READWRITE);
    MemAccessFlags get_access(const Device& device) const;  ///< for its first byte (cuMemGetAccess)

    static constexpr const char* name = "virtual memory";

private:
    struct Range;
    struct Mapping;
    struct Piece;
    void require_open() const;
    std::size_t bytes_mapped() const noexcept;
    std::size_t reclaim_mapped(std::size_t missing);
    void append(const PhysicalMemory& memory);
    void grant(DevicePtr address, std::size_t bytes) const;
    void unmap_behind(std::size_t size);
    bool release() noexcept override;

    const std::shared_ptr<Context> context_;
    const MemAllocationHandleType handle_type_;
    int device_;
    std::size_t granularity_ = 0;
    std::size_t reserved_ = 0;
    DevicePtr address_ = 0;
    std::shared_ptr<const Range> range_;  ///< the reserved addresses
    mutable std::mutex mutex_;
    std::atomic<bool> open_{false};
    std::size_t size_ = 0;
    std::vector<std::shared_ptr<Piece>> pieces_;                 ///< in the order of addresses
    std::map<std::size_t, std::weak_ptr<Mapping>> left_mapped_;  ///< that shrinking has left to graphs, by offset
    std::map<CUdevice, MemAccessFlags> devices_;                 ///< with their access
};

}  // namespace pycuda
