#pragma once

#include <cstddef>
#include <cstdint>

/// Memory of many blocks in few mappings, whose number the system limits for each process. A page that no block has
/// lies between two blocks; it is accessible, so only checked accesses notice an overrun.
namespace cpu::state::packed_pages {

/// The address of `bytes` zeroed bytes, in whole pages; 0 if there is no memory.
std::uintptr_t take(std::size_t bytes) noexcept;
/// Gives them back, for blocks of the same size.
void give(void* address, std::size_t bytes) noexcept;

}  // namespace cpu::state::packed_pages
