// Slow paths of memory access, and reports of invalid accesses.
#include <algorithm>
#include <bit>
#include <span>
#include <string>

#include "exec/checks/checks.hpp"
#include "exec/checks/continuation.hpp"
#include "exec/delayed_sums.hpp"
#include "exec/running/cluster.hpp"
#include "exec/running/report.hpp"

namespace cpu::exec {

namespace {

std::string access_report(const Warp& w, const Insn& insn, int lane, bool write, bool misaligned, std::uint64_t address,
                          const std::string& detail, std::uint64_t bytes = 0) {
    return std::string(misaligned ? "misaligned " : "illegal ") + (write ? "write" : "read") + " of " +
           byte_count(bytes ? bytes : insn.access_bytes) + " at " + hex(address) + detail + "; " +
           location(w, insn, lane);
}

[[noreturn]] void access_fault(const Warp& w, const Insn& insn, int lane, bool write, bool misaligned,
                               std::uint64_t address, const std::string& detail, std::uint64_t bytes = 0) {
    throw FaultSignal{misaligned ? CUDA_ERROR_MISALIGNED_ADDRESS : CUDA_ERROR_ILLEGAL_ADDRESS,
                      access_report(w, insn, lane, write, misaligned, address, detail, bytes), address};
}

/// Handles an access that no allocation covers. With PYCUDA_CPU_CHECK=continue, the lane accesses substitute memory.
void miss(Warp& w, const Insn& insn, int lane, bool write) {
    const Memory& memory = w.block->grid.memory;
    const std::uint64_t address = w.address[lane];
    const std::string detail = near_memory(w.block->grid, address);
    const bool misaligned = address & (insn.access_bytes - 1u);
    if (!enabled_checks().go_on || misaligned || !lies_in_mapped_page(memory, address))
        access_fault(w, insn, lane, write, false, address, detail);
    w.address[lane] = go_on_elsewhere(w, insn, lane, access_report(w, insn, lane, write, false, address, detail));
}

bool within(std::uint64_t address, std::uint64_t base, std::uint64_t extent, std::uint64_t size) {
    return extent >= size && address - base <= extent - size;
}

/// True if the address is in the shared memory of any block of a cluster of several blocks.
bool in_cluster(const Warp& w, std::uint64_t address, std::uint64_t size) {
    const Cluster& cluster = w.block->cluster;
    if (cluster.blocks.size() == 1) return false;
    const Block* const owner = cluster.block_of(address);
    return owner && within(address, reinterpret_cast<std::uint64_t>(owner->shared), w.shared_size, size);
}

/// True if the address is in the lane's local memory, the block's or cluster's shared memory or, for reads, parameters.
bool in_window(const Warp& w, int lane, std::uint64_t address, std::uint64_t size, bool write) {
    const auto local = reinterpret_cast<std::uint64_t>(w.local[lane]);
    return within(address, reinterpret_cast<std::uint64_t>(w.shared), w.shared_size, size) ||
           within(address, local, w.local_size, size) ||
           (!write && within(address, reinterpret_cast<std::uint64_t>(w.parameters), w.parameter_size, size)) ||
           in_cluster(w, address, size);
}

/// Flushes the delayed additions, and stops delaying, before any other access to one of their ranges.
void notice_access(DelayedSums& sums, const Range& range) {
    const std::span ranges(sums.ranges, sums.range_count);
    if (std::ranges::find(ranges, range.base, &CachedRange::base) != ranges.end()) end_delaying(sums);
}

}  // namespace

void raise_fault(Warp& w, const Insn& insn, CUresult code, int lane, std::uint64_t address, const char* what) {
    throw FaultSignal{code, std::string(what) + (address ? " " + hex(address) : "") + "; " + location(w, insn, lane),
                      0};
}

void check_slow(Warp& w, const Insn& insn, bool write) {
    const std::uint64_t size = insn.access_bytes;
    CachedRange* cached = w.cache->ranges + 2 * std::size_t{insn.cached_ranges};
    const Memory& memory = w.block->grid.memory;
    for (std::uint32_t rest = w.mask; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const std::uint64_t address = w.address[lane];
        const bool known = within(address, cached[0].base, cached[0].size, size) ||
                           within(address, cached[1].base, cached[1].size, size);
        if (!known && !in_window(w, lane, address, size, write)) {
            const auto range = memory.find(address, w.block->grid.launch.queued);
            if (!range || !within(address, range->base, range->size, size)) {
                miss(w, insn, lane, write);
                continue;
            }
            if (write && range->read_only)
                access_fault(w, insn, lane, write, false, address, near_memory(w.block->grid, address));
            if (w.cache->delayed) notice_access(*w.cache->delayed, *range);
            const Lease** const leases = w.cache->leases + 2 * std::size_t{insn.cached_ranges};
            cached[1] = cached[0];
            cached[0] = {range->base, range->size};
            leases[1] = leases[0];
            leases[0] = range->lease;
        }
        if (address & (size - 1))
            access_fault(w, insn, lane, write, true, address, near_memory(w.block->grid, address));
    }
}

void check_part(Warp& w, const Insn& insn, int lane, std::uint32_t bytes) {
    const std::uint64_t address = w.address[lane];
    const Memory& memory = w.block->grid.memory;
    const auto range = memory.find(address, w.block->grid.launch.queued);
    if (!range || !within(address, range->base, range->size, bytes)) return miss(w, insn, lane, false);
    if (w.cache->delayed) notice_access(*w.cache->delayed, *range);
    if (address & (insn.access_bytes - 1u))
        access_fault(w, insn, lane, false, true, address, near_memory(w.block->grid, address));
}

void check_range(Warp& w, const Insn& insn, int lane, std::uint64_t address, std::uint32_t bytes,
                 std::uint32_t alignment, bool write) {
    const Memory& memory = w.block->grid.memory;
    const bool misaligned = address % alignment != 0;
    if (!misaligned && in_window(w, lane, address, bytes, write)) return;
    const auto range = memory.find(address, w.block->grid.launch.queued);
    if (misaligned || !range || !within(address, range->base, range->size, bytes) || (write && range->read_only))
        access_fault(w, insn, lane, write, misaligned, address, near_memory(w.block->grid, address), bytes);
    if (w.cache->delayed) notice_access(*w.cache->delayed, *range);
}

void window_fault(Warp& w, const Insn& insn, Window window, bool write) {
    const std::uint64_t size = insn.access_bytes;
    const bool shared = window == Window::Shared;
    const std::uint64_t extent = shared ? w.shared_size : w.local_size;
    for (std::uint32_t rest = w.mask; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const std::uint64_t address = w.address[lane];
        const bool outside = !within(address, 0, extent, size);
        if (!outside && !(address & (size - 1))) continue;
        access_fault(
            w, insn, lane, write, !outside, address,
            " of " + std::to_string(extent) + " bytes of " + (shared ? "shared memory" : "the thread's local memory"));
    }
    throw FaultSignal{CUDA_ERROR_UNKNOWN, "internal error: a window fault without an invalid lane", 0};
}

void flush_ranges(CachedRanges& cache) {
    cache.generation = __atomic_load_n(cache.current, __ATOMIC_ACQUIRE);
    for (std::size_t n = 0; n < cache.count; ++n) {
        cache.ranges[n] = CachedRange{};
        cache.leases[n] = nullptr;
    }
}

bool is_constant(const Warp& w, std::uint64_t address) {
    const auto range = w.block->grid.memory.find(address, w.block->grid.launch.queued);
    return range && range->read_only;
}

std::uint64_t nanoseconds_now() {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
            .count());
}

}  // namespace cpu::exec
