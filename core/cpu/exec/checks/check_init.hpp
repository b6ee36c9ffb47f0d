#pragma once
// PYCUDA_CPU_CHECK=init: reads of memory that nothing wrote.

#include "exec/checks/checks.hpp"

namespace cpu::exec {

struct Insn;
struct Warp;

/// Raises the fault if a lane reads a byte that nothing wrote.
void check_read(Warp& warp, const Insn& insn, const LaneAddresses& lanes);
void note_write(Warp& warp, const LaneAddresses& lanes);

}  // namespace cpu::exec
