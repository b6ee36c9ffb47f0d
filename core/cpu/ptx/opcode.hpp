#pragma once

#include <cstdint>
#include <string_view>

namespace cpu::ptx {

// Each include of opcodes.def defines the rows that it wants, and leaves the others empty.
enum class Opcode : std::uint8_t {
#define PTX_OPCODE(id, spelling) id,
#define PTX_SPELLING(id, spelling)
#define PTX_FORM(id, types, modifiers, operands)
#define PTX_REFUSED(spelling)
#include "ptx/opcodes.def"
    Count
};

inline constexpr std::string_view opcode_names[] = {
#define PTX_OPCODE(id, spelling) spelling,
#define PTX_SPELLING(id, spelling)
#define PTX_FORM(id, types, modifiers, operands)
#define PTX_REFUSED(spelling)
#include "ptx/opcodes.def"
};

constexpr std::string_view name(Opcode opcode) { return opcode_names[static_cast<std::size_t>(opcode)]; }

}  // namespace cpu::ptx
