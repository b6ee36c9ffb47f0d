// Copies of registers: decides whether the copy can be an alias.
#include "exec/lowering/function_builder.hpp"

namespace cpu::exec {

using ptx::OperandKind;

/// Number the runs of instructions without jump targets inside, and find the ones in loops.
void FunctionBuilder::find_runs() {
    const std::size_t count = function_.instructions.size();
    run_of_.resize(count);
    in_loop_.assign(count, false);
    std::vector<int> open(count + 1);  // loops that start here, minus those that have ended
    const auto jump = [&](std::size_t from, std::uint32_t label) {
        const std::size_t target = function_.labels[label].target;
        if (target > from) return;
        ++open[target];
        --open[from + 1];
    };
    std::uint32_t run = 0;
    for (std::size_t n = 0; n < count; ++n) {
        run_of_[n] = reconvergence_points_[n] ? ++run : run;
        for (const ptx::Operand& o : function_.operands_of(function_.instructions[n])) {
            if (o.kind == OperandKind::Label) jump(n, o.index);
            if (o.kind == OperandKind::BranchTable)
                for (const std::uint32_t label : function_.branch_tables[o.index].labels) jump(n, label);
        }
    }
    int depth = 0;
    for (std::size_t n = 0; n < count; ++n) in_loop_[n] = (depth += open[n]) > 0;
}

/// True if a copy made by this instruction always equals the register: the register is written once, or each
/// write is followed by this instruction.
bool FunctionBuilder::equals_copy(Value value) const {
    if (value & 1) return true;
    const FixedRegisters& f = unit_.kernel.fixed;
    const VirtualRegister& from = registers_[value / 2];
    if (from.fixed != no_operand) return from.fixed != f.frame && from.fixed != f.top;
    if (value / 2 < definitions_.size() && definitions_[value / 2] != 1) return false;
    if (from.definition == ptx::none || !in_loop_[from.definition]) return true;
    return from.definition <= current_index() && run_of_[from.definition] == run_of_[current_index()];
}

void FunctionBuilder::move(const ptx::Operand& d, Value value) {
    if (d.kind == OperandKind::Sink) return;
    const std::uint32_t r = d.index;
    const std::uint8_t width = width_of(value);
    if (definitions_[r] == 1 && !guarded_ && !used_[r] && registers_[r].width == width && equals_copy(value)) {
        aliases_[r] = value;
        return;
    }
    // A parameter that is read into a wider register is loaded in that width.
    const Value to = registers_[r].width == width ? 2 * r : destination(d);
    if (width == 1)
        emit("mov.pred", {to}, {value, value});
    else
        emit(move_of(width), {to}, {value});
    finish_destinations();
}

}  // namespace cpu::exec
