#pragma once

#include <cstdint>
#include <string>

namespace cpu::exec {

struct Insn;
class Memory;
struct Warp;

/// PYCUDA_CPU_CHECK=continue: true if hardware would also accept an access there, though no allocation covers it. It
/// maps memory in pages of 2 MiB and detects nothing within a page.
bool lies_in_mapped_page(const Memory& memory, std::uint64_t address);

/// Reports an access that would end the launch without this check, once for each instruction, and counts it. Returns an
/// address of zeros for the lane to access instead; what is written there is never read.
std::uint64_t go_on_elsewhere(const Warp& warp, const Insn& insn, int lane, const std::string& report);

}  // namespace cpu::exec
