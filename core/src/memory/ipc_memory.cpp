#include "pycuda/memory/ipc_memory.hpp"

#include <cstring>

#include "captures/used_by_graphs.hpp"
#include "driver/driver_table.hpp"
#include "streams/pending_waits.hpp"

namespace pycuda {

IpcMemHandle mem_get_ipc_handle(DevicePtr devptr) {
    CUipcMemHandle handle{};
    if (const CUresult result = driver().cuIpcGetMemHandle.try_call(&handle, devptr))
        driver().cuIpcGetMemHandle.fail(
            result, result == CUDA_ERROR_INVALID_VALUE ? "the address must be one that mem_alloc returned" : "");
    IpcMemHandle bytes;
    std::memcpy(bytes.data(), &handle, sizeof handle);
    return bytes;
}

void IpcMemoryTraits::destroy(DevicePtr pointer, Context* owner) noexcept {
    used_by_graphs::destroy_unless_used(pointer, owner,
                                        [pointer] { free_when_none_waits(driver().cuIpcCloseMemHandle, pointer); });
}

IPCMemoryHandle::IPCMemoryHandle(const IpcMemHandle& ipc_handle, unsigned flags) {
    CUipcMemHandle handle;
    std::memcpy(&handle, ipc_handle.data(), sizeof handle);
    auto owner = Context::owner_of_new();
    CUdeviceptr pointer = 0;
    if (const CUresult result = driver().cuIpcOpenMemHandle.try_call(&pointer, handle, flags))
        driver().cuIpcOpenMemHandle.fail(result, result == CUDA_ERROR_INVALID_CONTEXT
                                                     ? "a process cannot open an IPC handle that it made itself"
                                                     : "");
    memory_ = {pointer, std::move(owner)};
    CUdeviceptr start = 0;
    std::size_t whole = 0;
    if (driver().cuMemGetAddressRange.try_call(&start, &whole, pointer) == CUDA_SUCCESS)
        size_ = whole - static_cast<std::size_t>(pointer - start);
}

bool IPCMemoryHandle::release() noexcept {
    return memory_.reset();
}

}  // namespace pycuda
