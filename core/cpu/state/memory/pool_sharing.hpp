#pragma once

#include <cuda.h>

namespace cpu::state {

class Context;
class MemoryPool;

/// Memory pools of other processes. An exportable pool has a file that identifies it. A process that receives the file
/// opens it as a pool that allocates nothing, and maps into it the allocations that the first process exports.
namespace pool_sharing {

/// A new descriptor of the pool's file. Throws CUDA_ERROR_INVALID_VALUE if the pool was not created for sharing.
int export_pool(const MemoryPool& pool);
/// Throws CUDA_ERROR_INVALID_VALUE if the descriptor is not that of a pool's file.
CUmemoryPool import_pool(int descriptor);

/// Throws CUDA_ERROR_INVALID_VALUE unless `pointer` is the start of an allocation from a shareable pool.
CUmemPoolPtrExportData export_pointer(CUdeviceptr pointer);
/// Throws CUDA_ERROR_INVALID_VALUE if the pointer belongs to another pool than the one that `pool` was imported from.
CUdeviceptr import_pointer(Context& context, MemoryPool& pool, const CUmemPoolPtrExportData& data);

}  // namespace pool_sharing

}  // namespace cpu::state
