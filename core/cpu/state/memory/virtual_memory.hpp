#pragma once

#include "state/memory/shared_file.hpp"
#include "state/registry.hpp"

#include <cuda.h>

#include <cstddef>
#include <memory>

namespace cpu::state {

class Device;

/// Memory without an address: a file that is mapped where it is wanted, in this process and others.
class PhysicalMemory {
public:
    /// Throws CUDA_ERROR_INVALID_VALUE for a size that is no multiple of the granularity, CUDA_ERROR_OUT_OF_MEMORY when
    /// the device's budget has no more.
    PhysicalMemory(const CUmemAllocationProp& properties, std::size_t size);
    /// What another process, or this one, exported. Throws CUDA_ERROR_INVALID_VALUE for any other file.
    explicit PhysicalMemory(int descriptor);
    ~PhysicalMemory();
    PhysicalMemory(const PhysicalMemory&) = delete;
    PhysicalMemory& operator=(const PhysicalMemory&) = delete;

    /// A new descriptor. Throws CUDA_ERROR_INVALID_VALUE when the memory was not made for that.
    int export_descriptor() const;
    const CUmemAllocationProp& properties() const noexcept { return properties_; }
    std::size_t size() const noexcept { return size_; }
    const SharedFile& file() const noexcept { return file_; }

    CUmemGenericAllocationHandle handle = 0;  ///< set once, before it is registered
    std::atomic<int> references{1};           ///< of the program, by its handle

private:
    CUmemAllocationProp properties_{};
    std::size_t size_ = 0;
    SharedFile file_;
    Device* charged_ = nullptr;  ///< whose budget it is taken from; null for host memory, and what was imported
};

/// Addresses that are reserved, and what is mapped there. All throw CUDA_ERROR_INVALID_VALUE for what is not a whole
/// reservation, or whole mappings, of the right state.
namespace virtual_memory {

constexpr std::size_t granularity = std::size_t{2} << 20;

CUmemGenericAllocationHandle create(const CUmemAllocationProp& properties, std::size_t size);
CUmemGenericAllocationHandle import(int descriptor);
std::shared_ptr<PhysicalMemory> memory_of(CUmemGenericAllocationHandle handle);
void release(CUmemGenericAllocationHandle handle);
/// The handle of what is mapped at `address`, once more.
CUmemGenericAllocationHandle retain(CUdeviceptr address);

CUdeviceptr reserve(std::size_t size, std::size_t alignment, CUdeviceptr wanted);
void free(CUdeviceptr address, std::size_t size);
void map(CUdeviceptr address, std::size_t size, const std::shared_ptr<PhysicalMemory>& memory);
/// Waits for all work that may use the memory.
void unmap(CUdeviceptr address, std::size_t size);
void set_access(CUdeviceptr address, std::size_t size, int device, CUmemAccess_flags flags);
CUmemAccess_flags access(CUdeviceptr address, int device);
/// Throws for what is not mapped entirely.
void require_mapped(CUdeviceptr address, std::size_t size);

}  // namespace virtual_memory

}  // namespace cpu::state
