#include "pycuda/device_memory.hpp"

#include <atomic>

#include "driver_table.hpp"
#include "memory_pools.hpp"

namespace pycuda {
namespace {

std::atomic<void (*)()> out_of_memory_hook{nullptr};

DevicePtr allocate(std::size_t bytes) {
    CUdeviceptr pointer = 0;
    CUresult result = driver().cuMemAlloc.try_call(&pointer, bytes);
    if (result == CUDA_ERROR_OUT_OF_MEMORY && run_out_of_memory_hook())
        result = driver().cuMemAlloc.try_call(&pointer, bytes);
    if (result == CUDA_ERROR_OUT_OF_MEMORY && release_held_device_memory())
        result = driver().cuMemAlloc.try_call(&pointer, bytes);
    if (result != CUDA_SUCCESS) driver().cuMemAlloc.fail(result, "asked for " + std::to_string(bytes) + " bytes");
    return pointer;
}

}  // namespace

MemInfo mem_get_info() {
    MemInfo info{};
    driver().cuMemGetInfo(&info.free, &info.total);
    return info;
}

void DeviceMemoryTraits::destroy(DevicePtr pointer) noexcept {
    driver().cuMemFree.clean_up(pointer);
}

DeviceAllocation::DeviceAllocation(std::size_t bytes) : size_(bytes) {
    auto owner = Context::owner_of_new();
    memory_ = {allocate(bytes), std::move(owner)};
}

bool DeviceAllocation::release() noexcept {
    if (is_closed()) return false;
    memory_.reset();
    return true;
}

void DeviceMemory::free() {
    if (!release()) raise_closed(what());
}

void set_out_of_memory_hook(void (*hook)()) noexcept {
    out_of_memory_hook = hook;
}

bool run_out_of_memory_hook() noexcept {
    void (*const hook)() = out_of_memory_hook.load();
    if (hook) hook();
    return hook != nullptr;
}

}  // namespace pycuda
