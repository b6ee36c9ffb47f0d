#pragma once

#include <cstdint>

#include "pycuda/gpuarray/kernels.hpp"

namespace pycuda::gpuarray {

inline constexpr unsigned sort_threads = 256, rank_threads = 128;
/// The longest row that a block sorts in shared memory.
inline constexpr unsigned longest_block_row = 4096;
/// Longer rows than this need announcements of 64 bits.
inline constexpr std::uint64_t longest_short_count = (std::uint64_t{1} << 30) - 1;

/// The keys of a block in a pass of the radix sort. With more, runs of keys with the same digit are longer, but they
/// must fit into shared memory.
inline unsigned sort_tile(DType dtype) {
    return sort_threads * (info(dtype).size == 8 ? 8 : 16);
}

// Each row is sorted separately. `length` is the length of a row, `tiles` how many blocks share it, `shift` the
// position of the digit in the key, in bits. Keys are stored unchanged, and compared in an order-preserving unsigned
// form.

/// Parameters: keys to and from, indices or null, length (a WideDivisor), n of all rows. Each thread finds its key's
/// rank by comparing it with all others of its row: for short rows. Not in place.
KernelSource ranks_source(DType dtype);
/// Parameters: keys to and from, length; with indices also indices (int64), and then no keys are written. A block sorts
/// a row, of at most sort_threads * `items` keys. In place, too.
KernelSource whole_row_source(DType dtype, unsigned items, bool with_indices);
/// Parameters: keys, counts (zeros), length, blocks for each row, keys for each block. Counts how many keys of each row
/// have each digit at each position: counts[row][position][digit].
KernelSource digit_counts_source(DType dtype);
/// Parameters: keys to and from, counts, announcements of the tiles for this pass and the number of tiles taken (both
/// zeros), length, tiles, shift; with indices also indices to and from (32 bits; null: the initial order), and whether
/// this pass is the last, which writes 64 bits. Moves every key behind those with smaller digits, and behind earlier
/// ones with the same digit. `wide`: announcements have 64 bits, not 32.
KernelSource digit_moves_source(DType dtype, bool with_indices, bool wide);
/// Parameters: mask, sorted keys, n.
KernelSource mark_first_source(DType dtype);
/// Parameters: indices (int64), keys to search for, sorted keys and their number, whether to insert behind equal ones,
/// n.
KernelSource search_source(DType dtype);

}  // namespace pycuda::gpuarray
