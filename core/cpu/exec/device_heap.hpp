#pragma once

#include <cstdint>

#include "exec/memory.hpp"

namespace cpu::exec {

/// malloc and free of device code. Blocks belong to `memory`'s context and live until freed by device code.
/// 0: no memory, or more than 1 GiB at once.
std::uint64_t device_heap_allocate(Memory& memory, std::uint64_t size);
/// False: not a live block of this heap. Freeing 0 does nothing.
bool device_heap_free(Memory& memory, std::uint64_t address);

}  // namespace cpu::exec
