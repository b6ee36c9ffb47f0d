#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "exec/running/block.hpp"

namespace cpu::exec {

/// Writes what is the same for all threads of a launch, or of a lane, where the code finds it. Not fresh: an earlier
/// launch has written its own there.
void broadcast(const Grid& grid, std::span<const std::uint64_t> references, const LaunchConstant& constant,
               std::byte* at, bool fresh);

}  // namespace cpu::exec
