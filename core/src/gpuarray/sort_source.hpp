#pragma once

#include "pycuda/gpuarray/kernels.hpp"

namespace pycuda::gpuarray {

inline constexpr unsigned sort_threads = 256, rank_threads = 128;

/// The keys of a block of the radix sort. With more, runs of keys with the same digit are longer, but they must fit
/// into shared memory.
inline unsigned sort_tile(DType dtype) {
    return sort_threads * (info(dtype).size == 8 ? 8 : 16);
}

// Each row is sorted separately. `length` is the length of a row, `tiles` how many blocks share it, `shift` the
// position of the digit in the key, in bits. Keys are stored unchanged, and compared in an order-preserving unsigned
// form.

/// Parameters: keys to and from, indices or null, length (a WideDivisor), n of all rows. Each thread finds its key's
/// rank by comparing it with all others of its row: for short rows, or few elements. Not in place.
KernelSource ranks_source(DType dtype);
/// Parameters: keys, the counts' pointer, length, tiles, shift. Counts how many keys of each tile have each digit:
/// counts[row][digit][tile].
KernelSource digit_counts_source(DType dtype);
/// Parameters: keys to and from, the sums of the counts up to each tile, length, tiles, shift; with indices also
/// indices to and from (32 bits; null: the initial order), and whether this pass is the last, which writes 64 bits.
/// Moves every key of a tile behind those with smaller digits, and behind earlier ones with the same digit.
KernelSource digit_moves_source(DType dtype, bool with_indices);
/// Parameters: mask, sorted keys, n.
KernelSource mark_first_source(DType dtype);
/// Parameters: indices (int64), keys to search for, sorted keys and their number, whether to insert behind equal ones,
/// n.
KernelSource search_source(DType dtype);

}  // namespace pycuda::gpuarray
