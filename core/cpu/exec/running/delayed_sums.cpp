#include "exec/delayed_sums.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

#include "exec/running/memory.hpp"

namespace cpu::exec {

namespace {

/// Additions to memory that was freed in the meantime are dropped: they cannot be observed.
void add_cell(DelayedSums& sums, DelayedSums::Cell& cell) {
    const std::uint64_t address = std::exchange(cell.address, 0);
    if (!address) return;
    if (sums.memory->generation() != sums.generation) {
        const auto range = sums.memory->find(address, sums.queued);
        if (!range || !range->is_private || range->base + range->size - address < sums.bytes) return;
    }
    if (sums.bytes == 4)
        __atomic_fetch_add(reinterpret_cast<std::uint32_t*>(address), static_cast<std::uint32_t>(cell.sum),
                           __ATOMIC_SEQ_CST);
    else
        __atomic_fetch_add(reinterpret_cast<std::uint64_t*>(address), cell.sum, __ATOMIC_SEQ_CST);
}

}  // namespace

void take_cell(DelayedSums& sums, DelayedSums::Cell& cell, std::uint64_t address) {
    sums.moved_out += cell.address != 0;
    add_cell(sums, cell);
    cell = {address, 0};
}

void add_delayed(DelayedSums& sums) {
    if (sums.range_count == 0) return;
    for (DelayedSums::Cell& cell : sums.cells) add_cell(sums, cell);
}

void end_delaying(DelayedSums& sums) {
    add_delayed(sums);
    sums.range_count = 0;
}

bool begin_delaying(Warp& w, const Insn& insn) {
    DelayedSums& sums = *w.cache->delayed;
    if (sums.range_count > 0 && sums.memory->generation() != sums.generation) end_delaying(sums);
    const bool others = sums.range_count > 0;
    if (sums.tries == 0 || sums.range_count == DelayedSums::max_ranges || (others && sums.bytes != insn.access_bytes))
        return false;
    const std::uint64_t generation = sums.memory->generation();
    const auto range = sums.memory->find(w.address[std::countr_zero(w.mask)], sums.queued);
    if (!range || !range->is_private || range->read_only || range->size < insn.access_bytes) return false;
    const std::uint64_t last = range->size - insn.access_bytes;
    for (std::uint32_t rest = w.mask; rest; rest &= rest - 1) {
        const std::uint64_t address = w.address[std::countr_zero(rest)];
        if (address - range->base > last || address % insn.access_bytes != 0) return false;
    }
    const std::span known(sums.ranges, sums.range_count);
    if (std::ranges::find(known, range->base, &CachedRange::base) != known.end()) return false;
    --sums.tries;
    flush_ranges(*w.cache);
    sums.bytes = insn.access_bytes;
    sums.generation = generation;
    sums.ranges[sums.range_count++] = {range->base, range->size};
    return true;
}

}  // namespace cpu::exec
