#pragma once

#include "state/memory/address_space.hpp"

#include <cuda.h>

#include <cstddef>

namespace cpu::state {

class Context;

/// Linear memory. All functions throw CUDA_ERROR_INVALID_VALUE for a size of 0 or a pointer of another kind, and
/// CUDA_ERROR_OUT_OF_MEMORY if the device's budget or the machine's memory is exhausted.
namespace memory {

std::shared_ptr<Allocation> allocate_device(Context& context, std::size_t bytes,
                                            Allocation::Kind kind = Allocation::Kind::Device, unsigned flags = 0);
std::shared_ptr<Allocation> allocate_host(Context& context, std::size_t bytes, unsigned flags);
/// Page-locks memory of the caller, who still owns it.
void register_host(Context& context, void* address, std::size_t bytes, unsigned flags);
void unregister_host(void* address);
/// Waits for the work of the allocation's context, as the driver does, then frees.
void free_device(CUdeviceptr pointer);
void free_host(void* address);

/// The live allocation that contains `bytes` bytes from `pointer` on; throws CUDA_ERROR_INVALID_VALUE.
std::shared_ptr<Allocation> range(CUdeviceptr pointer, std::size_t bytes);
/// The host allocation or registration that contains `address`; throws CUDA_ERROR_INVALID_VALUE.
std::shared_ptr<Allocation> host_range(const void* address);

}  // namespace memory

}  // namespace cpu::state
