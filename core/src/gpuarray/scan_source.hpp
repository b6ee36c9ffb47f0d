#pragma once

#include <string>

#include "pycuda/gpuarray/scan.hpp"

namespace pycuda::gpuarray {

/// How a block of a scan is cut for values of `itemsize` bytes (with a segment flag, if `segmented`).
struct ScanTile {
    unsigned threads, items;
};
ScanTile scan_tile(std::size_t itemsize);

/// The text of a single-pass scan. Blocks take tiles in order; each scans its own, adds what comes before it as soon as
/// the blocks before it have said so (they run already: tiles are taken in order), and passes it on. `setup` runs once
/// the block's row is known, and sees the parameters as p0, p1, ...; rows are scanned each for itself, tiles_per_row =
/// ceil(n / tile).
struct ScanPieces {
    std::string headers, preamble, type, expression, neutral, name, parameters, setup, input, output, segment_start;
    std::size_t itemsize = 0;
};
std::string scan_text(const ScanPieces& pieces);

}  // namespace pycuda::gpuarray
