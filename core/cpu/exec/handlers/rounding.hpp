#pragma once

#include "exec/handlers/op.hpp"
#include "exec/warp.hpp"

namespace cpu::exec {

/// Makes the instruction, which has three sources at most, run `row` under a rounding mode: the two bits of MXCSR, 1
/// down, 2 up, 3 to zero.
void run_rounded(Insn& insn, const Op& row, std::uint16_t mode);

}  // namespace cpu::exec
