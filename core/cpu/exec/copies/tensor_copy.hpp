#pragma once

#include <cstdint>

namespace cpu::exec {

/// Of Insn::mode of cp.async.bulk.tensor, beside the number of coordinates: it stores from shared memory.
inline constexpr std::uint16_t tensor_copy_stores = 8;

}  // namespace cpu::exec
