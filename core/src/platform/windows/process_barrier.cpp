#include "platform/process_barrier.hpp"

#include <windows.h>

namespace pycuda {

/// Wine's FlushProcessWriteBuffers may do nothing.
bool prepare_process_barrier() noexcept {
    return GetProcAddress(GetModuleHandleW(L"ntdll.dll"), "wine_get_version") == nullptr;
}

void process_barrier() noexcept {
    FlushProcessWriteBuffers();
}

}  // namespace pycuda
