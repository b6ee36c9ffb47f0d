#pragma once

#include <cstdint>

#include "exec/warp.hpp"

namespace cpu::exec {

class Memory;

/// Whole numbers that a worker has still to add to device memory, so that an addition of which no thread wants the
/// result needs no locked access to memory. Nobody can tell when such an addition (`red`, relaxed) is done, but for who
/// waits for it:
///  - the worker's own threads, when they access the memory in any other way. No other instruction of the worker knows
///    the ranges (HitCache) in which something is delayed, so each comes to check_slow(), which does it first;
///  - other workers of the launch: not at all, since only kernels without fences, without calls and without strong
///    accesses to memory that they share have this (Kernel::delays_sums);
///  - later launches, copies and the host: it is done before the launch ends, and after each few blocks besides.
struct DelayedSums {
    explicit DelayedSums(const Memory& given) : memory(&given) {}

    struct Cell {
        std::uint64_t address = 0;  ///< 0: none
        std::uint64_t sum = 0;
    };
    static constexpr std::uint32_t count = 512, most_ranges = 4;

    const Memory* memory;
    std::uint32_t bytes = 0;         ///< of all these numbers
    std::uint32_t range_count = 0;   ///< 0: nothing is delayed
    Hit ranges[most_ranges];         ///< in which alone additions are delayed
    std::uint64_t generation = 0;    ///< of Memory when the ranges were found
    std::uint32_t tries = 8;         ///< how often it may still begin: each other access to a range takes one
    std::uint64_t instructions = 0;  ///< whose additions were delayed
    std::uint64_t moved_out = 0;     ///< numbers that had to make room for another one
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
