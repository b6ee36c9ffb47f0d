#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ptx/grammar.hpp"
#include "ptx/program.hpp"

/// The instructions that a row of opcodes.def stands for, written out with the registers and variables of ptx_text.hpp.
namespace ptx_forms {

/// One part of an instruction, and what it may be.
struct Dimension {
    enum class Kind : std::uint8_t { Type, Group, Flag, Pair, Operands };
    Kind kind;
    std::uint8_t index;                ///< which type, group or flag
    std::vector<std::uint8_t> values;  ///< the first is used while other parts vary
};

struct Row {
    cpu::ptx::Opcode opcode;
    const cpu::ptx::Form* form;
    std::vector<Dimension> dimensions;
};

std::vector<Row> rows(cpu::ptx::Opcode opcode);

/// The rows with every type, and with the modifiers of all rows of the opcode: mostly wrong.
std::vector<Row> widened_rows(cpu::ptx::Opcode opcode);

/// All combinations of a row; if there are more than `limit`, those that differ from the first in at most two parts
/// (in one for matrix instructions).
std::vector<std::string> instructions(const Row& row, std::size_t limit);

/// False for rows whose operands are labels, callees, textures or surfaces.
bool writable(const cpu::ptx::Form& form);

}  // namespace ptx_forms
