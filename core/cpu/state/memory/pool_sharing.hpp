#pragma once

#include <cuda.h>

namespace cpu::state {

class Context;
class MemoryPool;

/// Memory pools of other processes. An exportable pool has a file that identifies it. A process that receives the file
/// opens it as a pool that allocates nothing, and maps into it the allocations that the first process exports.
namespace pool_sharing {

/// A new descriptor of the pool's file. Throws CUDA_ERROR_INVALID_VALUE when the pool was not made for sharing.
int export_pool(const MemoryPool& pool);
/// Throws CUDA_ERROR_INVALID_VALUE when the descriptor is of no such file.
CUmemoryPool import_pool(int descriptor);

/// Throws CUDA_ERROR_INVALID_VALUE for what is not the start of an allocation from a pool made for sharing.
CUmemPoolPtrExportData export_pointer(CUdeviceptr pointer);
/// Throws CUDA_ERROR_INVALID_VALUE when the pointer is not of the pool that `pool` was imported as.
CUdeviceptr import_pointer(Context& context, MemoryPool& pool, const CUmemPoolPtrExportData& data);

}  // namespace pool_sharing

}  // namespace cpu::state
