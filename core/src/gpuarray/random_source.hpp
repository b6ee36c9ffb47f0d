#pragma once

#include <string>
#include <vector>

#include "pycuda/gpuarray/random.hpp"

namespace pycuda::gpuarray {

/// C name of a generator's state.
const char* state_type_of(RandomKind kind);
/// Names of the kernels that fill memory: (states, data, n[, parameters]).
std::vector<std::string> fill_kernel_names(RandomKind kind);
/// Names of all kernels of one kind.
std::vector<std::string> random_kernel_names(RandomKind kind);
/// All kernels of one kind: those that fill, "prepare", "skip_ahead", "skip_ahead_array" and their relatives. The
/// variable pycuda_state is a state, to tell its size.
std::string random_text(RandomKind kind);

}  // namespace pycuda::gpuarray
