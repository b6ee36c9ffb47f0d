#pragma once

#include <cstdint>

namespace cpu::exec {

/// A flag in Insn::mode of cp.async.bulk.tensor, beside the number of coordinates: copy from shared memory to the
/// tensor.
inline constexpr std::uint16_t tensor_copy_stores = 8;

}  // namespace cpu::exec
