#include "api/abi.hpp"

#include "state/device.hpp"
#include "state/graphs/capture.hpp"
#include "state/memory/memory_pool.hpp"
#include "state/memory/pool_sharing.hpp"

#include <algorithm>
#include <iterator>

using namespace cpu::api;
using namespace cpu::state;

namespace {

std::shared_ptr<MemoryPool> known_pool(CUmemoryPool handle) {
    return memory_pools().get(handle, CUDA_ERROR_INVALID_VALUE);
}

/// The device that a location names; throws CUDA_ERROR_NOT_SUPPORTED for host locations, whose pools are not supported
/// here.
Device& device_at(const CUmemLocation& location, CUresult no_device = CUDA_ERROR_INVALID_VALUE) {
    require(location.type >= CU_MEM_LOCATION_TYPE_DEVICE && location.type <= CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT);
    require(location.type == CU_MEM_LOCATION_TYPE_DEVICE, CUDA_ERROR_NOT_SUPPORTED);
    require(location.id >= 0 && location.id < device_count(), no_device);
    return device(location.id);
}

MemoryPool::Location pool_location(const CUmemPoolProps& properties) {
    if (properties.allocType == CU_MEM_ALLOCATION_TYPE_MANAGED) return MemoryPool::Location::Managed;
    return properties.location.type == CU_MEM_LOCATION_TYPE_DEVICE ? MemoryPool::Location::Device
                                                                   : MemoryPool::Location::Host;
}

/// Pools of host memory belong to the first device, on behalf of all.
Device& device_of_pool(const CUmemPoolProps& properties) {
    const CUmemLocation& location = properties.location;
    if (location.type == CU_MEM_LOCATION_TYPE_DEVICE) return device_at(location);
    const bool unspecified = location.type == CU_MEM_LOCATION_TYPE_NONE;
    require(properties.allocType == CU_MEM_ALLOCATION_TYPE_MANAGED || !unspecified);
    require(location.type >= CU_MEM_LOCATION_TYPE_NONE && location.type <= CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT);
    require(location.type != CU_MEM_LOCATION_TYPE_HOST_NUMA || location.id == 0);  // there is one NUMA node
    return device(0);
}

/// Where the pools of a location and kind of memory are kept.
struct PoolPlace {
    CUdevice device;
    MemoryPool::Location location;
};

PoolPlace place_of(const CUmemLocation* location, CUmemAllocationType type) {
    require(location != nullptr);
    require(type == CU_MEM_ALLOCATION_TYPE_PINNED || type == CU_MEM_ALLOCATION_TYPE_MANAGED);
    const bool is_managed = type == CU_MEM_ALLOCATION_TYPE_MANAGED;
    const bool is_host = location->type == CU_MEM_LOCATION_TYPE_HOST ||
                         (location->type == CU_MEM_LOCATION_TYPE_HOST_NUMA && location->id == 0);
    const bool is_anywhere = location->type == CU_MEM_LOCATION_TYPE_NONE;
    require(location->type == CU_MEM_LOCATION_TYPE_DEVICE || is_host || (is_managed && is_anywhere));
    CUmemPoolProps properties{};
    properties.allocType = type;
    properties.location = *location;
    return {device_of_pool(properties).ordinal(), pool_location(properties)};
}

void allocate(CUdeviceptr* out, std::size_t bytes, CUstream stream, CUmemoryPool pool) {
    require(out != nullptr);
    const auto queue = stream_of(stream);
    const auto& context = queue->context();
    if (queue->is_captured() && bytes != 0) {
        require(!pool || &known_pool(pool)->device() == &context->device(), CUDA_ERROR_NOT_SUPPORTED);
        *out = graphs::capture_allocation(*queue, bytes);
        return;
    }
    graphs::check_unsafe_call();
    const auto from = pool ? known_pool(pool) : memory_pool::current_of(context->device().ordinal());
    *out = from->allocate(*context, bytes);
}

constexpr int known_handle_types = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR | CU_MEM_HANDLE_TYPE_FABRIC;

template <std::size_t size>
bool is_zero(const unsigned char (&bytes)[size]) {
    return std::all_of(std::begin(bytes), std::end(bytes), [](unsigned char byte) { return byte == 0; });
}

bool is_flag(CUmemPool_attribute attribute) {
    return attribute < CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
}

}  // namespace

