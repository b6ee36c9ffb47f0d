#pragma once

#include <cstdint>

#include "exec/running/memory.hpp"

namespace cpu::exec {

/// malloc and free of device code. Blocks belong to `memory`'s context and live until freed by device code.
/// 0: the blocks of this memory would take more than `limit` bytes in all, or the machine has no more.
std::uint64_t device_heap_allocate(Memory& memory, std::uint64_t size, std::uint64_t limit);
/// False: not a live block of this heap. Freeing 0 does nothing.
bool device_heap_free(Memory& memory, std::uint64_t address);
/// Frees all that is left of a memory that ends.
void device_heap_release(Memory& memory);

}  // namespace cpu::exec
