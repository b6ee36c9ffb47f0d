#pragma once

#include "state/memory/address_space.hpp"

#include <cuda.h>

#include <cstddef>

namespace cpu::state {

class Context;

/// Linear memory. All throw CUDA_ERROR_INVALID_VALUE for a size of 0 or a pointer that is not theirs, and
/// CUDA_ERROR_OUT_OF_MEMORY when the device's budget or the machine has no more.
namespace memory {

std::shared_ptr<Allocation> allocate_device(Context& context, std::size_t bytes,
                                            Allocation::Kind kind = Allocation::Kind::Device, unsigned flags = 0);
std::shared_ptr<Allocation> allocate_host(Context& context, std::size_t bytes, unsigned flags);
/// Page-locks the caller's memory, which stays the caller's.
void register_host(Context& context, void* address, std::size_t bytes, unsigned flags);
void unregister_host(void* address);
/// Waits for the work of the allocation's context, as the driver does, then frees.
void free_device(CUdeviceptr pointer);
void free_host(void* address);

/// The live allocation that holds `bytes` from `pointer`; throws CUDA_ERROR_INVALID_VALUE.
std::shared_ptr<Allocation> range(CUdeviceptr pointer, std::size_t bytes);
/// The host allocation or registration that holds `address`; throws CUDA_ERROR_INVALID_VALUE.
std::shared_ptr<Allocation> host_range(const void* address);

}  // namespace memory

}  // namespace cpu::state
