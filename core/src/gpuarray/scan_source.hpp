#pragma once

#include <string>
#include <vector>

#include "arguments.hpp"
#include "pycuda/gpuarray/scan.hpp"

namespace pycuda::gpuarray {

/// Which threads scan a row: many blocks with a tile each, one block, one thread, or the warps of a block for 32
/// adjacent rows at once.
enum class ScanTeam : std::uint8_t { Tiles, Block, Thread, Columns };

template <>
inline constexpr unsigned values_of<ScanTeam> = 4;

/// Whether blocks that take a row each are enough for `rows` rows of `n` elements.
bool is_for_blocks(std::uint64_t n, std::uint64_t rows);
unsigned scan_rows_of(ScanTeam team);                      ///< that a block takes; of all teams but tiles
unsigned scan_threads(ScanTeam team, unsigned warps = 1);  ///< of such a block; `warps` that share columns

/// How a block of a scan is cut for values of `itemsize` bytes, with a flag where there are segments. `ahead` of a
/// thread's `items` are loaded at a time; `blocks`: that a multiprocessor should have room for.
struct ScanTile {
    unsigned threads, items, ahead, blocks;
    unsigned elements() const noexcept { return threads * items; }
};
ScanTile scan_tile(std::size_t itemsize, bool segmented);

/// The text of a single-pass scan. Blocks take tiles in order; each scans its own, adds what comes before it as soon as
/// the blocks before it have said so (they run already: tiles are taken in order), and passes it on. `setup` runs once
/// the block's row is known, and sees the parameters as p0, p1, ...; rows are scanned each for itself, tiles_per_row =
/// ceil(n / tile). Without it there is one row.
struct ScanPieces {
    std::string headers, preamble, type, expression, neutral, name, parameters, setup, input, output, segment_start;
    std::size_t itemsize = 0;
};
std::string scan_text(const ScanPieces& pieces);
/// The same for the other teams: a kernel with `parameters` and n, whose pieces see parameters by name, `row`, and the
/// place in it as i (of blocks) or i + k.
std::string scan_rows_text(ScanTeam team, const ScanPieces& pieces, unsigned warps = 1);

/// The kernel that scan() launches for these.
Kernels::Wanted wanted_scan(Scan op, ScanKind kind, const ArrayRef& out, const ArrayRef& in, int axis);

/// The kernels that count the places of `mask`, and then gather those of `in`, or the places (no layout: without `in`).
std::vector<Kernels::Wanted> wanted_selection(const ArrayRef& in, const ArrayRef& mask);

/// The size of a scan's scratch memory, which must be all 0 at the start.
std::size_t scan_scratch_bytes(std::size_t itemsize, bool segmented, std::uint64_t blocks);

/// Launches a kernel of scan_text without segments over `rows` rows of `n` elements; `arguments` are those of its own.
void launch_scan(Kernels& kernels, const Kernel& kernel, Arguments& arguments, std::size_t itemsize, std::uint64_t n,
                 std::uint64_t rows, CUstream stream);

}  // namespace pycuda::gpuarray
