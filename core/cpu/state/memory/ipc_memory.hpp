#pragma once

#include <cuda.h>

namespace cpu::state {

class Context;

/// Device memory of one process in another.
namespace ipc_memory {

/// Makes the allocation that holds `pointer` one that others can map: same address, same content. Throws
/// CUDA_ERROR_INVALID_VALUE for memory that is not this process's own from cuMemAlloc.
CUipcMemHandle export_handle(CUdeviceptr pointer);
/// The start of the other process's allocation, mapped here; once a context, however often it is opened.
CUdeviceptr open(Context& context, const CUipcMemHandle& handle);
/// Undoes one open. Throws CUDA_ERROR_INVALID_VALUE for any other pointer.
void close(CUdeviceptr pointer);

}  // namespace ipc_memory

}  // namespace cpu::state
