#pragma once

#include <cstdint>
#include <string>

namespace cpu::exec {

struct Insn;
class Memory;
struct Warp;

/// PYCUDA_CPU_CHECK=continue: does hardware, too, take an access there that no allocation covers? It maps memory in
/// pages of 2 MiB, and notices nothing within one.
bool lies_in_mapped_page(const Memory& memory, std::uint64_t address);

/// Reports an access at which a launch without this check would end, if the instruction does it for the first time, and
/// counts it. Return an address of zeros for the lane to access instead; nothing reads what is written there.
std::uint64_t go_on_elsewhere(const Warp& warp, const Insn& insn, int lane, const std::string& report);

}  // namespace cpu::exec
