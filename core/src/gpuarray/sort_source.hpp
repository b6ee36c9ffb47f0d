#pragma once

#include "pycuda/gpuarray/kernels.hpp"

namespace pycuda::gpuarray {

inline constexpr unsigned sort_threads = 256, sort_items = 8, sort_tile = sort_threads * sort_items, rank_threads = 128;

// Rows are sorted each for itself; `length` is a row's, `tiles` how many blocks share it, `shift` where in the key the
// digit is, in bits. Keys stay as they are; they are compared in order.

/// Parameters: keys to and from, places or null, length (a WideDivisor), n of all rows. One thread finds a key's place
/// by all others of its row, so for short rows, and for few elements. Not in place.
KernelSource ranks_source(DType dtype);
/// Parameters: keys, the counts' pointer, length, tiles, shift. Counts how many keys of each tile have each digit:
/// counts[row][digit][tile].
KernelSource digit_counts_source(DType dtype);
/// Parameters: keys to and from, the sums of the counts up to each tile, length, tiles, shift; with places also places
/// to and from (32 bits; null: as they lie), and whether this pass is the last, which gives 64 bits. Moves every key of
/// a tile behind those of smaller digits, and of its own digit that come before.
KernelSource digit_moves_source(DType dtype, bool with_places);
/// Parameters: mask, sorted keys, n.
KernelSource mark_first_source(DType dtype);
/// Parameters: places (int64), keys that are searched for, sorted keys and their number, whether behind equal ones, n.
KernelSource search_source(DType dtype);

}  // namespace pycuda::gpuarray
