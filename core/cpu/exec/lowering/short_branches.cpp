// Branches around a few instructions that only compute values: these run in every lane, and each lane then selects the
// old or the new value. The lanes stay converged, so affine code can continue.
#include <algorithm>

#include "exec/lowering/function_builder.hpp"

namespace cpu::exec {

using ptx::Opcode;
using ptx::OperandKind;

namespace {

constexpr std::uint32_t max_instructions = 6;

bool is_cheap(Opcode opcode) {
    switch (opcode) {
        case Opcode::Div:
        case Opcode::Rem:
        case Opcode::Sqrt:
        case Opcode::Rsqrt:
        case Opcode::Rcp:
        case Opcode::Sin:
        case Opcode::Cos:
        case Opcode::Tanh:
        case Opcode::Ex2:
        case Opcode::Lg2:
            return false;
        default:
            return true;
    }
}

/// True if it changes one register of up to 64 bits and nothing else.
bool computes_one_value(const ptx::Function& function, const ptx::Instruction& i) {
    if (ptx::family(i.opcode) != ptx::Family::Value || i.guard != ptx::none || i.paired || !is_cheap(i.opcode))
        return false;
    if (i.opcode == Opcode::Addc || i.opcode == Opcode::Subc || i.opcode == Opcode::Madc ||
        i.modifiers.has(ptx::Flag::Cc))
        return false;
    const ptx::Operand& d = function.operands_of(i)[0];
    return d.kind == OperandKind::Register && d.type != ptx::Type::Pred && ptx::bits(d.type) <= 64;
}

}  // namespace

/// How many instructions the branch skips, if they can run in every lane instead; 0: the branch stays.
std::uint32_t FunctionBuilder::short_branch(std::uint32_t index) const {
    const ptx::Instruction& branch = function_.instructions[index];
    if (branch.opcode != Opcode::Bra || branch.guard == ptx::none) return 0;
    const std::uint32_t target = function_.labels[function_.operands_of(branch)[0].index].target;
    if (target <= index + 1 || target - index - 1 > max_instructions) return 0;
    for (std::uint32_t n = index + 1; n < target; ++n)
        if (jumps_to_[n] || !computes_one_value(function_, function_.instructions[n])) return 0;
    return target - index - 1;
}

void FunctionBuilder::lower_short_branch(std::uint32_t index, std::uint32_t count) {
    current_ = &function_.instructions[index];
    const bool negated = current_->guard_negated;
    const Value condition = guard();
    if (jumps_to_[index + 1 + count] == 1) reconvergence_points_[index + 1 + count] = false;
    const std::size_t first = nodes.size();
    for (std::uint32_t n = index + 1; n <= index + count; ++n) {
        node_of_[n] = static_cast<std::uint32_t>(nodes.size());
        lower_instruction(n);
    }
    std::vector<std::pair<Value, Value>> changed;  // registers of the text, and the values that hold their new contents
    const auto renamed = [&](Value value) {
        const auto at = std::ranges::find(changed, value, &std::pair<Value, Value>::first);
        return at == changed.end() ? value : at->second;
    };
    const auto is_named = [&](Value value) { return !(value & 1) && value / 2 < function_.registers.size(); };
    for (std::size_t n = first; n < nodes.size(); ++n) {
        for (std::size_t k = 0; k < std::size(nodes[n].insn.op); ++k)
            if (nodes[n].uses >> k & 1) nodes[n].insn.op[k] = renamed(nodes[n].insn.op[k]);
        for (std::size_t k = 0; k < std::size(nodes[n].insn.op); ++k) {
            Value& d = nodes[n].insn.op[k];
            if (!(nodes[n].defs >> k & 1) || !is_named(d)) continue;
            if (renamed(d) == d) changed.emplace_back(d, new_register(width_of(d)));
            d = renamed(d);
        }
    }
    for (const auto& [old, now] : changed)
        emit(width_of(old) == 8 ? OpName("selp.b64") : OpName("selp.b32"), {old},
             {negated ? now : old, negated ? old : now, condition});
}

}  // namespace cpu::exec
