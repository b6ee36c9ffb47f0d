#include "api/abi.hpp"

#include "state/device.hpp"
#include "state/memory/ipc_memory.hpp"
#include "state/streams/event.hpp"

using namespace cpu::api;
using namespace cpu::state;

namespace {

/// GPUs that share their memory with the host cannot share it with other processes through IPC handles.
std::shared_ptr<Context> context_with_ipc() {
    std::shared_ptr<Context> context = current_context();
    require(!context->device().is_integrated(), CUDA_ERROR_NOT_SUPPORTED);
    return context;
}

}  // namespace

CUresult cuIpcGetMemHandle(CUipcMemHandle* pHandle, CUdeviceptr dptr) {
    return entry("cuIpcGetMemHandle", [&] {
        require(pHandle != nullptr);
        context_with_ipc();
        *pHandle = ipc_memory::export_handle(dptr);
    });
}

CUresult cuIpcOpenMemHandle_v2(CUdeviceptr* pdptr, CUipcMemHandle handle, unsigned int Flags) {
    return entry("cuIpcOpenMemHandle", [&] {
        require(pdptr != nullptr && Flags == CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
        *pdptr = ipc_memory::open(*context_with_ipc(), handle);
    });
}

CUresult cuIpcOpenMemHandle(CUdeviceptr* pdptr, CUipcMemHandle handle, unsigned int Flags) {
    return cuIpcOpenMemHandle_v2(pdptr, handle, Flags);
}

CUresult cuIpcCloseMemHandle(CUdeviceptr dptr) {
    return entry("cuIpcCloseMemHandle", [&] {
        current_context();
        ipc_memory::close(dptr);
    });
}

CUresult cuIpcGetEventHandle(CUipcEventHandle* pHandle, CUevent event) {
    return entry("cuIpcGetEventHandle", [&] {
        require(pHandle != nullptr && event != nullptr);
        const auto known = events().get(event);
        known->context()->check_fault();
        require(!known->context()->device().is_integrated(), CUDA_ERROR_NOT_SUPPORTED);
        require(known->shared() != nullptr, CUDA_ERROR_INVALID_HANDLE);
        *pHandle = known->shared()->handle();
    });
}

CUresult cuIpcOpenEventHandle(CUevent* phEvent, CUipcEventHandle handle) {
    return entry("cuIpcOpenEventHandle", [&] {
        require(phEvent != nullptr);
        *phEvent = events().add(std::make_shared<Event>(context_with_ipc(), std::make_shared<SharedPoint>(handle)));
    });
}
