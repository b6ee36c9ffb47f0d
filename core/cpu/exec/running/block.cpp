#include "exec/running/block.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "exec/checks/checks.hpp"
#include "exec/operands.hpp"
#include "exec/running/cluster.hpp"

namespace cpu::exec {

namespace {

void fill(std::byte* at, std::uint32_t value) {
    std::fill_n(reinterpret_cast<std::uint32_t*>(at), warp_size, value);
}

Affine& affine_of_fixed(const Warp& w, std::uint32_t fixed) {
    return affine_at(w, w.block->grid.kernel.fixed.affine_of(fixed));
}

void reset_stack(const Warp& w, const Kernel& kernel) {
    fill(w.bank[0] + kernel.fixed.frame, 0);
    fill(w.bank[0] + kernel.fixed.top, kernel.stack_top);
}

/// Thread numbers within the block: the same for every block, so written once.
void fill_thread_registers(Warp& w, const Grid& grid) {
    const FixedRegisters& f = grid.kernel.fixed;
    const std::uint32_t first = w.index * warp_size;
    std::uint32_t x = first % grid.block[0], y = first / grid.block[0] % grid.block[1],
                  z = first / grid.block[0] / grid.block[1];
    std::uint32_t* tid[3];
    for (int n = 0; n < 3; ++n) tid[n] = reinterpret_cast<std::uint32_t*>(w.bank[0] + f.tid[n]);
    const bool in_one_row = grid.block[0] % warp_size == 0 || grid.block[1] * grid.block[2] == 1;
    if (in_one_row) {
        for (std::uint32_t lane = 0; lane < warp_size; ++lane) tid[0][lane] = x + lane;
        std::fill_n(tid[1], warp_size, y);
        std::fill_n(tid[2], warp_size, z);
    }
    for (std::uint32_t lane = in_one_row ? warp_size : 0; lane < warp_size; ++lane) {
        tid[0][lane] = x;
        tid[1][lane] = y;
        tid[2][lane] = z;
        if (++x == grid.block[0]) x = 0, ++y;
        if (y == grid.block[1]) y = 0, ++z;
    }
    fill(w.bank[0] + f.warpid, w.index);
    for (int n = 0; n < 3; ++n)
        affine_of_fixed(w, f.tid[n]) = {tid[n][0], std::uint64_t{tid[n][1]} - tid[n][0],
                                        std::uint64_t{tid[n][16]} - tid[n][0]};
    for (int n = 0; n < 3; ++n) affine_of_fixed(w, f.ctaid[n]) = {};
    affine_of_fixed(w, f.warpid) = {w.index, 0, 0};
}

bool runnable(const Warp& w) {
    return !w.done && (w.mask != 0 || w.next_pc != ~0u);
}

/// The size of the registers of a group that stay in the L1 cache while its warps take turns.
constexpr std::uint32_t group_bytes = 40 << 10;

std::size_t max_together(const Kernel& kernel) {
    return std::max(1u, group_bytes / std::max(1u, kernel.affine_lane_bytes));
}

}  // namespace

Block::Block(Cluster& c, std::uint32_t number, CachedRanges& cache)
    : grid(c.grid),
      cluster(c),
      rank(number),
      shared(c.shared.get() + std::size_t{number} * c.stride),
      warp_storage(std::make_unique_for_overwrite<Warp[]>(grid.warps_per_block)),
      warps(warp_storage.get(), grid.warps_per_block),
      registers(std::size_t{grid.warps_per_block} * grid.kernel.register_bytes),
      local(std::size_t{grid.warps_per_block} * warp_size * grid.local_bytes) {
    const Kernel& kernel = grid.kernel;
    for (std::uint32_t n = 0; n < warps.size(); ++n) {
        Warp& w = warps[n];
        w.bank[0] = registers.get() + std::size_t{n} * kernel.register_bytes;
        w.bank[1] = grid.constants.get() - 1;
        w.register_bytes = kernel.register_bytes;
        w.cache = &cache;
        w.shared = shared;
        w.shared_size = grid.all_shared_bytes();
        for (std::uint32_t lane = 0; lane < warp_size; ++lane)
            w.local[lane] = local.get() + (std::size_t{n} * warp_size + lane) * grid.local_bytes;
        w.local_size = grid.local_bytes;
        w.parameters = grid.parameters.get();
        w.parameter_size = grid.parameter_bytes;
        w.index = n;
        w.block = this;
        fill_thread_registers(w, grid);
        reset_stack(w, kernel);
    }
    for (std::size_t n = 0, count; grid.together && n < warps.size(); n += count) {
        const std::size_t whole = std::max(1u, grid.threads_per_block / warp_size - static_cast<std::uint32_t>(n));
        first_groups_.resize(warps.size());
        count = count_group(warps.subspan(n, std::min(whole, max_together(kernel))),
                            kernel.entry_pc + kernel.affine_distance);
        first_groups_[n] = static_cast<std::uint32_t>(count);
    }
    if (kernel.plain.empty()) return;
    checks.shared_written.resize(grid.all_shared_bytes());
    if (enabled_checks().init)
        checks.locals = std::make_unique<WrittenLocals>(warps.size() * warp_size, grid.local_bytes);
    if (enabled_checks().race) checks.race = std::make_unique<RaceCheck>(*this);
}

void Block::clear_reserved_shared() {
    std::memset(shared + grid.reserved_shared_offset, 0, grid.reserved_shared_bytes);
    if (!checks.shared_written.empty())
        std::fill_n(checks.shared_written.begin() + grid.reserved_shared_offset, grid.reserved_shared_bytes, 1);
}

void Block::start(const std::array<std::uint32_t, 3>& now) {
    const std::array<std::uint32_t, 3> before = std::exchange(ctaid, now);
    fresh_ = grid.together;
    for (; awaited; awaited &= awaited - 1) barriers[static_cast<std::uint32_t>(std::countr_zero(awaited))].clear();
    live_threads = grid.threads_per_block;
    std::ranges::fill(at_cluster, 0);
    if (!checks.shared_written.empty()) std::ranges::fill(checks.shared_written, 0);
    if (grid.reserved_shared_bytes) clear_reserved_shared();
    if (checks.locals) checks.locals->clear();
    if (checks.race) checks.race->start_epoch();
    const Kernel& kernel = grid.kernel;
    for (Warp& w : warps) {
        const std::uint32_t threads = std::min(warp_size, grid.threads_per_block - w.index * warp_size);
        w.live = w.mask = threads == warp_size ? full_mask : (1u << threads) - 1;
        w.pc = kernel.entry_pc + (grid.affine && threads == warp_size ? kernel.affine_distance : 0);
        w.next_pc = ~0u;
        w.split_count = w.forced = w.spins = 0;
        w.done = false;
        if (kernel.local_bytes) reset_stack(w, kernel);
    }
    for (int n = 0; n < 3; ++n)
        if (ctaid[n] != before[n]) set_ctaid(n);
}

void Block::set_ctaid(int n) {
    const std::uint32_t offset = grid.kernel.fixed.ctaid[n];
    for (std::size_t first = 0; first < warps.size(); first += grid.together ? first_groups_[first] : 1)
        affine_of_fixed(warps[first], offset).base = ctaid[n];
    // The last warp, if partial, needs its values per lane in any case.
    const bool all = !grid.affine || grid.kernel.affine_wants_ctaid, whole = warps.back().live == full_mask;
    for (const Warp& w : all ? warps : warps.last(whole ? 0 : 1)) fill(w.bank[0] + offset, ctaid[n]);
}

/// How many warps, from this one on, can run as a group; 0: not even this one can.
std::size_t Block::count_together(std::size_t first) const {
    const auto next_pc = [](const Warp& w) { return w.mask ? w.pc : w.next_pc; };
    const std::uint32_t pc = next_pc(warps[first]);
    if (!grid.together || pc < grid.kernel.affine_begin) return 0;
    if (fresh_ && first_groups_[first]) return first_groups_[first];
    std::size_t n = first + 1, end = std::min(warps.size(), first + max_together(grid.kernel));
    while (n < end && runnable(warps[n]) && next_pc(warps[n]) == pc && warps[n].live == full_mask) ++n;
    return count_group(warps.subspan(first, n - first), pc);
}

Block::Status Block::step() {
    bool progress = false, spinning = false, alive = false;
    std::size_t together = 0;  // number of warps in a group that has just run
    for (std::size_t n = 0; n < warps.size(); ++n) {
        Warp& w = warps[n];
        if (together) {
            --together;
        } else if (runnable(w)) {
            const std::size_t count = count_together(n);
            if (count > 0) {
                std::span<Warp> group = warps.subspan(n, count);
                for (Warp& member : group)
                    if (!member.mask) pick_lowest(member);
                const Outcome outcome = run_group(group);
                progress = true;
                if (outcome == Outcome::Yielded) {
                    n += group.size() - 1;
                    continue;
                }
                if (outcome == Outcome::Done && group.size() == warps.size()) return Status::Done;
                together = group.size() - 1;
            }
        }
        if (!runnable(w)) continue;
        const Outcome outcome = run_warp(w);
        w.done = outcome == Outcome::Done;
        spinning |= outcome == Outcome::Spinning;
        progress |= outcome != Outcome::Spinning;
    }
    fresh_ = false;
    for (const Warp& w : warps) alive |= !w.done;
    if (!alive) return Status::Done;
    if (std::ranges::none_of(warps, runnable)) return Status::Blocked;
    return spinning && !progress ? Status::Waiting : Status::Running;
}

}  // namespace cpu::exec
