// Branches, barriers and instructions between the lanes of a warp.
#include "exec/lowering/function_builder.hpp"

namespace cpu::exec {

using ptx::Opcode;
using ptx::OperandKind;

namespace {

void lower_branch(FunctionBuilder& b, std::uint32_t index) {
    const ptx::Instruction& i = b.instruction();
    const std::uint32_t target = b.function().labels[b.operands()[0].index].target;
    const bool backward = target <= index;
    const bool spin = backward && b.may_spin(target, index);
    Value condition = no_operand;
    if (i.guard != ptx::none) condition = b.guard();
    Node& node = b.emit_control(condition == no_operand ? Control::Branch : Control::BranchIf);
    node.label = target;
    node.insn.may_spin = spin;
    node.insn.backward = backward;
    if (condition != no_operand) {
        node.add(0, condition, &Node::uses);
        node.insn.negated = i.guard_negated;
    }
}

void lower_barrier(FunctionBuilder& b) {
    const ptx::Instruction& i = b.instruction();
    const auto o = b.operands();
    const bool reduces = i.opcode == Opcode::BarRed;
    std::size_t next = reduces ? 1 : 0;
    const bool predicate = reduces;
    const std::size_t inputs = o.size() - next - (predicate ? 1 : 0);
    const Value id = inputs > 0 ? b.source(o[next], 4) : b.immediate(0, 4);
    const Value count = inputs > 1 ? b.source(o[next + 1], 4) : no_operand;
    const Value p = predicate ? b.source(o[o.size() - 1], 1) : no_operand;
    const Value d = reduces ? b.destination(o[0]) : no_operand;
    Node& node = b.emit_control(i.opcode == Opcode::BarArrive ? Control::Arrive : Control::Barrier);
    node.add(0, id, &Node::uses);
    if (count != no_operand) node.add(1, count, &Node::uses);
    if (p != no_operand) node.add(2, p, &Node::uses);
    if (reduces) {
        node.add(3, d, &Node::defs);
        node.insn.reduction = static_cast<std::uint16_t>(i.modifiers.operation);
    }
}

}  // namespace

void lower_control(FunctionBuilder& b, std::uint32_t index) {
    switch (b.instruction().opcode) {
        case Opcode::Bra:
            return lower_branch(b, index);
        case Opcode::BrxIdx: {
            const auto o = b.operands();
            const Value n = b.source(o[0], 4);
            Node& node = b.emit_control(Control::BranchIndexed);
            node.add(0, n, &Node::uses);
            return b.branch_table(b.function().branch_tables[o[1].index], node);
        }
        case Opcode::Ret:
            return b.emit_return();
        case Opcode::Exit:
            b.emit_control(Control::Exit);
            return;
        case Opcode::Trap:
            b.emit_control(Control::Trap);
            return;
        case Opcode::Brkpt:
            return;
        case Opcode::BarSync:
        case Opcode::BarArrive:
        case Opcode::BarRed:
            return lower_barrier(b);
        case Opcode::BarrierClusterArrive:
        case Opcode::BarrierClusterWait:
            return lower_cluster(b);
        default:
            return lower_mbarrier(b);
    }
}

namespace {

/// Without .sync, as in PTX for older targets, the members are the active lanes.
Node& exchange(FunctionBuilder& b, OpName name, const ptx::Operand* members) {
    const Value mask = members ? b.source(*members, 4) : b.new_register(4);
    if (!members) b.emit("activemask.b32", {mask}, {});
    Node& node = b.emit(name, {}, {});
    node.insn.control = Control::Sync;
    node.add(5, mask, &Node::uses);
    return node;
}

void lower_shuffle(FunctionBuilder& b) {
    static constexpr OpName names[] = {"shfl.up.b32", "shfl.up.b32", "shfl.down.b32", "shfl.bfly.b32", "shfl.idx.b32"};
    const ptx::Instruction& i = b.instruction();
    const auto o = b.operands();
    const std::size_t first = i.paired ? 2 : 1;
    const Value a = b.source(o[first], 4), lane = b.source(o[first + 1], 4), c = b.source(o[first + 2], 4);
    const Value d = b.destination(o[0]);
    const Value p = i.paired && o[1].kind != OperandKind::Sink ? b.destination(o[1]) : no_operand;
    Node& node =
        exchange(b, names[static_cast<int>(i.modifiers.shuffle)], i.opcode == Opcode::Shfl ? nullptr : &o[first + 3]);
    node.add(0, d, &Node::defs);
    if (p != no_operand) node.add(1, p, &Node::defs);
    node.add(2, a, &Node::uses);
    node.add(3, lane, &Node::uses);
    node.add(4, c, &Node::uses);
}

void lower_vote(FunctionBuilder& b) {
    static constexpr OpName names[] = {"vote.all.pred", "vote.all.pred", "vote.any.pred", "vote.uni.pred",
                                       "vote.ballot.b32"};
    const ptx::Instruction& i = b.instruction();
    const auto o = b.operands();
    const Value a = b.source(o[1], 1), d = b.destination(o[0]);
    Node& node = exchange(b, names[static_cast<int>(i.modifiers.vote)], i.opcode == Opcode::Vote ? nullptr : &o[2]);
    node.add(0, d, &Node::defs);
    node.add(2, a, &Node::uses);
}

void lower_match(FunctionBuilder& b) {
    const ptx::Instruction& i = b.instruction();
    const auto o = b.operands();
    const std::size_t first = i.paired ? 2 : 1;
    const Value a = b.source(o[first]), d = b.destination(o[0]);
    const Value p = i.paired && o[1].kind != OperandKind::Sink ? b.destination(o[1]) : no_operand;
    const OpPart which = i.opcode == Opcode::MatchAny ? OpPart("match.any") : OpPart("match.all");
    Node& node = exchange(b, b.op({which, bits_part(i.types[0])}), &o[first + 1]);
    node.add(0, d, &Node::defs);
    if (p != no_operand) node.add(1, p, &Node::defs);
    node.add(2, a, &Node::uses);
}

void lower_redux(FunctionBuilder& b) {
    const ptx::Instruction& i = b.instruction();
    const auto o = b.operands();
    const Value a = b.source(o[1], 4), d = b.destination(o[0]);
    const OpName name = b.op({"redux", part(i.modifiers.operation), part(i.types[0])});
    Node& node = exchange(b, name, &o[2]);
    node.add(0, d, &Node::defs);
    node.add(2, a, &Node::uses);
}

void lower_elect(FunctionBuilder& b) {
    const auto o = b.operands();
    const Value d = o[0].kind == OperandKind::Sink ? no_operand : b.destination(o[0]);
    const Value p = b.instruction().paired && o[1].kind != OperandKind::Sink ? b.destination(o[1]) : no_operand;
    Node& node = exchange(b, "elect.sync", &o[b.instruction().paired ? 2 : 1]);
    if (d != no_operand) node.add(0, d, &Node::defs);
    if (p != no_operand) node.add(1, p, &Node::defs);
}

}  // namespace

void lower_exchange(FunctionBuilder& b) {
    const auto o = b.operands();
    switch (b.instruction().opcode) {
        case Opcode::BarWarpSync:
            exchange(b, "bar.warp.sync", &o[0]);
            return;
        case Opcode::Shfl:
        case Opcode::ShflSync:
            return lower_shuffle(b);
        case Opcode::Vote:
        case Opcode::VoteSync:
            return lower_vote(b);
        case Opcode::MatchAny:
        case Opcode::MatchAll:
            return lower_match(b);
        case Opcode::ReduxSync:
            return lower_redux(b);
        case Opcode::ElectSync:
            return lower_elect(b);
        default:
            b.emit("activemask.b32", {b.destination(o[0])}, {});
            return;
    }
}

}  // namespace cpu::exec
