#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace cpu::exec {

struct Warp;

/// Number of barrier.cluster, behind the barriers of a block.
inline constexpr std::uint32_t cluster_barrier = 16;

/// Which of a block's accesses are ordered after which others: for PYCUDA_CPU_CHECK=race.
///
/// Each warp has a clock that ticks whenever one of its threads does something that others may be ordered after; an
/// access is stamped with it. A thread knows up to which time of each other thread's warp that thread's accesses come
/// before its own. Barriers, and instructions that synchronise lanes, join the knowledge of the participating threads.
/// A thread without knowledge, such as any thread after a barrier of the whole block, takes no memory.
class VectorClocks {
public:
    using Clock = std::uint32_t;

    VectorClocks(std::uint32_t threads, std::uint32_t warps);
    /// All that was before is before all that comes.
    void clear();

    Clock now(std::uint32_t warp) const { return clocks_[warp]; }
    /// Is what `other` did up to `time` before what `thread` does now?
    bool knows(std::uint32_t thread, std::uint32_t other, Clock time) const;

    /// Lanes have come to a barrier.
    void arrived(const Warp& warp, std::uint32_t lanes, std::uint32_t barrier);
    /// Lanes that waited at the barrier go on.
    void released(const Warp& warp, std::uint32_t lanes, std::uint32_t barrier);
    void completed(std::uint32_t barrier) { barriers_[barrier].clear(); }
    /// Lanes of one warp have waited for each other.
    void synchronized(const Warp& warp, std::uint32_t lanes);

    /// A fence of these lanes: what they write to atomically from now on passes on what they know.
    void fenced(const Warp& warp, std::uint32_t lanes);
    /// The thread wrote to a word atomically. `releases`: with a fence of its own.
    void wrote(const Warp& warp, int lane, std::uint64_t word, bool releases);
    /// The thread has read the word atomically: it acquires what the word's writers released.
    void read(const Warp& warp, int lane, std::uint64_t word);

private:
    using Known = std::vector<Clock>;  ///< by thread; empty: nothing

    static void join(Known& into, const Known& from);
    Known known_to(const Warp& warp, std::uint32_t lanes) const;

    std::vector<Clock> clocks_;  ///< by warp
    std::vector<Known> known_;   ///< by thread
    std::vector<Known> fenced_;  ///< by thread: what it knew at its last fence
    std::array<Known, cluster_barrier + 1> barriers_;
    std::unordered_map<std::uint64_t, Known> words_;
};

}  // namespace cpu::exec
