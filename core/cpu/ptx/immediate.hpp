#pragma once

#include <cstdint>
#include <optional>

#include "ptx/types.hpp"

namespace cpu::ptx {

/// The pattern that a literal has in a slot of type `type`; the literal's own type is S64, U64, F32 or F64. nullopt:
/// a value of that kind cannot stand there.
std::optional<std::uint64_t> encode_immediate(Type type, Type literal, std::uint64_t bits);

/// Rounds to nearest even, as cvt.rn.f16.f64 and cvt.rn.bf16.f64 do.
std::uint16_t to_f16(double value);
std::uint16_t to_bf16(double value);

}  // namespace cpu::ptx
