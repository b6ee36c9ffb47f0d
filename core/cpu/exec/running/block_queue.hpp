#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

namespace cpu::exec {

/// Hands out the blocks of a grid, first to last. With several ranges, each thread first takes the blocks of its own
/// range, so that neighbours stay in one core's cache and no counter is contended, and then the remaining blocks of
/// other ranges.
class BlockQueue {
public:
    void start(std::uint64_t blocks, unsigned ranges) {
        if (count_ != ranges) ranges_ = std::make_unique<Range[]>(ranges);
        count_ = ranges;
        for (unsigned n = 0; n < ranges; ++n) {
            ranges_[n].next = blocks / ranges * n + blocks % ranges * n / ranges;
            if (n > 0) ranges_[n - 1].end = ranges_[n].next;
        }
        ranges_[ranges - 1].end = blocks;
    }

    /// The next block for a thread (numbered from 0); nothing once all have been taken.
    std::optional<std::uint64_t> take(unsigned thread) noexcept {
        for (unsigned n = 0; n < count_; ++n) {
            Range& range = ranges_[(thread + n) % count_];
            if (range.next.load(std::memory_order_relaxed) >= range.end) continue;
            const std::uint64_t block = range.next.fetch_add(1, std::memory_order_relaxed);
            if (block < range.end) return block;
        }
        return std::nullopt;
    }

private:
    /// Each range fills a pair of cache lines, which processors fetch together, because its thread writes to it for
    /// every block.
    struct alignas(128) Range {
        std::atomic<std::uint64_t> next{0};
        std::uint64_t end = 0;
    };

    std::unique_ptr<Range[]> ranges_;
    unsigned count_ = 0;
};

}  // namespace cpu::exec
