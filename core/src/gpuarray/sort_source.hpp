#pragma once

#include "pycuda/gpuarray/kernels.hpp"

namespace pycuda::gpuarray {

inline constexpr unsigned sort_threads = 256, sort_items = 8, sort_tile = sort_threads * sort_items;

/// Parameters: keys, places or null (both as the pass before left them), the counts' pointer, Pass. Counts how many
/// keys of each tile have each digit: counts[digit][tile].
KernelSource digit_counts_source(DType dtype);
/// Parameters: keys to and from, places to and from (or null), the offsets' pointer (the counts' exclusive scan), Pass.
/// Moves every key of a tile behind those of smaller digits, and of its own digit that come before.
KernelSource digit_moves_source(DType dtype);
/// Parameters: mask, sorted keys, n.
KernelSource mark_first_source(DType dtype);

}  // namespace pycuda::gpuarray
