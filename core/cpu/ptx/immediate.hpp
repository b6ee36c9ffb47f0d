#pragma once

#include <cstdint>
#include <optional>

#include "ptx/types.hpp"

namespace cpu::ptx {

/// The bits of a literal in a slot of type `type`. The literal's own type is S64, U64, F32 or F64. nullopt if such a
/// literal is not permitted there.
std::optional<std::uint64_t> encode_immediate(Type type, Type literal, std::uint64_t bits);

}  // namespace cpu::ptx
