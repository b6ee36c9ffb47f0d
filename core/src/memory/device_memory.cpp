#include "pycuda/memory/device_memory.hpp"

#include <atomic>

#include "captures/used_by_graphs.hpp"
#include "driver/driver_table.hpp"
#include "memory/out_of_memory.hpp"
#include "streams/pending_waits.hpp"

namespace pycuda {
namespace {

std::atomic<void (*)()> out_of_memory_hook{nullptr};

DevicePtr allocate(std::size_t bytes) {
    CUdeviceptr pointer = 0;
    if (const CUresult result = with_room_made([&] { return driver().cuMemAlloc.try_call(&pointer, bytes); }))
        driver().cuMemAlloc.fail(result, asked_for(bytes) + shortage_text(result, bytes));
    return pointer;
}

/// Made in its place: moving a handle, which other threads may close, takes several atomic operations.
Handle<DeviceMemoryTraits> allocated(std::size_t bytes) {
    if (any_capture_is_open()) require_no_capture("mem_alloc", "allocate before the capture, or with a memory pool");
    auto owner = Context::owner_of_new();
    return {allocate(bytes), std::move(owner)};
}

}  // namespace

MemInfo mem_get_info() {
    MemInfo info{};
    driver().cuMemGetInfo(&info.free, &info.total);
    return info;
}

AddressRange mem_get_address_range(DevicePtr devptr) {
    CUdeviceptr base = 0;
    std::size_t size = 0;
    driver().cuMemGetAddressRange(&base, &size, devptr);
    return {base, size};
}

void mem_set_sync_memops(DevicePtr devptr, bool sync) {
    const RelaxedCapture relaxed;
    const unsigned value = sync;
    const auto& call = driver().cuPointerSetAttribute;
    if (const CUresult result = call.try_call(&value, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, devptr))
        call.fail(result, "the address belongs to no allocation of the driver");
}

int mem_export_dma_buf(DevicePtr devptr, std::size_t nbytes) {
    int descriptor = -1;
    const auto& call = driver().cuMemGetHandleForAddressRange;
    if (const CUresult result = call.try_call(&descriptor, devptr, nbytes, CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0ULL))
        call.fail(result, std::to_string(nbytes) +
                              " bytes; address and size are multiples of a page, and the device "
                              "must support dma-buf (dma_buf_supported)");
    return descriptor;
}

void DeviceMemoryTraits::destroy(DevicePtr pointer, Context* owner) noexcept {
    used_by_graphs::destroy_unless_used(pointer, owner,
                                        [pointer] { free_when_none_waits(driver().cuMemFree, pointer); });
}

DeviceAllocation::DeviceAllocation(std::size_t bytes) : memory_(allocated(bytes)), size_(bytes) {}

PitchedAllocation mem_alloc_pitch(std::size_t width, std::size_t height, unsigned access_size) {
    auto owner = Context::owner_of_new();
    CUdeviceptr pointer = 0;
    std::size_t pitch = 0;
    const auto attempt = [&] {
        return driver().cuMemAllocPitch.try_call(&pointer, &pitch, width, height, access_size);
    };
    if (const CUresult result = with_room_made(attempt))
        driver().cuMemAllocPitch.fail(result, "asked for " + std::to_string(height) + " rows of " +
                                                  std::to_string(width) + " bytes, for accesses of " +
                                                  std::to_string(access_size) + " bytes (4, 8 or 16)" +
                                                  shortage_text(result, width * height));
    return {DeviceAllocation({pointer, std::move(owner)}, pitch * height), pitch};
}

bool DeviceAllocation::release() noexcept {
    return memory_.reset();
}

void DeviceMemory::free() {
    if (!release()) raise_closed(what());
}

void set_out_of_memory_hook(void (*hook)()) noexcept {
    out_of_memory_hook = hook;
}

bool run_out_of_memory_hook() noexcept {
    void (*const hook)() = out_of_memory_hook.load();
    const HeldEnds::Pause frees_at_once;
    if (hook) hook();
    return hook != nullptr;
}

}  // namespace pycuda
