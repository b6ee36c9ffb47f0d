#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <shared_mutex>

namespace cpu::exec {

/// One live allocation that kernels may touch. Addresses are host addresses.
struct Range {
    std::uintptr_t base = 0;
    std::size_t size = 0;
    bool read_only = false;
    bool is_private = false;  ///< only kernels and copies access it: not the program itself, nor another process
};

/// The allocations that one context's kernels may access: an exact interval map. Thread-safe. It owns no memory. The
/// allocator leaves at least one page unmapped around each range, so that an overrun cannot reach a neighbour.
class Memory {
public:
    Memory() = default;
    ~Memory();  ///< with what device code has not freed
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    /// Replaces one that starts at the same address.
    void add(const Range& range);
    /// The range that starts at `base` was freed; false when there is none.
    bool remove(std::uintptr_t base);
    /// It lives on, but is not for these kernels any more.
    bool withdraw(std::uintptr_t base);
    /// The live range that contains `address`.
    std::optional<Range> find(std::uintptr_t address) const;
    /// The live range closest to `address`, for fault reports.
    std::optional<Range> nearest(std::uintptr_t address) const;
    /// The range freed last of those that contained `address`, if that is not long ago, for fault reports.
    std::optional<Range> freed(std::uintptr_t address) const;
    /// Grows at each removal, so that a worker's cached range is dropped before it can be stale.
    std::uint64_t generation() const noexcept { return __atomic_load_n(&generation_, __ATOMIC_ACQUIRE); }
    /// Where the generation is kept, for readers that load it atomically at each access.
    const std::uint64_t* generation_address() const noexcept { return &generation_; }

    // Kernels that run on it, which the program can end.
    void kernel_begins() noexcept { ++kernels_; }
    void kernel_ends() noexcept {
        std::uint64_t now = kernels_.load();
        while (!kernels_.compare_exchange_weak(now, now == (have_to_end | 1) ? 0 : now - 1)) {}
    }
    /// Ends those that run now. `why` is constant text.
    void end_kernels(const char* why) noexcept {
        why_to_end_ = why;
        std::uint64_t now = kernels_.load();
        while (now != 0 && !kernels_.compare_exchange_weak(now, now | have_to_end)) {}
    }
    /// Null: they may go on.
    const char* why_to_end() const noexcept {
        return kernels_.load(std::memory_order_acquire) & have_to_end ? why_to_end_.load() : nullptr;
    }

private:
    std::optional<Range> take(std::uintptr_t base);

    mutable std::shared_mutex mutex_;
    std::map<std::uintptr_t, Range> ranges_;
    std::deque<Range> freed_;  ///< the last ones, oldest first
    std::uint64_t generation_ = 0;
    static constexpr std::uint64_t have_to_end = std::uint64_t{1} << 63;
    std::atomic<std::uint64_t> kernels_{0};  ///< how many run; and whether they have to end, until the last one has
    std::atomic<const char*> why_to_end_{nullptr};
};

}  // namespace cpu::exec