CUresult cuMemAllocAsync(CUdeviceptr* dptr, size_t bytesize, CUstream hStream) {
    return entry("cuMemAllocAsync", [&] { allocate(dptr, bytesize, hStream, nullptr); });
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr* dptr, size_t bytesize, CUmemoryPool pool, CUstream hStream) {
    return entry("cuMemAllocFromPoolAsync", [&] {
        require(pool != nullptr);
        allocate(dptr, bytesize, hStream, pool);
    });
}

CUresult cuMemFreeAsync(CUdeviceptr dptr, CUstream hStream) {
    return entry("cuMemFreeAsync", [&] {
        const auto queue = stream_of(hStream);
        if (!dptr) return;
        if (queue->is_captured()) return graphs::capture_free(*queue, dptr);
        graphs::check_unsafe_call();
        memory_pool::free_in_order(*queue, dptr);
    });
}

CUresult cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* props) {
    return entry_unseen_by_captures("cuMemPoolCreate", [&] {
        require(pool != nullptr && props != nullptr);
        require(props->allocType == CU_MEM_ALLOCATION_TYPE_PINNED ||
                props->allocType == CU_MEM_ALLOCATION_TYPE_MANAGED);
        require((props->handleTypes & ~known_handle_types) == 0 && is_zero(props->reserved));
        require((props->handleTypes & CU_MEM_HANDLE_TYPE_FABRIC) == 0, CUDA_ERROR_NOT_SUPPORTED);
        const auto made = std::make_shared<MemoryPool>(device_of_pool(*props), props->maxSize, pool_location(*props));
        require(made->location() != MemoryPool::Location::Managed || props->handleTypes == CU_MEM_HANDLE_TYPE_NONE,
                CUDA_ERROR_NOT_SUPPORTED);
        if (props->handleTypes & CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) made->make_shareable();
        made->handle = reinterpret_cast<CUmemoryPool>(new_handle_value());
        memory_pools().add_as(made->handle, made);
        *pool = made->handle;
    });
}

CUresult cuMemPoolDestroy(CUmemoryPool pool) {
    return entry_unseen_by_captures("cuMemPoolDestroy", [&] { memory_pool::destroy(pool); });
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t minBytesToKeep) {
    return entry_unseen_by_captures("cuMemPoolTrimTo", [&] { known_pool(pool)->trim(minBytesToKeep); });
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void* value) {
    return entry_unseen_by_captures("cuMemPoolGetAttribute", [&] {
        require(value != nullptr);
        const std::uint64_t held = known_pool(pool)->attribute(attr);
        if (is_flag(attr))
            *static_cast<int*>(value) = static_cast<int>(held);
        else
            *static_cast<cuuint64_t*>(value) = held;
    });
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void* value) {
    return entry_unseen_by_captures("cuMemPoolSetAttribute", [&] {
        require(value != nullptr);
        const auto known = known_pool(pool);
        known->set_attribute(attr, is_flag(attr) ? static_cast<std::uint64_t>(*static_cast<int*>(value))
                                                 : *static_cast<cuuint64_t*>(value));
    });
}

CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc* map, size_t count) {
    return entry_unseen_by_captures("cuMemPoolSetAccess", [&] {
        require(map != nullptr || count == 0);
        const auto known = known_pool(pool);
        for (std::size_t i = 0; i < count; ++i) {
            const CUmemAccess_flags flags = map[i].flags;
            require(flags != CU_MEM_ACCESS_FLAGS_PROT_READ, CUDA_ERROR_NOT_SUPPORTED);
            known->set_accessible(device_at(map[i].location, CUDA_ERROR_INVALID_DEVICE),
                                  flags != CU_MEM_ACCESS_FLAGS_PROT_NONE);
        }
    });
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags* flags, CUmemoryPool memPool, CUmemLocation* location) {
    return entry_unseen_by_captures("cuMemPoolGetAccess", [&] {
        require(flags != nullptr && location != nullptr);
        const bool accessible = known_pool(memPool)->accessible_from(device_at(*location));
        *flags = accessible ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_NONE;
    });
}

CUresult cuMemPoolExportToShareableHandle(void* handle_out, CUmemoryPool pool, CUmemAllocationHandleType handleType,
                                          unsigned long long flags) {
    return entry("cuMemPoolExportToShareableHandle", [&] {
        require(handle_out != nullptr && handleType == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR && flags == 0);
        *static_cast<int*>(handle_out) = pool_sharing::export_pool(*known_pool(pool));
    });
}

CUresult cuMemPoolImportFromShareableHandle(CUmemoryPool* pool_out, void* handle, CUmemAllocationHandleType handleType,
                                            unsigned long long flags) {
    return entry("cuMemPoolImportFromShareableHandle", [&] {
        require(pool_out != nullptr && handleType == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR && flags == 0);
        *pool_out = pool_sharing::import_pool(static_cast<int>(reinterpret_cast<std::intptr_t>(handle)));
    });
}

CUresult cuMemPoolExportPointer(CUmemPoolPtrExportData* shareData_out, CUdeviceptr ptr) {
    return entry("cuMemPoolExportPointer", [&] { put(shareData_out, pool_sharing::export_pointer(ptr)); });
}

CUresult cuMemPoolImportPointer(CUdeviceptr* ptr_out, CUmemoryPool pool, CUmemPoolPtrExportData* shareData) {
    return entry("cuMemPoolImportPointer", [&] {
        require(ptr_out != nullptr && shareData != nullptr);
        *ptr_out = pool_sharing::import_pointer(*current_context(), *known_pool(pool), *shareData);
    });
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* pool_out, CUdevice dev) {
    return entry("cuDeviceGetDefaultMemPool", [&] { put(pool_out, memory_pool::default_of(dev)->handle); });
}

CUresult cuDeviceGetMemPool(CUmemoryPool* pool, CUdevice dev) {
    return entry("cuDeviceGetMemPool", [&] {
        require(dev >= 0 && dev < device_count());
        put(pool, memory_pool::current_of(dev)->handle);
    });
}

CUresult cuDeviceSetMemPool(CUdevice dev, CUmemoryPool pool) {
    return entry_unseen_by_captures("cuDeviceSetMemPool", [&] {
        require(dev >= 0 && dev < device_count());
        memory_pool::set_current(dev, known_pool(pool));
    });
}

CUresult cuMemGetDefaultMemPool(CUmemoryPool* pool_out, CUmemLocation* location, CUmemAllocationType type) {
    return entry("cuMemGetDefaultMemPool", [&] {
        const PoolPlace place = place_of(location, type);
        put(pool_out, memory_pool::default_of(place.device, place.location)->handle);
    });
}

CUresult cuMemGetMemPool(CUmemoryPool* pool, CUmemLocation* location, CUmemAllocationType type) {
    return entry("cuMemGetMemPool", [&] {
        const PoolPlace place = place_of(location, type);
        put(pool, memory_pool::current_of(place.device, place.location)->handle);
    });
}

CUresult cuMemSetMemPool(CUmemLocation* location, CUmemAllocationType type, CUmemoryPool pool) {
    return entry_unseen_by_captures("cuMemSetMemPool", [&] {
        const PoolPlace place = place_of(location, type);
        memory_pool::set_current(place.device, known_pool(pool), place.location);
    });
}
