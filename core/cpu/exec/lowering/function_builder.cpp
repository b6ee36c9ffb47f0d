#include "exec/lowering/function_builder.hpp"

#include <algorithm>

#include "exec/checks/checks.hpp"

namespace cpu::exec {

namespace {

bool delays(const Node& node) {
    return node.row && std::string_view(node.row->name).starts_with("red.");
}

/// True if no other thread can observe, by this instruction, when delayed additions are applied. False if it reads what
/// other threads write, or publishes something. A row without a list of operands may access memory, so it counts as
/// false unless its access is known.
bool leaves_sums_delayed(const Node& node) {
    const Access& access = node.access;
    switch (node.insn.control) {
        case Control::ClusterArrive:
        case Control::ClusterWait:
        case Control::Wait:
        case Control::Call:
        case Control::CallIndirect:
            return false;
        case Control::Next:
            if (!node.row || access.fences) return false;
            if (access.any())
                return access.order == Access::Order::Weak || node.insn.window != Window::Generic || delays(node);
            return node.row->operands[0] != '?';
        default:
            return true;
    }
}

}  // namespace

using ptx::Family;
using ptx::Opcode;
using ptx::OperandKind;

Value Unit::constant(const LaunchConstant& wanted) {
    std::vector<std::uint32_t>& alike = constants_of_bits[wanted.bits];
    for (std::uint32_t n : alike)
        if (kernel.constants[n].same(wanted)) return 2 * n + 1;
    alike.push_back(static_cast<std::uint32_t>(kernel.constants.size()));
    kernel.constants.push_back(wanted);
    kernel.constants.back().offset = kernel.constant_bytes + affine_bytes;
    kernel.constant_bytes += affine_bytes + std::max(64u, wanted.width * warp_size);
    return static_cast<Value>(2 * (kernel.constants.size() - 1) + 1);
}

Value Unit::immediate(std::uint64_t bits, std::uint8_t width) {
    const std::uint64_t kept = width == 8 ? bits : width == 4 ? bits & 0xffffffffu : (bits & 1 ? 0xffffffffu : 0);
    return constant({LaunchConstant::Kind::Immediate, width, width, false, kept, 0});
}

FunctionBuilder::FunctionBuilder(Unit& unit, ptx::FunctionId id)
    : unit_(unit), id_(id), function_(unit.program.functions[id]) {
    for (const ptx::Register& r : function_.registers) {
        VirtualRegister v;
        v.width = width_of_type(r.type);
        registers_.push_back(v);
    }
    aliases_.resize(registers_.size());
    definitions_.assign(registers_.size(), 0);
    used_.assign(registers_.size(), false);
    scan();
    if (enabled_checks().init) harmless_ = find_harmless_reads(function_, definitions_);
    layout_frame();
}

void FunctionBuilder::unsupported(std::string_view what) const {
    const std::string name(ptx::name(current_->opcode));
    throw LoadError(CUDA_ERROR_NO_BINARY_FOR_GPU, static_cast<int>(current_->line),
                    "line " + std::to_string(current_->line) + ": the CPU device does not execute " +
                        std::string(what) +
                        (what.find(name) == std::string_view::npos ? " (instruction " + name + ")" : ""));
}

bool FunctionBuilder::is_control(const ptx::Instruction& i) const {
    const Family family = ptx::family(i.opcode);
    return family == Family::Control || family == Family::Exchange || family == Family::Matrix ||
           family == Family::Call;
}

/// Finds branch targets and how often each register is written.
void FunctionBuilder::scan() {
    std::uint32_t at = 0;
    const auto define_register = [&](const ptx::Operand& o) {
        if (o.kind != OperandKind::Register) return;
        ++definitions_[o.index];
        registers_[o.index].definition = at;
    };
    const auto define = [&](const ptx::Operand& o) {
        define_register(o);
        if (o.kind == OperandKind::Vector)
            for (const ptx::Operand& e : function_.elements_of(o)) define_register(e);
    };
    reconvergence_points_.assign(function_.instructions.size() + 1, false);
    jumps_to_.assign(function_.instructions.size() + 1, 0);
    const auto jump_to = [&](std::uint32_t label) {
        reconvergence_points_[function_.labels[label].target] = true;
        ++jumps_to_[function_.labels[label].target];
    };
    for (std::size_t n = 0; n < function_.instructions.size(); ++n) {
        const ptx::Instruction& i = function_.instructions[n];
        const auto operands = function_.operands_of(i);
        at = static_cast<std::uint32_t>(n);
        if (!operands.empty()) define(operands[0]);
        if (operands.size() > 1 && i.paired) define(operands[1]);
        if (i.guard != ptx::none && is_control(i)) reconvergence_points_[n + 1] = true;
        for (const ptx::Operand& o : operands) {
            if (o.kind == OperandKind::Label) jump_to(o.index);
            if (o.kind == OperandKind::BranchTable)
                for (std::uint32_t label : function_.branch_tables[o.index].labels) jump_to(label);
            if (o.kind == OperandKind::Call) {
                const ptx::Call& call = function_.calls[o.index];
                for (const ptx::Operand& r : call.results) define(r);
                reconvergence_points_[n + 1] = true;
            }
        }
    }
    for (ptx::RegisterId r : function_.register_parameters) ++definitions_[r];
    // A return reads them, whichever value was written last, so they never alias another value.
    for (ptx::RegisterId r : function_.register_results) definitions_[r] += 2;
    count_mentions();
    waits_before_.assign(1, 0);
    for (const ptx::Instruction& i : function_.instructions)
        waits_before_.push_back(waits_before_.back() + waits_for_others(i));
    find_runs();
}

void FunctionBuilder::count_mentions() {
    mentions_.assign(registers_.size(), 0);
    const auto mention = [&](const ptx::Operand& o) {
        if (o.kind == OperandKind::Register || o.kind == OperandKind::Memory) ++mentions_[o.index];
    };
    for (const ptx::Operand& o : function_.operands) mention(o);
    for (const ptx::Operand& o : function_.elements) mention(o);
    for (const ptx::Instruction& i : function_.instructions)
        if (i.guard != ptx::none) ++mentions_[i.guard];
    for (const ptx::Call& call : function_.calls) {
        mention(call.callee);
        for (const ptx::Operand& o : call.results) mention(o);
        for (const ptx::Operand& o : call.arguments) mention(o);
    }
    for (ptx::RegisterId r : function_.register_results) ++mentions_[r];
}

bool FunctionBuilder::is_unread(const ptx::Operand& destination) const {
    return destination.kind == OperandKind::Sink ||
           (destination.kind == OperandKind::Register && mentions_[destination.index] == 1);
}

void FunctionBuilder::lower_unguarded(std::uint32_t index) {
    switch (ptx::family(current_->opcode)) {
        case Family::Value:
            return lower_value(*this);
        case Family::Video:
            return lower_video(*this);
        case Family::Memory:
            return lower_memory(*this);
        case Family::Texture:
            return lower_texture(*this);
        case Family::Control:
            return lower_control(*this, index);
        case Family::Exchange:
            return lower_exchange(*this);
        case Family::Matrix:
            return lower_matrix(*this);
        case Family::Call:
            return lower_call(*this, unit_);
    }
}

Value FunctionBuilder::guard() {
    ptx::Operand predicate;
    predicate.kind = OperandKind::Register;
    predicate.type = ptx::Type::Pred;
    predicate.index = current_->guard;
    return source(predicate);
}

void FunctionBuilder::lower_instruction(std::uint32_t index) {
    current_ = &function_.instructions[index];
    const bool guarded = current_->guard != ptx::none;
    if (!guarded || current_->opcode == Opcode::Bra) return lower_unguarded(index);
    const Value condition = guard();
    if (is_control(*current_)) {
        Node& skip = emit_control(Control::BranchIf);
        skip.add(0, condition, &Node::uses);
        skip.insn.negated = !current_->guard_negated;
        skip.label = index + 1;
        emit_control(Control::ReconvergencePoint);
        return lower_unguarded(index);
    }
    Value narrowed = condition;
    if (current_->guard_negated) {
        narrowed = new_register(1);
        emit("not.pred", {narrowed}, {condition, condition});
    }
    Node& begin = emit_control(Control::Guard);
    begin.add(0, narrowed, &Node::uses);
    const std::size_t begin_index = nodes.size() - 1;
    guarded_ = true;
    lower_unguarded(index);
    guarded_ = false;
    emit_control(Control::Unguard);
    nodes[begin_index].insn.target_pc = static_cast<std::uint32_t>(nodes.size());
}

/// A loop can only wait on another thread by reading memory. These instructions may do so, or suggest it (nanosleep).
bool FunctionBuilder::waits_for_others(const ptx::Instruction& i) const {
    using ptx::Semantics;
    const Semantics s = i.modifiers.semantics;
    const bool strong =
        s == Semantics::Volatile || s == Semantics::Relaxed || s == Semantics::Acquire || s == Semantics::Sc;
    return (i.opcode == Opcode::Atom && !is_unread(function_.operands_of(i)[0])) || i.opcode == Opcode::Call ||
           i.opcode == Opcode::Nanosleep || (i.opcode == Opcode::Ld && strong);
}

bool FunctionBuilder::may_spin(std::uint32_t target, std::uint32_t branch) const {
    return waits_before_[branch + 1] != waits_before_[target];
}

std::uint32_t FunctionBuilder::build(std::uint32_t register_base) {
    node_of_.resize(function_.instructions.size() + 1);
    load_register_parameters();
    for (std::uint32_t n = 0; n <= function_.instructions.size(); ++n) {
        node_of_[n] = static_cast<std::uint32_t>(nodes.size());
        if (reconvergence_points_[n]) emit_control(Control::ReconvergencePoint);
        if (n == function_.instructions.size()) break;
        if (const std::uint32_t count = short_branch(n)) {
            lower_short_branch(n, count);
            n += count;
        } else {
            lower_instruction(n);
        }
    }
    emit_return();  // an implicit `ret` at the end
    const std::size_t first_target = resolve_labels();
    const std::uint32_t end = allocate(register_base);
    save_around_calls();
    unit_.delays |= std::ranges::any_of(nodes, delays);
    unit_.may_delay &= std::ranges::all_of(nodes, leaves_sums_delayed);
    append(first_target);
    return end;
}

void FunctionBuilder::branch_table(const ptx::BranchTable& table, Node& node) {
    std::vector<std::uint32_t>& targets = unit_.kernel.branch_targets;
    if (table.labels.size() > 0xffff)
        unsupported("brx.idx with more than 65535 labels");  // the limit of Insn::table_size
    node.insn.branch_table = static_cast<std::uint32_t>(targets.size());
    node.insn.table_size = static_cast<std::uint16_t>(table.labels.size());
    for (std::uint32_t label : table.labels) targets.push_back(function_.labels[label].target);
    table_entries_ += table.labels.size();
}

/// Resolves labels from PTX instructions to nodes; returns where this function's entries in branch_targets start.
std::size_t FunctionBuilder::resolve_labels() {
    for (Node& node : nodes)
        if (node.label >= 0) node.insn.target_pc = node_of_[static_cast<std::size_t>(node.label)];
    std::vector<std::uint32_t>& targets = unit_.kernel.branch_targets;
    const std::size_t first = targets.size() - table_entries_;
    for (std::size_t n = first; n < targets.size(); ++n) targets[n] = node_of_[targets[n]];
    return first;
}

}  // namespace cpu::exec
