#pragma once

#include <cstdint>
#include <string_view>

namespace cpu::ptx {

enum class Opcode : std::uint8_t {
#define PTX_OPCODE(id, spelling) id,
#include "ptx/opcodes.def"
#undef PTX_OPCODE
    Count
};

inline constexpr std::string_view opcode_names[] = {
#define PTX_OPCODE(id, spelling) spelling,
#include "ptx/opcodes.def"
#undef PTX_OPCODE
};

constexpr std::string_view name(Opcode opcode) { return opcode_names[static_cast<std::size_t>(opcode)]; }

}  // namespace cpu::ptx
