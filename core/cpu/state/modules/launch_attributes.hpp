#pragma once

#include <cuda.h>

namespace cpu::state {

struct LaunchRequest;

/// Makes the request what an attribute asks for. Attributes that name an event are the caller's. Throws
/// CUDA_ERROR_INVALID_VALUE for a value that the attribute cannot have, CUDA_ERROR_NOT_SUPPORTED.
void apply(const CUlaunchAttribute& attribute, LaunchRequest& request);

}  // namespace cpu::state
