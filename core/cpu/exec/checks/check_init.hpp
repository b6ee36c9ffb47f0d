#pragma once
// PYCUDA_CPU_CHECK=init: detects reads of memory that was never written.

#include "exec/checks/checks.hpp"

namespace cpu::exec {

struct Insn;
struct Warp;

/// Raises a fault if a lane reads a byte that was never written.
void check_read(Warp& warp, const Insn& insn, const LaneAddresses& lanes);
void note_write(Warp& warp, const LaneAddresses& lanes);

}  // namespace cpu::exec
