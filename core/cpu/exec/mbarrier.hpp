#pragma once

#include <cstdint>

#include "exec/warp.hpp"

namespace cpu::exec {

/// What an mbarrier instruction does, in Insn::mode. op[0] is its result (the state before it, of a test a predicate),
/// op[1] the object's generic address.
enum class MbarrierOp : std::uint16_t {
    Init,  ///< op[2]: arrivals
    Invalidate,
    Expect,    ///< op[2]: bytes
    Complete,  ///< op[2]: bytes
    Arrive,    ///< op[2]: arrivals; op[3], if it is there: bytes to expect first. So do the three that follow
    Drop,
    ArriveNoComplete,
    DropNoComplete,
    Test,        ///< op[2]: the state that an arrival gave
    TestParity,  ///< op[2]: the parity of the phase
};

/// The pending arrivals in a state.
inline constexpr std::uint32_t mbarrier_pending_mask = (1u << 20) - 1;

/// A copy has written that many of the bytes that the object at the generic address `address` waits for.
void complete_bytes(Warp& warp, const Insn& insn, int lane, std::uint64_t address, std::uint32_t bytes);

}  // namespace cpu::exec
