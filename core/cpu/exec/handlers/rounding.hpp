#pragma once

#include "exec/handlers/op.hpp"
#include "exec/warp.hpp"

namespace cpu::exec {

/// Makes the instruction, which has at most three sources, run `row` under a rounding mode: a HostRounding.
void run_rounded(Insn& insn, const Op& row, std::uint16_t mode);
bool is_rounded(const Insn& insn);

}  // namespace cpu::exec
