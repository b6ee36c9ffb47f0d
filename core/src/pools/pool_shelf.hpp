#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "pycuda/pools/memory_pool.hpp"
#include "pycuda/threads/spin_lock.hpp"

namespace pycuda {

/// Held blocks of a pool, and the counts of all blocks that return here. In a pool of device memory, each thread takes
/// blocks from the shelf of its number, so that threads with separate arrays do not write to the same memory. The lock
/// guards all members except `number` and itself.
struct alignas(64) PoolShelf {
    struct Held {
        std::uint64_t address;
        LastUse last_use;
        PoolLease* lease;
    };
    struct Bin {
        std::vector<Held> held;
        std::size_t blocks = 0;  ///< held and active: `held` has room for all of them, so that give allocates nothing
    };
    static constexpr unsigned bin_count = 64 * 16;

    explicit PoolShelf(unsigned its_number) noexcept : number(static_cast<std::uint16_t>(its_number)) {}

    /// Count another block of the size class, held or active. std::bad_alloc.
    void add_block(unsigned bin) {
        bins[bin].held.reserve(std::bit_ceil(bins[bin].blocks + 1));
        ++bins[bin].blocks;
        counts.managed_bytes += MemoryPool::alloc_size(bin);
    }
    void remove_blocks(unsigned bin, std::size_t count) noexcept {
        bins[bin].blocks -= count;
        counts.managed_bytes -= count * MemoryPool::alloc_size(bin);
    }
    void put(unsigned bin, const Held& block) noexcept {
        bins[bin].held.push_back(block);
        ++counts.held_blocks;
    }
    Held remove(unsigned bin, std::size_t at) noexcept {
        std::vector<Held>& held = bins[bin].held;
        const Held removed = held[at];
        held.erase(held.begin() + static_cast<std::ptrdiff_t>(at));
        --counts.held_blocks;
        return removed;
    }
    /// A block that is about to become active.
    PoolBlock block(std::uint64_t address, PoolLease* lease, std::size_t bytes, unsigned bin, LastUse last_use,
                    LastUse before) noexcept {
        return {address, bytes, static_cast<std::uint16_t>(bin), number, 0, last_use, before, lease};
    }
    void keep(MemoryPool& pool) noexcept { kept = {pool.shared_from_this(), pool.context()}; }
    void count_out(MemoryPool& pool, std::size_t bytes) noexcept {
        counts.active_bytes += bytes;
        if (++counts.active_blocks == 1 && !pool.is_on_hold()) keep(pool);
    }
    /// `last` receives the references that active blocks held, to be released after the lock.
    void count_in(std::size_t bytes, PoolReferences& last) noexcept {
        counts.active_bytes -= bytes;
        if (--counts.active_blocks == 0) last = std::move(kept);
    }

    const std::uint16_t number;
    mutable SpinLock lock;
    PoolCounts counts;
    PoolReferences kept;  ///< set while there are active blocks, unless holds keep the pool
    std::array<Bin, bin_count> bins;
};

template <class Visit>
void MemoryPool::visit_shelves(const Visit& visit) const {
    for (const auto& slot : shelves_)
        if (PoolShelf* const shelf = slot.load()) visit(*shelf);
}

}  // namespace pycuda
