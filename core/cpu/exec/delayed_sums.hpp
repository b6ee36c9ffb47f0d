#pragma once

#include <cstdint>

#include "exec/warp.hpp"

namespace cpu::exec {

class Memory;

/// Integers that a worker will add to device memory later, so that an addition whose result no thread reads (`red`,
/// relaxed) needs no locked memory access. The delay can be observed only by
/// - the worker's own threads, through other accesses to the memory. No other instruction of the worker has the ranges
/// with delayed additions in its CachedRanges, so each comes to check_slow(), which flushes them first;
/// - other workers of the launch: excluded, because only kernels without fences, calls and strong accesses to shared
/// data delay additions (Kernel::delays_sums);
///  - later launches, copies and the host: additions are flushed before the launch ends, and every few blocks.
struct DelayedSums {
    explicit DelayedSums(const Memory& given) : memory(&given) {}

    struct Cell {
        std::uint64_t address = 0;  ///< 0: none
        std::uint64_t sum = 0;
    };
    static constexpr std::uint32_t count = 512, most_ranges = 4;

    const Memory* memory;
    std::uint32_t bytes = 0;          ///< of all these numbers
    std::uint32_t range_count = 0;    ///< 0: nothing is delayed
    CachedRange ranges[most_ranges];  ///< in which alone additions are delayed
    std::uint64_t generation = 0;     ///< of Memory when the ranges were found
    std::uint32_t tries = 8;          ///< how often it may still begin: each other access to a range takes one
    std::uint64_t instructions = 0;   ///< whose additions were delayed
    std::uint64_t moved_out = 0;      ///< numbers that had to make room for another one
    Cell cells[count];
};

/// Makes a cell that of another address.
void take_cell(DelayedSums& sums, DelayedSums::Cell& cell, std::uint64_t address);
/// Delays from now on what the instruction adds at warp.address of its lanes, too. False: it may not.
bool begin_delaying(Warp& warp, const Insn& insn);
/// Adds what was delayed, and goes on delaying.
void add_delayed(DelayedSums& sums);
/// The same, but nothing is delayed any more until it begins again.
void end_delaying(DelayedSums& sums);

}  // namespace cpu::exec
