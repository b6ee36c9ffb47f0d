// mbarrier objects.
#include "exec/lowering/function_builder.hpp"
#include "exec/mbarrier.hpp"

namespace cpu::exec {

using ptx::Opcode;
using ptx::OperandKind;

namespace {

bool releases_by_default(const ptx::Instruction& i) {
    return i.modifiers.semantics != ptx::Semantics::Relaxed;  // .release is the default
}

/// The common part of all of them: the object is operand `address` of the instruction.
Node& mbarrier(FunctionBuilder& b, MbarrierOp op, std::size_t address, const Access& access) {
    const Value object = b.generic_address(b.operands()[address], b.instruction().modifiers.space);
    Node& node = b.emit("mbarrier", {}, {});
    node.insn.mode = static_cast<std::uint16_t>(op);
    node.insn.access_bytes = 8;
    node.add(1, object, &Node::uses);
    node.access = access;
    node.access.order = Access::Order::Strong;
    return node;
}

/// [object], number
void lower_count(FunctionBuilder& b, MbarrierOp op) {
    const Value count = b.source(b.operands()[1], 4);
    mbarrier(b, op, 0, {.reads = op != MbarrierOp::Init, .writes = true}).add(2, count, &Node::uses);
}

/// state, [object]{, number}: the number of arrivals; if it `expects`, the number of bytes, with a single arrival.
void lower_arrival(FunctionBuilder& b, MbarrierOp op, bool expects) {
    const auto o = b.operands();
    const Value one = b.immediate(1, 4), number = o.size() > 2 ? b.source(o[2], 4) : one;
    const Value state = o[0].kind == OperandKind::Sink ? no_operand : b.destination(o[0]);
    Node& node = mbarrier(b, op, 1, {.reads = true, .writes = true, .releases = releases_by_default(b.instruction())});
    node.add(2, expects ? one : number, &Node::uses);
    if (expects) node.add(3, number, &Node::uses);
    if (state == no_operand) return;
    node.add(0, state, &Node::defs);
}

/// Earlier copies are already done, so the arrival happens immediately. Without .noinc, the phase waits for one more
/// arrival, which cancels out.
void lower_arrival_of_copies(FunctionBuilder& b) {
    if (b.instruction().opcode == Opcode::CpAsyncMbarrierArrive) return;
    mbarrier(b, MbarrierOp::Arrive, 0, {.reads = true, .writes = true, .releases = true})
        .add(2, b.immediate(1, 4), &Node::uses);
}

/// complete, [object], state or parity{, time}: the time limit is only a hint, which is ignored.
void lower_wait(FunctionBuilder& b, MbarrierOp op) {
    const auto o = b.operands();
    const Value phase = b.source(o[2], op == MbarrierOp::Test ? 8 : 4);
    const Value complete = b.destination(o[0]);
    Node& node = mbarrier(b, op, 1, {.reads = true});
    node.add(2, phase, &Node::uses);
    node.insn.control = Control::Wait;
    node.add(0, complete, &Node::defs);
}

}  // namespace

void complete_at_mbarrier(FunctionBuilder& b, std::size_t address, std::uint32_t bytes) {
    mbarrier(b, MbarrierOp::Complete, address, {.reads = true, .writes = true, .releases = true})
        .add(2, b.immediate(bytes, 4), &Node::uses);
}

void lower_mbarrier(FunctionBuilder& b) {
    switch (b.instruction().opcode) {
        case Opcode::MbarrierInit:
            return lower_count(b, MbarrierOp::Init);
        case Opcode::MbarrierInval:
            mbarrier(b, MbarrierOp::Invalidate, 0, {.writes = true});
            return;
        case Opcode::MbarrierExpectTx:
            return lower_count(b, MbarrierOp::Expect);
        case Opcode::MbarrierCompleteTx:
            return lower_count(b, MbarrierOp::Complete);
        case Opcode::MbarrierArrive:
        case Opcode::MbarrierArriveExpectTx:
            return lower_arrival(b, MbarrierOp::Arrive, b.instruction().opcode == Opcode::MbarrierArriveExpectTx);
        case Opcode::MbarrierArriveNoComplete:
            return lower_arrival(b, MbarrierOp::ArriveNoComplete, false);
        case Opcode::MbarrierDrop:
        case Opcode::MbarrierDropExpectTx:
            return lower_arrival(b, MbarrierOp::Drop, b.instruction().opcode == Opcode::MbarrierDropExpectTx);
        case Opcode::MbarrierDropNoComplete:
            return lower_arrival(b, MbarrierOp::DropNoComplete, false);
        case Opcode::MbarrierTestWait:
        case Opcode::MbarrierTryWait:
            return lower_wait(b, MbarrierOp::Test);
        case Opcode::MbarrierTestWaitParity:
        case Opcode::MbarrierTryWaitParity:
            return lower_wait(b, MbarrierOp::TestParity);
        case Opcode::MbarrierPendingCount: {
            const auto o = b.operands();
            const Value low = b.new_register(4);
            b.emit("cvt.u32.u64", {low}, {b.source(o[1], 8)});
            b.emit("and.b32", {b.destination(o[0])}, {low, b.immediate(mbarrier_pending_mask, 4)});
            return;
        }
        default:
            return lower_arrival_of_copies(b);
    }
}

}  // namespace cpu::exec
