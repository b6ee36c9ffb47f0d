#pragma once

#include <cstdint>
#include <string_view>

namespace cpu::ptx {

// Each inclusion of opcodes.def defines the macros of the rows that it needs; the others expand to nothing.
enum class Opcode : std::uint8_t {
#define PTX_OPCODE(id, spelling, family) id,
#define PTX_SPELLING(id, spelling)
#define PTX_FORM(id, types, modifiers, operands)
#define PTX_REFUSED(spelling)
#include "ptx/opcodes.def"
    Count
};

inline constexpr std::string_view opcode_names[] = {
#define PTX_OPCODE(id, spelling, family) spelling,
#define PTX_SPELLING(id, spelling)
#define PTX_FORM(id, types, modifiers, operands)
#define PTX_REFUSED(spelling)
#include "ptx/opcodes.def"
};

/// Families of instructions. Value and Video compute in each lane from its operands; Exchange moves values between the
/// lanes of a warp; Matrix works on matrices that are distributed over the lanes; Control is for branches and barriers;
/// Memory includes hints and waits, which are no-ops here.
enum class Family : std::uint8_t { Value, Video, Memory, Texture, Control, Exchange, Matrix, Call };

inline constexpr Family opcode_families[] = {
#define PTX_OPCODE(id, spelling, family) Family::family,
#define PTX_SPELLING(id, spelling)
#define PTX_FORM(id, types, modifiers, operands)
#define PTX_REFUSED(spelling)
#include "ptx/opcodes.def"
};

constexpr Family family(Opcode opcode) {
    return opcode_families[static_cast<std::size_t>(opcode)];
}
constexpr std::string_view name(Opcode opcode) {
    return opcode_names[static_cast<std::size_t>(opcode)];
}

}  // namespace cpu::ptx
