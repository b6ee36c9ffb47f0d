#pragma once

#include <cuda.h>

#include <cstddef>

namespace cpu::state {

class Device;

/// What programs want to know when they use more of a device's memory than their budget: PYCUDA_CPU_BUDGET, in bytes.
/// Without it, no function is called.
namespace budget {

/// Throws CUDA_ERROR_NOT_PERMITTED within a callback.
CUasyncCallbackHandle add(const Device& device, CUasyncCallback callback, void* user);
/// The same, and CUDA_ERROR_INVALID_VALUE for a handle that the device does not have.
void remove(const Device& device, CUasyncCallbackHandle handle);
/// The process used `before` bytes of the device's memory, and now uses `after`: calls back, on another thread, if the
/// budget was exceeded just now.
void memory_was_taken(const Device& device, std::size_t before, std::size_t after) noexcept;

}  // namespace budget

}  // namespace cpu::state
