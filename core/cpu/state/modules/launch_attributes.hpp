#pragma once

#include <cuda.h>

namespace cpu::state {

struct LaunchRequest;

/// Applies an attribute to the request. The caller handles attributes that name an event. Throws
/// CUDA_ERROR_INVALID_VALUE for an invalid value, CUDA_ERROR_NOT_SUPPORTED.
void apply(const CUlaunchAttribute& attribute, LaunchRequest& request);

}  // namespace cpu::state
