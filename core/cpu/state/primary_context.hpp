#pragma once

#include <cuda.h>

namespace cpu::state {

/// The one context of each device that all users share. Its handle is the same each time it is created again.
namespace primary_context {

/// Creates it at the first retain.
CUcontext retain(CUdevice device);
/// Destroys it at the last release. Throws CUDA_ERROR_INVALID_CONTEXT if it is not retained.
void release(CUdevice device);
/// Destroys its contents, regardless of who retained it.
void reset(CUdevice device);
void set_flags(CUdevice device, unsigned flags);
unsigned flags(CUdevice device);
bool active(CUdevice device);
bool is_primary(CUcontext context);

}  // namespace primary_context

/// True for a value that cuCtxCreate accepts as flags.
bool are_context_flags(unsigned flags) noexcept;

}  // namespace cpu::state
