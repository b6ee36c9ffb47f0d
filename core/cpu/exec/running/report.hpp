#pragma once
// How reports describe threads, places in the code, and allocations.

#include <cstdint>
#include <string>

#include "exec/running/queued_work.hpp"

namespace cpu::exec {

class Kernel;
class Memory;
struct Block;
struct Grid;
struct Insn;
struct Warp;

std::string hex(std::uint64_t value);
/// "(x, y, z)"
std::string triple(std::uint32_t x, std::uint32_t y, std::uint32_t z);
/// "1 byte", "4 bytes"
std::string byte_count(std::uint64_t bytes);
/// "(x, y, z)", the block's index in the grid.
std::string block_name(const Block& block);
/// "(x, y, z)" of a thread of the block, given its number.
std::string thread_name(const Block& block, std::uint32_t thread);
std::uint32_t thread_number(const Warp& warp, int lane);
std::uint32_t pc_of(const Kernel& kernel, const Insn& insn);
/// "PTX line 12, kernel.cu:7", or the part of it that is known.
std::string code_location(const Kernel& kernel, std::uint32_t pc);
/// "block (0, 0, 0), thread (1, 0, 0), PTX line 12, kernel.cu:7"; lane -1: no thread.
std::string location(const Warp& warp, const Insn& insn, int lane);
/// "; 4 bytes past the end of the nearest allocation, 0x... of 64 bytes"
std::string near_memory(const Memory& memory, const QueuedAt& work, std::uint64_t address);
std::string near_memory(const Grid& grid, std::uint64_t address);
/// "tile + 64" for a place in the block's shared memory if the variable is known; else "byte 64".
std::string shared_location(const Kernel& kernel, std::uint32_t offset);

}  // namespace cpu::exec
