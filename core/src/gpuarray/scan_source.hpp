#pragma once

#include <string>

#include "arguments.hpp"
#include "pycuda/gpuarray/scan.hpp"

namespace pycuda::gpuarray {

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
/// ceil(n / tile).
struct ScanPieces {
    std::string headers, preamble, type, expression, neutral, name, parameters, setup, input, output, segment_start;
    std::size_t itemsize = 0;
};
std::string scan_text(const ScanPieces& pieces);

/// The bytes of scratch memory of a scan, all 0 when it starts.
std::size_t scan_scratch_bytes(std::size_t itemsize, bool segmented, std::uint64_t blocks);

/// Launches a kernel of scan_text without segments over `rows` rows of `n` elements; `arguments` are those of its own.
void launch_scan(Kernels& kernels, const Kernel& kernel, Arguments& arguments, std::size_t itemsize, std::uint64_t n,
                 std::uint64_t rows, CUstream stream);

}  // namespace pycuda::gpuarray
