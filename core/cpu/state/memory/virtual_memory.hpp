#pragma once

#include "state/memory/shared_file.hpp"
#include "state/registry.hpp"

#include <cuda.h>

#include <cstddef>
#include <memory>

namespace cpu::state {

class Device;

/// Memory without an address: a file that can be mapped in this process and others.
class PhysicalMemory {
public:
    /// Throws CUDA_ERROR_INVALID_VALUE for a size that is not a multiple of the granularity, CUDA_ERROR_OUT_OF_MEMORY
    /// if the device's budget is exhausted.
    PhysicalMemory(const CUmemAllocationProp& properties, std::size_t size);
    /// Memory that this or another process exported. Throws CUDA_ERROR_INVALID_VALUE for any other file.
    explicit PhysicalMemory(int descriptor);
    ~PhysicalMemory();
    PhysicalMemory(const PhysicalMemory&) = delete;
    PhysicalMemory& operator=(const PhysicalMemory&) = delete;

    /// A new descriptor. Throws CUDA_ERROR_INVALID_VALUE if the memory was not created for export.
    int export_descriptor() const;
    const CUmemAllocationProp& properties() const noexcept { return properties_; }
    std::size_t size() const noexcept { return size_; }
    const SharedFile& file() const noexcept { return file_; }

    CUmemGenericAllocationHandle handle = 0;  ///< set once, before it is registered
    std::atomic<int> references{1};           ///< references that the program holds through the handle

private:
    CUmemAllocationProp properties_{};
    std::size_t size_ = 0;
    SharedFile file_;
    Device* charged_ = nullptr;  ///< the device whose budget it is taken from; null for host memory and imported memory
};

/// Reserved addresses, and what is mapped there. All functions throw CUDA_ERROR_INVALID_VALUE unless the range is a
/// whole reservation, or whole mappings, in the right state.
namespace virtual_memory {

constexpr std::size_t granularity = std::size_t{2} << 20;

CUmemGenericAllocationHandle create(const CUmemAllocationProp& properties, std::size_t size);
CUmemGenericAllocationHandle import(int descriptor);
std::shared_ptr<PhysicalMemory> memory_of(CUmemGenericAllocationHandle handle);
void release(CUmemGenericAllocationHandle handle);
/// The handle of the memory mapped at `address`, with another reference.
CUmemGenericAllocationHandle retain(CUdeviceptr address);

CUdeviceptr reserve(std::size_t size, std::size_t alignment, CUdeviceptr wanted);
void free(CUdeviceptr address, std::size_t size);
void map(CUdeviceptr address, std::size_t size, const std::shared_ptr<PhysicalMemory>& memory);
/// Waits for all work that may use the memory.
void unmap(CUdeviceptr address, std::size_t size);
void set_access(CUdeviceptr address, std::size_t size, int device, CUmemAccess_flags flags);
CUmemAccess_flags access(CUdeviceptr address, int device);
/// Throws unless the whole range is mapped.
void require_mapped(CUdeviceptr address, std::size_t size);

}  // namespace virtual_memory

}  // namespace cpu::state
