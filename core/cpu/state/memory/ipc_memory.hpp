#pragma once

#include <cuda.h>

namespace cpu::state {

class Context;

/// Shares device memory between processes.
namespace ipc_memory {

/// Makes the allocation that contains `pointer` mappable by others: address and contents stay the same. Throws
/// CUDA_ERROR_INVALID_VALUE for memory that this process did not allocate with cuMemAlloc.
CUipcMemHandle export_handle(CUdeviceptr pointer);
/// Maps the other process's allocation and returns its start; a context maps it once, however often it is opened.
CUdeviceptr open(Context& context, const CUipcMemHandle& handle);
/// Undoes one open. Throws CUDA_ERROR_INVALID_VALUE for any other pointer.
void close(CUdeviceptr pointer);

}  // namespace ipc_memory

}  // namespace cpu::state
