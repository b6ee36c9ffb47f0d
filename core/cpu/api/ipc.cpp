#include "api/abi.hpp"

#include "state/memory/ipc_memory.hpp"
#include "state/streams/event.hpp"

using namespace cpu::api;
using namespace cpu::state;

CUresult cuIpcGetMemHandle(CUipcMemHandle* pHandle, CUdeviceptr dptr) {
    return entry("cuIpcGetMemHandle", [&] {
        require(pHandle != nullptr);
        current_context();
        *pHandle = ipc_memory::export_handle(dptr);
    });
}

CUresult cuIpcOpenMemHandle_v2(CUdeviceptr* pdptr, CUipcMemHandle handle, unsigned int Flags) {
    return entry("cuIpcOpenMemHandle", [&] {
        require(pdptr != nullptr && Flags == CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
        *pdptr = ipc_memory::open(*current_context(), handle);
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
        require(known->shared() != nullptr, CUDA_ERROR_INVALID_HANDLE);
        *pHandle = known->shared()->handle();
    });
}

CUresult cuIpcOpenEventHandle(CUevent* phEvent, CUipcEventHandle handle) {
    return entry("cuIpcOpenEventHandle", [&] {
        require(phEvent != nullptr);
        *phEvent = events().add(std::make_shared<Event>(current_context(), std::make_shared<SharedPoint>(handle)));
    });
}
