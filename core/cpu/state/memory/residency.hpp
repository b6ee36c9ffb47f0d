#pragma once

#include <cuda.h>

#include <cstddef>

namespace cpu::state::residency {

/// Writes, for each `region` bytes of managed or pageable memory, where most samples are that are `sampling` bytes
/// apart (0: a page): where managed memory was prefetched to, the host for other resident memory, else
/// CU_MEM_LOCATION_TYPE_NONE. Throws CUDA_ERROR_INVALID_VALUE for other memory and sizes.
void tell(CUdeviceptr address, std::size_t bytes, std::size_t region, std::size_t sampling, CUmemLocation* out);

}  // namespace cpu::state::residency
