#include "exec/checks/harmless_reads.hpp"

#include <algorithm>

#include "ptx/opcode.hpp"

namespace cpu::exec {

using ptx::Opcode;
using ptx::Operand;
using ptx::OperandKind;

namespace {

bool is_register(const Operand& o, std::uint32_t index) {
    return o.kind == OperandKind::Register && o.index == index;
}

std::vector<bool> find_fixed_addresses(const ptx::Function& function, std::span<const std::uint32_t> definitions) {
    std::vector<bool> fixed(definitions.size());
    const auto is_fixed = [&](const Operand& o) {
        return o.kind == OperandKind::Address || (o.kind == OperandKind::Register && fixed[o.index]);
    };
    for (const ptx::Instruction& i : function.instructions) {
        const auto o = function.operands_of(i);
        if (o.size() < 2 || o[0].kind != OperandKind::Register || definitions[o[0].index] != 1) continue;
        if (i.opcode == Opcode::Mov || i.opcode == Opcode::Cvta)
            fixed[o[0].index] = is_fixed(o[1]);
        else if (i.opcode == Opcode::Add)
            fixed[o[0].index] = is_fixed(o[1]) && o[2].kind == OperandKind::Immediate;
    }
    return fixed;
}

/// True if instruction `n` loads a word into register `value`, whose bits are then masked, and soon stores a word at
/// the same address.
bool sets_bit_field(const ptx::Function& function, std::size_t n, std::uint32_t value) {
    constexpr std::size_t reach = 16;
    const Operand& address = function.operands_of(function.instructions[n])[1];
    const std::size_t end = std::min(n + reach, function.instructions.size());
    bool masked = false;
    while (++n < end) {
        const ptx::Instruction& i = function.instructions[n];
        const auto o = function.operands_of(i);
        if (o.empty() || i.opcode == Opcode::Bra || is_register(o[0], address.index)) return false;
        masked |= i.opcode == Opcode::And && is_register(o[1], value) && o[2].kind == OperandKind::Immediate;
        masked |= i.opcode == Opcode::Bfi && is_register(o[2], value);
        if (i.opcode == Opcode::St && o[0].kind == OperandKind::Memory && o[0].index == address.index &&
            o[0].offset() == address.offset())
            return masked;
    }
    return false;
}

std::vector<bool> find_bit_fields(const ptx::Function& function) {
    std::vector<std::uint32_t> mentions(function.registers.size());
    for (const Operand& o : function.operands)
        if (o.kind == OperandKind::Register) ++mentions[o.index];
    std::vector<bool> found(function.instructions.size());
    for (std::size_t n = 0; n < found.size(); ++n) {
        const ptx::Instruction& i = function.instructions[n];
        if (i.opcode != Opcode::Ld) continue;
        const auto o = function.operands_of(i);
        const bool used_once = o[0].kind == OperandKind::Register && mentions[o[0].index] == 2;
        found[n] = used_once && o[1].kind == OperandKind::Memory && sets_bit_field(function, n, o[0].index);
    }
    return found;
}

}  // namespace

HarmlessReads find_harmless_reads(const ptx::Function& function, std::span<const std::uint32_t> definitions) {
    return {find_fixed_addresses(function, definitions), find_bit_fields(function)};
}

}  // namespace cpu::exec
