#pragma once

#include <cstdint>
#include <string_view>

namespace cpu::ptx {

// Each include of opcodes.def defines the rows that it needs, and leaves the others empty.
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

/// What kind of thing an instruction does: Value and Video compute in each lane from its operands, Exchange between the
/// lanes of a warp, Matrix on matrices spread over them; Control decides where threads go on, barriers too; Memory has
/// the hints and waits, which do nothing here.
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
