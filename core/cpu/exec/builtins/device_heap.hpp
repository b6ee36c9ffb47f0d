#pragma once

#include <cstdint>

#include "exec/running/memory.hpp"

namespace cpu::exec {

/// malloc and free of device code. Blocks belong to `memory`'s context and live until device code frees them, or the
/// memory is destroyed. Returns 0 if `size` is 0, if the blocks of this memory would exceed `limit` bytes in total, or
/// if the host is out of memory.
std::uint64_t device_heap_allocate(Memory& memory, std::uint64_t size, std::uint64_t limit);
/// False if this is not a live block of this heap. Freeing 0 is a no-op.
bool device_heap_free(Memory& memory, std::uint64_t address);
/// Frees all remaining blocks of a memory that is being destroyed.
void device_heap_release(Memory& memory);

}  // namespace cpu::exec
