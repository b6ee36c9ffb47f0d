#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "exec/running/block.hpp"

namespace cpu::exec {

/// Writes a value that is constant for the launch, for all lanes, to where the code reads it. `fresh`: the memory does
/// not hold an earlier launch's value yet.
void broadcast(const Grid& grid, std::span<const std::uint64_t> references, const LaunchConstant& constant,
               std::byte* at, bool fresh);

}  // namespace cpu::exec
