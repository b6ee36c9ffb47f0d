#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <shared_mutex>

#include "exec/running/lease.hpp"

namespace cpu::exec {

/// A live allocation that kernels may access. Addresses are host addresses.
struct Range {
    std::uintptr_t base = 0;
    std::size_t size = 0;
    bool read_only = false;
    /// Only kernels and copies access it; neither the program itself nor another process does.
    bool is_private = false;
    /// The parts that a pool of the program has lent; null: all of the memory may be accessed.
    const Lease* lease = nullptr;

    /// As this work may access it; of no bytes if it may not.
    Range as_seen_by(const QueuedAt& work) const noexcept {
        Range seen = *this;
        if (lease) seen.size = lease->limit(work);
        return seen;
    }
};

/// The allocations that one context's kernels may access: an exact interval map. Thread-safe. It owns no memory. The
/// allocators leave a gap that belongs to no range around each, so that a small overrun cannot reach a neighbour.
class Memory {
public:
    Memory() = default;
    ~Memory();  ///< frees what device code has allocated and not freed
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    /// Replaces a range that starts at the same address.
    void add(const Range& range);
    /// Removes the range that starts at `base`, because it was freed; false if there is none.
    bool remove(std::uintptr_t base);
    /// Removes the range for these kernels only; the memory lives on.
    bool withdraw(std::uintptr_t base);
    /// The live range that contains `address`, as `work` may access it.
    std::optional<Range> find(std::uintptr_t address, const QueuedAt& work = {}) const;
    /// True if the address lies in a range, even where a pool has not lent it.
    bool contains(std::uintptr_t address) const;
    /// The live range closest to `address`, as `work` may access it, for fault reports.
    std::optional<Range> nearest(std::uintptr_t address, const QueuedAt& work = {}) const;
    /// The most recently freed range that contained `address`, or what a pool has lent of it, for fault reports. Only
    /// recent ones are remembered.
    std::optional<Range> freed(std::uintptr_t address) const;
    /// Increases whenever a range is removed or replaced, so that workers drop their cached ranges in time.
    std::uint64_t generation() const noexcept { return __atomic_load_n(&generation_, __ATOMIC_ACQUIRE); }
    /// The address of the generation, for readers that load it atomically at each access.
    const std::uint64_t* generation_address() const noexcept { return &generation_; }

    // Running kernels, which the program can end.
    void kernel_begins() noexcept { ++kernels_; }
    void kernel_ends() noexcept {
        std::uint64_t now = kernels_.load();
        while (!kernels_.compare_exchange_weak(now, now == (have_to_end | 1) ? 0 : now - 1)) {
        }
    }
    /// Ends the kernels that are running now. `why` is constant text.
    void end_kernels(const char* why) noexcept {
        why_to_end_ = why;
        std::uint64_t now = kernels_.load();
        while (now != 0 && !kernels_.compare_exchange_weak(now, now | have_to_end)) {
        }
    }
    /// Why kernels must end; null: they may continue.
    const char* why_to_end() const noexcept {
        return kernels_.load(std::memory_order_acquire) & have_to_end ? why_to_end_.load() : nullptr;
    }

private:
    std::optional<Range> take(std::uintptr_t base);
    const Range* locate(std::uintptr_t address) const;

    mutable std::shared_mutex mutex_;
    std::map<std::uintptr_t, Range> ranges_;
    std::deque<Range> freed_;  ///< the most recently freed ranges, oldest first
    std::uint64_t generation_ = 0;
    static constexpr std::uint64_t have_to_end = std::uint64_t{1} << 63;
    /// The number of running kernels; the top bit is set from end_kernels() until the last of them has ended.
    std::atomic<std::uint64_t> kernels_{0};
    std::atomic<const char*> why_to_end_{nullptr};
};

}  // namespace cpu::exec
