#pragma once

#include <cstdint>
#include <optional>

#include "ptx/types.hpp"

namespace cpu::ptx {

/// The pattern that a literal has in a slot of type `type`; the literal's own type is S64, U64, F32 or F64. nullopt: a
/// value of that kind is not allowed there.
std::optional<std::uint64_t> encode_immediate(Type type, Type literal, std::uint64_t bits);

}  // namespace cpu::ptx
