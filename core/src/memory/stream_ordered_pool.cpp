#include "pycuda/stream_ordered_pool.hpp"

#include <cstring>
#include <string>

#include "driver_table.hpp"
#include "memory_location.hpp"
#include "stream_ordered_take.hpp"

namespace pycuda {
namespace {

bool is_flag(MemPoolAttribute attribute) {
    return attribute == MemPoolAttribute::REUSE_FOLLOW_EVENT_DEPENDENCIES ||
           attribute == MemPoolAttribute::REUSE_ALLOW_OPPORTUNISTIC ||
           attribute == MemPoolAttribute::REUSE_ALLOW_INTERNAL_DEPENDENCIES;
}

std::string text_of(MemPoolAttribute attribute) {
    return "attribute " + std::to_string(static_cast<int>(attribute));
}

}  // namespace

void StreamOrderedPoolTraits::destroy(CUmemoryPool pool) noexcept {
    driver().cuMemPoolDestroy.clean_up(pool);
}

StreamOrderedPool::StreamOrderedPool(MemLocationType location, int id, std::size_t max_size,
                                     MemAllocationHandleType handle_type, bool managed) {
    CUmemPoolProps properties{};
    properties.allocType = managed ? CU_MEM_ALLOCATION_TYPE_MANAGED : CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.handleTypes = static_cast<CUmemAllocationHandleType>(handle_type);
    properties.location = memory_location(location, id);
    properties.maxSize = max_size;
    CUmemoryPool pool = nullptr;
    if (const CUresult result = driver().cuMemPoolCreate.try_call(&pool, &properties))
        driver().cuMemPoolCreate.fail(result, location_text(properties.location) + (managed ? ", managed" : ""));
    pool_ = {pool, nullptr};
}

StreamOrderedPool StreamOrderedPool::default_of(const Device& device) {
    CUmemoryPool pool = nullptr;
    driver().cuDeviceGetDefaultMemPool(&pool, device.handle());
    return StreamOrderedPool(Handle<StreamOrderedPoolTraits>::borrow(pool, nullptr));
}

StreamOrderedPool StreamOrderedPool::current_of(const Device& device) {
    CUmemoryPool pool = nullptr;
    driver().cuDeviceGetMemPool(&pool, device.handle());
    return StreamOrderedPool(Handle<StreamOrderedPoolTraits>::borrow(pool, nullptr));
}

void StreamOrderedPool::make_current(const Device& device) {
    driver().cuDeviceSetMemPool(device.handle(), use());
}

std::unique_ptr<StreamOrderedAllocation> StreamOrderedPool::allocate(std::size_t bytes, const Stream* stream) {
    const auto pool = use();
    const auto& call = driver().cuMemAllocFromPoolAsync;
    return StreamOrderedAllocation::take_with(bytes, stream, call, [&](CUdeviceptr* address, CUstream queue) {
        return call.try_call(address, bytes, pool, queue);
    });
}

std::uint64_t StreamOrderedPool::get_attribute(MemPoolAttribute attribute) const {
    union {
        int flag;
        cuuint64_t bytes = 0;
    } value;
    const auto& call = driver().cuMemPoolGetAttribute;
    if (const CUresult result = call.try_call(use(), static_cast<CUmemPool_attribute>(attribute), &value))
        call.fail(result, text_of(attribute));
    return is_flag(attribute) ? static_cast<std::uint64_t>(value.flag) : value.bytes;
}

void StreamOrderedPool::set_attribute(MemPoolAttribute attribute, std::size_t value) {
    cuuint64_t bytes = value;
    int flag = value != 0;
    void* const where = is_flag(attribute) ? static_cast<void*>(&flag) : &bytes;
    const auto& call = driver().cuMemPoolSetAttribute;
    if (const CUresult result = call.try_call(use(), static_cast<CUmemPool_attribute>(attribute), where))
        call.fail(result, text_of(attribute) + " to " + std::to_string(value));
}

void StreamOrderedPool::trim(std::size_t bytes_to_keep) {
    driver().cuMemPoolTrimTo(use(), bytes_to_keep);
}

MemAccessFlags StreamOrderedPool::get_access(const Device& device) const {
    CUmemAccess_flags flags{};
    CUmemLocation location = device_location(device);
    driver().cuMemPoolGetAccess(&flags, use(), &location);
    return static_cast<MemAccessFlags>(flags);
}

void StreamOrderedPool::set_access(const Device& device, MemAccessFlags access) {
    const CUmemAccessDesc map{device_location(device), static_cast<CUmemAccess_flags>(access)};
    const auto& call = driver().cuMemPoolSetAccess;
    if (const CUresult result = call.try_call(use(), &map, 1)) call.fail(result, location_text(map.location));
}

int StreamOrderedPool::export_descriptor() const {
    int descriptor = -1;
    const auto& call = driver().cuMemPoolExportToShareableHandle;
    if (const CUresult result = call.try_call(&descriptor, use(), CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0))
        call.fail(result, "only a pool that was made with handle type POSIX_FILE_DESCRIPTOR can be exported");
    return descriptor;
}

StreamOrderedPool StreamOrderedPool::import_descriptor(int descriptor) {
    CUmemoryPool pool = nullptr;
    const auto& call = driver().cuMemPoolImportFromShareableHandle;
    void* const handle = reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor));
    if (const CUresult result = call.try_call(&pool, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0))
        call.fail(result,
                  "file descriptor " + std::to_string(descriptor) + " must be of a pool that another process exported");
    return StreamOrderedPool(Handle<StreamOrderedPoolTraits>(pool, nullptr));
}

PoolPointerHandle StreamOrderedPool::export_pointer(DevicePtr devptr) {
    CUmemPoolPtrExportData data{};
    const auto& call = driver().cuMemPoolExportPointer;
    if (const CUresult result = call.try_call(&data, devptr))
        call.fail(result,
                  "the address must be the start of memory from a pool that can be exported; its descriptor is "
                  "exported first");
    PoolPointerHandle bytes;
    std::memcpy(bytes.data(), &data, sizeof data);
    return bytes;
}

std::unique_ptr<StreamOrderedAllocation> StreamOrderedPool::import_pointer(const PoolPointerHandle& handle) {
    CUmemPoolPtrExportData data;
    std::memcpy(&data, handle.data(), sizeof data);
    const auto& call = driver().cuMemPoolImportPointer;
    return StreamOrderedAllocation::import_with(
        call, [&](CUdeviceptr* address) { return call.try_call(address, use(), &data); });
}

}  // namespace pycuda
