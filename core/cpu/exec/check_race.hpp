#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "exec/code.hpp"

namespace cpu::exec {

struct Block;
struct LaneAddresses;

/// PYCUDA_CPU_CHECK=race: finds two accesses of a block's threads to the same bytes of shared memory, at least one of
/// them a write, that no barrier orders.
///
/// Each warp has a clock that ticks at every barrier one of its threads comes to; an access is stamped with it. A
/// thread knows up to which time of each other thread's warp that thread's accesses are before its own: barriers, and
/// instructions that synchronise lanes, join what those who take part know (vector clocks). A barrier of the whole
/// block starts a new epoch, in which all earlier accesses are forgotten: the usual kernel needs no vectors at all.
class RaceCheck {
public:
    explicit RaceCheck(const Block& block);
    void start_block();

    /// Raises the fault if an access of the running instruction races with an earlier one.
    void accessed(Warp& warp, const Insn& insn, const Access& access, const LaneAddresses& lanes);
    /// `lanes` of the warp have come to a barrier; if all of them wait, released() follows.
    void arrived(const Warp& warp, std::uint32_t lanes, std::uint32_t barrier);
    /// Lanes that waited at the barrier go on.
    void released(const Warp& warp, std::uint32_t lanes, std::uint32_t barrier);
    /// The barrier is complete; `whole`: every thread that has not exited waited at it.
    void completed(std::uint32_t barrier, bool whole);
    /// Lanes of one warp have waited for each other.
    void synchronized(const Warp& warp, std::uint32_t lanes);

private:
    using Clock = std::uint32_t;
    using Known = std::vector<Clock>;  ///< by thread: up to when its accesses are known; empty: of none

    /// What lanes of a warp did to bytes of one aligned word of shared memory.
    struct Touch {
        std::uint32_t lanes = 0;
        std::uint32_t pc = 0;
        std::uint32_t instance = 0;  ///< of the instruction's execution
        std::uint32_t value = 0;     ///< of a write: the word, as far as `bytes` says
        Clock clock = 0;
        std::uint8_t warp = 0;
        std::uint8_t bytes = 0;  ///< of the word, a bit each
        bool reads = false;
        bool writes = false;
        Access::Order order = Access::Order::Weak;
    };
    struct Word {
        std::uint64_t epoch = 0;
        std::vector<Touch> touches;
    };

    bool ordered(const Touch& earlier, int lane, std::uint32_t thread) const;
    /// The first lane of `earlier` whose access conflicts with what thread does now, or -1.
    int conflict(const Touch& earlier, const Touch& now, std::uint32_t thread) const;
    void meet(const Warp& warp, const Access& access, std::uint64_t word, int lane);
    void supersede(std::vector<Touch>& touches, const Touch& now, int lane) const;
    void touch(Warp& warp, const Insn& insn, std::uint32_t word, Touch now, int lane);
    [[noreturn]] void report(const Warp& warp, const Insn& insn, std::uint32_t word, const Touch& earlier,
                             int earlier_lane, const Touch& now, int lane) const;
    void join(Known& into, const Known& from) const;

    const Block& block_;
    std::uint64_t epoch_ = 0;
    std::uint32_t instance_ = 0;
    std::vector<Word> words_;
    std::vector<Clock> clocks_;  ///< by warp
    std::vector<Known> known_;   ///< by thread
    std::array<Known, 16> barriers_;
    std::unordered_map<std::uint64_t, Known> meetings_;  ///< by word of the system's part of shared memory
};

}  // namespace cpu::exec
