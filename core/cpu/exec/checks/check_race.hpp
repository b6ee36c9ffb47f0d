#pragma once

#include <cstdint>
#include <vector>

#include "exec/checks/vector_clocks.hpp"
#include "exec/code.hpp"

namespace cpu::exec {

struct Block;
struct LaneAddresses;

/// PYCUDA_CPU_CHECK=race: detects two unordered accesses of a block's threads to the same bytes of shared memory, at
/// least one of them a write.
class RaceCheck {
public:
    explicit RaceCheck(const Block& block);

    VectorClocks order;
    /// Starts a new epoch, at a block's start or when all its threads have met at a barrier: later accesses are ordered
    /// after all earlier ones.
    void start_epoch();
    /// Raises a fault if an access of the running instruction races with an earlier one.
    void accessed(Warp& warp, const Insn& insn, const Access& access, const LaneAddresses& lanes);

private:
    /// The accesses of the lanes of a warp to the bytes of one aligned word of shared memory.
    struct Touch {
        std::uint32_t lanes = 0;
        std::uint32_t pc = 0;
        std::uint32_t instance = 0;  ///< identifies the execution of the instruction
        std::uint32_t value = 0;     ///< for a write: the value of the word, valid in `bytes`
        VectorClocks::Clock clock = 0;
        std::uint8_t warp = 0;
        std::uint8_t bytes = 0;  ///< the touched bytes of the word, one bit each
        bool reads = false;
        bool writes = false;
        Access::Order order = Access::Order::Weak;
    };
    struct Word {
        std::uint64_t epoch = 0;
        std::vector<Touch> touches;
    };

    bool ordered(const Touch& earlier, int lane, std::uint32_t thread) const;
    /// The first lane of `earlier` whose access conflicts with `now` of `thread`, or -1.
    int conflict(const Touch& earlier, const Touch& now, std::uint32_t thread) const;
    void supersede(std::vector<Touch>& touches, const Touch& now, int lane) const;
    void touch_words(Warp& warp, const Insn& insn, const Access& access, std::uint32_t offset, int lane);
    void touch(Warp& warp, const Insn& insn, std::uint32_t word, Touch now, int lane);
    [[noreturn]] void report(const Warp& warp, const Insn& insn, std::uint32_t word, const Touch& earlier,
                             int earlier_lane, const Touch& now, int lane) const;

    const Block& block_;
    std::uint64_t epoch_ = 0;
    std::uint32_t instance_ = 0;
    std::vector<Word> words_;
};

}  // namespace cpu::exec
