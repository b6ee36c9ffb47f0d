#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace cpu::exec {

struct Warp;

/// The number of barrier.cluster, after the barriers of a block.
inline constexpr std::uint32_t cluster_barrier = 16;

/// Tracks which accesses of a block are ordered after which others, for PYCUDA_CPU_CHECK=race.
///
/// Each warp has a clock that ticks whenever one of its threads does something that others may be ordered after; each
/// access is stamped with it. For every other thread, a thread knows the time up to which that thread's accesses come
/// before its own. Barriers, and instructions that synchronise lanes, merge the knowledge of the participating threads.
/// A thread without knowledge, such as any thread after a barrier of the whole block, takes no memory.
class VectorClocks {
public:
    using Clock = std::uint32_t;

    VectorClocks(std::uint32_t threads, std::uint32_t warps);
    /// Everything so far is ordered before everything that follows.
    void clear();

    Clock now(std::uint32_t warp) const { return clocks_[warp]; }
    /// True if the accesses of `other` up to `time` are ordered before what `thread` does now.
    bool knows(std::uint32_t thread, std::uint32_t other, Clock time) const;

    /// Lanes have arrived at a barrier.
    void arrived(const Warp& warp, std::uint32_t lanes, std::uint32_t barrier);
    /// Lanes that waited at the barrier continue.
    void released(const Warp& warp, std::uint32_t lanes, std::uint32_t barrier);
    void completed(std::uint32_t barrier) { barriers_[barrier].clear(); }
    /// Lanes of one warp have waited for each other.
    void synchronized(const Warp& warp, std::uint32_t lanes);

    /// These lanes executed a fence: their later atomic writes publish what they know now.
    void fenced(const Warp& warp, std::uint32_t lanes);
    /// The thread wrote to a word atomically. `releases`: the write itself includes a fence.
    void wrote(const Warp& warp, int lane, std::uint64_t word, bool releases);
    /// The thread has read the word atomically, so it acquires what the word's writers released.
    void read(const Warp& warp, int lane, std::uint64_t word);

private:
    using Known = std::vector<Clock>;  ///< by thread; empty if nothing is known

    static void join(Known& into, const Known& from);
    Known known_to(const Warp& warp, std::uint32_t lanes) const;

    std::vector<Clock> clocks_;  ///< by warp
    std::vector<Known> known_;   ///< by thread
    std::vector<Known> fenced_;  ///< by thread: what it knew at its last fence
    std::array<Known, cluster_barrier + 1> barriers_;
    std::unordered_map<std::uint64_t, Known> words_;
};

}  // namespace cpu::exec
