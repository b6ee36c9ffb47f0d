#pragma once

#include <string>
#include <vector>

#include "gpuarray/arguments.hpp"
#include "pycuda/gpuarray/scan.hpp"

namespace pycuda::gpuarray {

/// Which threads scan a row: many blocks with one tile each, one block, one thread, or the warps of a block for 32
/// adjacent rows at once.
enum class ScanTeam : std::uint8_t { Tiles, Block, Thread, Columns };

template <>
inline constexpr unsigned values_of<ScanTeam> = 4;

/// True if one block for each of `rows` rows of `n` elements is enough.
bool is_for_blocks(std::uint64_t n, std::uint64_t rows);
unsigned scan_rows_of(ScanTeam team);                      ///< rows that a block takes, for every team except Tiles
unsigned scan_threads(ScanTeam team, unsigned warps = 1);  ///< threads of such a block; `warps`: how many share columns

/// How a block divides its work for values of `itemsize` bytes, plus a flag if there are segments. A thread has `items`
/// elements and loads `ahead` of them at a time; a multiprocessor should have room for `blocks`.
struct ScanTile {
    unsigned threads, items, ahead, blocks;
    unsigned elements() const noexcept { return threads * items; }
};
ScanTile scan_tile(std::size_t itemsize, bool segmented);

/// The text of a single-pass scan. Blocks take tiles in order; each scans its own tile, adds the sum of everything
/// before it as soon as earlier blocks have published it (they are already running, because tiles are taken in order),
/// and passes the sum on. `setup` runs once the block's row is known, and sees the parameters as p0, p1, ...; each row
/// is scanned separately, with tiles_per_row = ceil(n / tile). Without `setup` there is one row.
struct ScanPieces {
    std::string headers, preamble, type, expression, neutral, name, parameters, setup, input, output, segment_start;
    std::size_t itemsize = 0;
};
std::string scan_text(const ScanPieces& pieces);
/// The same for the other teams: a kernel with `parameters` and n. Its pieces see the parameters by name, `row`, and
/// the position in it as i (for Block) or i + k.
std::string scan_rows_text(ScanTeam team, const ScanPieces& pieces, unsigned warps = 1);

/// The size of a scan's scratch memory, which must be all 0 at the start.
std::size_t scan_scratch_bytes(std::size_t itemsize, bool segmented, std::uint64_t blocks);

/// Launches a kernel of scan_text without segments over `rows` rows of `n` elements; `arguments` are its own arguments.
void launch_scan(Kernels& kernels, const Kernel& kernel, Arguments& arguments, std::size_t itemsize, std::uint64_t n,
                 std::uint64_t rows, CUstream stream);

}  // namespace pycuda::gpuarray
