#include "api/abi.hpp"

#include "state/device.hpp"
#include "state/memory/virtual_memory.hpp"

using namespace cpu::api;
using namespace cpu::state;

namespace {

constexpr bool is_host(CUmemLocationType type) {
    return type == CU_MEM_LOCATION_TYPE_HOST || type == CU_MEM_LOCATION_TYPE_HOST_NUMA ||
           type == CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT;
}

void check_location(const CUmemLocation& location) {
    require(is_host(location.type) || location.type == CU_MEM_LOCATION_TYPE_DEVICE);
    if (location.type == CU_MEM_LOCATION_TYPE_DEVICE)
        require(location.id >= 0 && location.id < device_count(), CUDA_ERROR_INVALID_DEVICE);
    if (location.type == CU_MEM_LOCATION_TYPE_HOST_NUMA) require(location.id == 0);  // one node
}

void check_properties(const CUmemAllocationProp& properties) {
    constexpr int known = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR | CU_MEM_HANDLE_TYPE_FABRIC;
    require(properties.type == CU_MEM_ALLOCATION_TYPE_PINNED && (properties.requestedHandleTypes & ~known) == 0);
    require((properties.requestedHandleTypes & CU_MEM_HANDLE_TYPE_FABRIC) == 0, CUDA_ERROR_NOT_SUPPORTED);
    check_location(properties.location);
    require(properties.allocFlags.usage == 0, CUDA_ERROR_NOT_SUPPORTED);  // neither sparse arrays nor decompression
}

}  // namespace

CUresult cuMemGetAllocationGranularity(size_t* granularity, const CUmemAllocationProp* prop,
                                       CUmemAllocationGranularity_flags option) {
    return entry("cuMemGetAllocationGranularity", [&] {
        require(prop != nullptr && option <= CU_MEM_ALLOC_GRANULARITY_RECOMMENDED);
        check_properties(*prop);
        put(granularity, virtual_memory::granularity);
    });
}

CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, size_t size, const CUmemAllocationProp* prop,
                     unsigned long long flags) {
    return entry("cuMemCreate", [&] {
        require(handle != nullptr && prop != nullptr && flags == 0);
        check_properties(*prop);
        *handle = virtual_memory::create(*prop, size);
    });
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
    return entry("cuMemRelease", [&] { virtual_memory::release(handle); });
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* handle, void* addr) {
    return entry("cuMemRetainAllocationHandle", [&] {
        require(handle != nullptr);
        *handle = virtual_memory::retain(reinterpret_cast<CUdeviceptr>(addr));
    });
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp* prop, CUmemGenericAllocationHandle handle) {
    return entry("cuMemGetAllocationPropertiesFromHandle",
                 [&] { put(prop, virtual_memory::memory_of(handle)->properties()); });
}

CUresult cuMemExportToShareableHandle(void* shareableHandle, CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType handleType, unsigned long long flags) {
    return entry("cuMemExportToShareableHandle", [&] {
        require(shareableHandle != nullptr && flags == 0 && handleType == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
        *static_cast<int*>(shareableHandle) = virtual_memory::memory_of(handle)->export_descriptor();
    });
}

CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle* handle, void* osHandle,
                                        CUmemAllocationHandleType shHandleType) {
    return entry("cuMemImportFromShareableHandle", [&] {
        require(handle != nullptr && shHandleType == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
        *handle = virtual_memory::import(static_cast<int>(reinterpret_cast<std::intptr_t>(osHandle)));
    });
}

CUresult cuMemAddressReserve(CUdeviceptr* ptr, size_t size, size_t alignment, CUdeviceptr addr,
                             unsigned long long flags) {
    return entry("cuMemAddressReserve", [&] {
        require(ptr != nullptr && flags == 0);
        *ptr = virtual_memory::reserve(size, alignment, addr);
    });
}

CUresult cuMemAddressFree(CUdeviceptr ptr, size_t size) {
    return entry("cuMemAddressFree", [&] { virtual_memory::free(ptr, size); });
}

CUresult cuMemMap(CUdeviceptr ptr, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags) {
    return entry("cuMemMap", [&] {
        require(offset == 0 && flags == 0);
        virtual_memory::map(ptr, size, virtual_memory::memory_of(handle));
    });
}

CUresult cuMemUnmap(CUdeviceptr ptr, size_t size) {
    return entry("cuMemUnmap", [&] { virtual_memory::unmap(ptr, size); });
}

CUresult cuMemSetAccess(CUdeviceptr ptr, size_t size, const CUmemAccessDesc* desc, size_t count) {
    return entry("cuMemSetAccess", [&] {
        require(desc != nullptr && count > 0);
        for (std::size_t i = 0; i < count; ++i) {
            check_location(desc[i].location);
            require(desc[i].flags <= CU_MEM_ACCESS_FLAGS_PROT_READWRITE && desc[i].flags != 2);
        }
        virtual_memory::require_mapped(ptr, size);
        for (std::size_t i = 0; i < count; ++i)
            if (!is_host(desc[i].location.type))  // the process always reaches its own memory
                virtual_memory::set_access(ptr, size, desc[i].location.id, desc[i].flags);
    });
}

CUresult cuMemGetAccess(unsigned long long* flags, const CUmemLocation* location, CUdeviceptr ptr) {
    return entry("cuMemGetAccess", [&] {
        require(flags != nullptr && location != nullptr);
        check_location(*location);
        *flags =
            is_host(location->type) ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : virtual_memory::access(ptr, location->id);
    });
}
