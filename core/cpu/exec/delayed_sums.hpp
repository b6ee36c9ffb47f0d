#pragma once

#include <cstdint>

#include "exec/running/queued_work.hpp"
#include "exec/warp.hpp"

namespace cpu::exec {

class Memory;

/// Integers that a worker will add to device memory later, so that an addition whose result no thread reads (`red`,
/// relaxed) needs no locked memory access. The delay could be observed only by
/// - the worker's own threads, through other accesses to the memory. No other instruction of the worker has ranges with
///   delayed additions in its CachedRanges, so each such access calls check_slow(), which flushes them first;
/// - other workers of the launch: excluded, because only kernels without fences, calls and strong accesses to shared
///   data delay additions (Kernel::delays_sums);
/// - later launches, copies and the host: additions are flushed before the launch ends, and every few blocks.
struct DelayedSums {
    DelayedSums(const Memory& given, const QueuedAt& launch) : memory(&given), queued(launch) {}

    struct Cell {
        std::uint64_t address = 0;  ///< 0: none
        std::uint64_t sum = 0;
    };
    static constexpr std::uint32_t count = 512, max_ranges = 4;

    const Memory* memory;
    QueuedAt queued;                 ///< the launch
    std::uint32_t bytes = 0;         ///< the size of each of these integers
    std::uint32_t range_count = 0;   ///< 0: nothing is delayed
    CachedRange ranges[max_ranges];  ///< the ranges in which additions are delayed
    std::uint64_t generation = 0;    ///< of Memory when the ranges were found
    /// The number of times that delaying may still begin. It ends whenever a range is accessed in another way, so this
    /// bounds the cost.
    std::uint32_t tries = 8;
    std::uint64_t instructions = 0;  ///< number of instructions whose additions were delayed
    std::uint64_t moved_out = 0;     ///< number of cells that were flushed to make room for another address
    Cell cells[count];
};

/// Reuses a cell for another address.
void take_cell(DelayedSums& sums, DelayedSums::Cell& cell, std::uint64_t address);
/// From now on, also delays the additions of this instruction at the lanes' warp.address. False if that is not allowed.
bool begin_delaying(Warp& warp, const Insn& insn);
/// Flushes the delayed additions, and keeps delaying.
void add_delayed(DelayedSums& sums);
/// Flushes the delayed additions, and stops delaying until the next begin_delaying().
void end_delaying(DelayedSums& sums);

}  // namespace cpu::exec
