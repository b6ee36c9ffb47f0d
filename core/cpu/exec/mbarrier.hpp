#pragma once

#include <cstdint>

#include "exec/warp.hpp"

namespace cpu::exec {

/// What an mbarrier instruction does, in Insn::mode. op[0] is its result (the state before the operation; for a test, a
/// predicate), op[1] the object's generic address.
enum class MbarrierOp : std::uint16_t {
    Init,  ///< op[2]: arrivals
    Invalidate,
    Expect,    ///< op[2]: bytes
    Complete,  ///< op[2]: bytes
    Arrive,    ///< op[2]: arrivals; op[3], if present: bytes to expect first. The next three take the same operands
    Drop,
    ArriveNoComplete,
    DropNoComplete,
    Test,        ///< op[2]: the state that an arrival returned
    TestParity,  ///< op[2]: the parity of the phase
};

/// The bits of a state that hold the pending arrivals.
inline constexpr std::uint32_t mbarrier_pending_mask = (1u << 20) - 1;

/// Tells the object at the generic address `address` that a copy has written this many of the bytes it waits for.
void complete_bytes(Warp& warp, const Insn& insn, int lane, std::uint64_t address, std::uint32_t bytes);

}  // namespace cpu::exec
