#include "exec/function_builder.hpp"

#include <algorithm>

namespace cpu::exec {

using ptx::Opcode;
using ptx::OperandKind;

namespace {

std::uint8_t width_of_type(ptx::Type type) {
    if (type == ptx::Type::Pred) return 1;
    return ptx::bits(type) <= 32 ? 4 : static_cast<std::uint8_t>(ptx::bits(type) / 8);
}

std::uint32_t align_up(std::uint32_t value, std::uint32_t alignment) {
    return (value + alignment - 1) / alignment * alignment;
}

bool waits_for_others(const ptx::Instruction& i) {
    using ptx::Semantics;
    const Semantics s = i.modifiers.semantics;
    const bool strong = s == Semantics::Volatile || s == Semantics::Relaxed || s == Semantics::Acquire ||
                        s == Semantics::Mmio || s == Semantics::Sc;
    return i.opcode == Opcode::Atom || i.opcode == Opcode::Call || i.opcode == Opcode::Nanosleep ||
           (i.opcode == Opcode::Ld && strong);
}

}  // namespace

Value Unit::constant(const Constant& wanted) {
    for (std::uint32_t n = 0; n < kernel.constants.size(); ++n)
        if (kernel.constants[n].same(wanted)) return 2 * n + 1;
    kernel.constants.push_back(wanted);
    kernel.constants.back().offset = kernel.constant_bytes;
    kernel.constant_bytes += std::max(64u, wanted.width * warp_size);
    return static_cast<Value>(2 * (kernel.constants.size() - 1) + 1);
}

Value Unit::immediate(std::uint64_t bits, std::uint8_t width) {
    const std::uint64_t kept = width == 8 ? bits : width == 4 ? bits & 0xffffffffu : (bits & 1 ? 0xffffffffu : 0);
    return constant({Constant::Kind::Immediate, width, width, false, kept, 0});
}

FunctionBuilder::FunctionBuilder(Unit& unit, ptx::FunctionId id)
    : unit_(unit), id_(id), function_(unit.module.functions[id]) {
    for (const ptx::Register& r : function_.registers) {
        VirtualRegister v;
        v.width = width_of_type(r.type);
        registers_.push_back(v);
    }
    aliases_.resize(registers_.size());
    definitions_.assign(registers_.size(), 0);
    used_.assign(registers_.size(), false);
    scan();
    layout_frame();
}

void FunctionBuilder::unsupported(std::string_view what) const {
    const std::string name(ptx::name(current_->opcode));
    throw LoadError(CUDA_ERROR_NO_BINARY_FOR_GPU, static_cast<int>(current_->line),
                    "line " + std::to_string(current_->line) + ": the CPU device does not execute " + std::string(what) +
                        (what.find(name) == std::string_view::npos ? " (instruction " + name + ")" : ""));
}

bool FunctionBuilder::is_control(const ptx::Instruction& i) const {
    switch (i.opcode) {
    case Opcode::Bra: case Opcode::BrxIdx: case Opcode::Call: case Opcode::Ret: case Opcode::Exit: case Opcode::Trap:
    case Opcode::BarSync: case Opcode::BarArrive: case Opcode::BarRed: case Opcode::BarWarpSync: case Opcode::ShflSync:
    case Opcode::Shfl: case Opcode::Vote: case Opcode::VoteSync: case Opcode::MatchAny: case Opcode::MatchAll:
    case Opcode::ReduxSync: case Opcode::ElectSync:
        return true;
    default:
        return false;
    }
}

/// Finds branch targets and how often each register is written.
void FunctionBuilder::scan() {
    const auto define = [&](const ptx::Operand& o) {
        if (o.kind == OperandKind::Register) ++definitions_[o.index];
        if (o.kind == OperandKind::Vector)
            for (const ptx::Operand& e : function_.elements_of(o))
                if (e.kind == OperandKind::Register) ++definitions_[e.index];
    };
    leaders_.assign(function_.instructions.size() + 1, false);
    for (std::size_t n = 0; n < function_.instructions.size(); ++n) {
        const ptx::Instruction& i = function_.instructions[n];
        const auto operands = function_.operands_of(i);
        if (!operands.empty()) define(operands[0]);
        if (operands.size() > 1 && i.paired) define(operands[1]);
        if (i.guard != ptx::none && is_control(i)) leaders_[n + 1] = true;
        for (const ptx::Operand& o : operands) {
            if (o.kind == OperandKind::Label) leaders_[function_.labels[o.index].target] = true;
            if (o.kind == OperandKind::BranchTable)
                for (std::uint32_t label : function_.branch_tables[o.index].labels)
                    leaders_[function_.labels[label].target] = true;
            if (o.kind == OperandKind::Call) {
                const ptx::Call& call = function_.calls[o.index];
                for (const ptx::Operand& r : call.results) define(r);
                leaders_[n + 1] = true;
            }
        }
    }
    for (ptx::RegisterId r : function_.register_parameters) ++definitions_[r];
}

/// The frame of a .func: return address, results, parameters, local variables, `.param` variables of its calls. The
/// place of results and parameters follows from their shapes alone, so that an indirect call can fill them.
void FunctionBuilder::layout_frame() {
    std::uint32_t end = is_entry() ? 0 : 16;
    const auto place = [&](ptx::VariableId id) {
        const ptx::Variable& v = module().variables[id];
        if (v.size() > 1u << 24)
            throw LoadError(CUDA_ERROR_INVALID_PTX, static_cast<int>(v.line), "local variable " + v.name + " is too large");
        end = align_up(end, std::max(1u, v.alignment));
        frame_[id] = end;
        end += static_cast<std::uint32_t>(v.size());
    };
    if (!is_entry()) {
        for (ptx::VariableId id : function_.results) place(id);
        for (ptx::VariableId id : function_.parameters) place(id);
    }
    for (ptx::VariableId id : unit_.owned[id_]) {
        const bool parameter = std::ranges::find(function_.parameters, id) != function_.parameters.end();
        if (!frame_.contains(id) && !(is_entry() && parameter)) place(id);
    }
    frame_bytes_ = align_up(end, 32);
}

bool FunctionBuilder::lies_in_frame(ptx::VariableId variable) const { return frame_.contains(variable); }
std::uint32_t FunctionBuilder::frame_offset(ptx::VariableId variable) { return frame_.at(variable); }

Value FunctionBuilder::new_register(std::uint8_t width) {
    VirtualRegister v;
    v.width = width;
    registers_.push_back(v);
    return static_cast<Value>(2 * (registers_.size() - 1));
}

Value FunctionBuilder::fixed(std::uint32_t offset, std::uint8_t width) {
    const auto known = fixed_.find(offset);
    if (known != fixed_.end()) return known->second;
    const Value value = new_register(width);
    registers_.back().fixed = offset;
    fixed_[offset] = value;
    return value;
}

std::uint8_t FunctionBuilder::width_of(Value value) const {
    return value & 1 ? unit_.kernel.constants[value / 2].width : registers_[value / 2].width;
}

Value FunctionBuilder::special(ptx::SpecialRegister reg) {
    using S = ptx::SpecialRegister;
    const FixedRegisters& f = unit_.kernel.fixed;
    const std::uint8_t width = width_of_type(ptx::info(reg).type);
    switch (reg) {
    case S::TidX: return fixed(f.tid[0], 4);
    case S::TidY: return fixed(f.tid[1], 4);
    case S::TidZ: return fixed(f.tid[2], 4);
    case S::CtaidX: case S::ClusteridX: return fixed(f.ctaid[0], 4);
    case S::CtaidY: case S::ClusteridY: return fixed(f.ctaid[1], 4);
    case S::CtaidZ: case S::ClusteridZ: return fixed(f.ctaid[2], 4);
    case S::Warpid: return fixed(f.warpid, 4);
    case S::Clock: case S::ClockHi: case S::Clock64: case S::Globaltimer: case S::GlobaltimerLo: case S::GlobaltimerHi: {
        const char* key = reg == S::Clock ? "clock.b32" : reg == S::ClockHi ? "clock_hi.b32" : reg == S::Clock64 ? "clock.b64"
                        : reg == S::Globaltimer ? "globaltimer.b64" : reg == S::GlobaltimerLo ? "globaltimer.b32"
                        : "globaltimer_hi.b32";
        const Value now = new_register(width);
        emit(key, {now}, {});
        return now;
    }
    default:
        return constant({Constant::Kind::Special, width, width, false, static_cast<std::uint64_t>(reg), 0});
    }
}

Value FunctionBuilder::address_of(const ptx::Operand& operand) {
    if (operand.kind == OperandKind::FunctionAddress) return immediate(function_address(operand.index), 8);
    const ptx::Variable& v = module().variables[operand.index];
    const std::uint8_t width = operand.type == ptx::Type::None ? 8 : width_of_type(operand.type);
    if (lies_in_frame(operand.index)) {
        const std::uint64_t place = frame_offset(operand.index) + operand.bits;
        if (is_entry()) return immediate(place, width);
        const Value sum = new_register(4);
        emit("add.u32", {sum}, {fixed(unit_.kernel.fixed.frame, 4), immediate(place, 4)});
        if (width == 4) return sum;
        const Value wide = new_register(8);
        emit("cvt.u64.u32", {wide}, {sum});
        return wide;
    }
    if (v.space == ptx::Space::Param)
        return constant({Constant::Kind::ParameterAddress, 8, 8, false, v.offset + operand.bits, 0});
    if (v.space == ptx::Space::Local) unsupported("local variables outside functions, as " + v.name);
    return immediate(unit_.addresses[operand.index] + operand.bits, width);
}

Value FunctionBuilder::source(const ptx::Operand& operand, std::uint8_t width) {
    if (width == 0) width = width_of_type(operand.type);
    Value value = 0;
    switch (operand.kind) {
    case OperandKind::Register:
        used_[operand.index] = true;
        value = aliases_[operand.index] ? *aliases_[operand.index] : 2 * operand.index;
        break;
    case OperandKind::Immediate: return immediate(operand.bits, width);
    case OperandKind::Special: value = special(operand.special()); break;
    case OperandKind::Address: case OperandKind::FunctionAddress: value = address_of(operand); break;
    default: unsupported("an operand of this kind");
    }
    if (operand.negated) {
        const Value inverse = new_register(1);
        emit("not.pred", {inverse}, {value, value});
        value = inverse;
    }
    if (width_of(value) == width) return value;
    if (width_of(value) == 16 || width == 16) unsupported("an operand of this width");
    if (width_of(value) == 8 && width == 4) {
        const Value low = new_register(4);
        emit("cvt.u32.u64", {low}, {value});
        return low;
    }
    if (width_of(value) == 4 && width == 8) {
        const Value wide = new_register(8);
        emit(ptx::is_signed(operand.type) ? "cvt.s64.s32" : "cvt.u64.u32", {wide}, {value});
        return wide;
    }
    unsupported("an operand of this width");
}

Value FunctionBuilder::destination(const ptx::Operand& operand) {
    const std::uint8_t width = width_of_type(operand.type);
    if (operand.kind == OperandKind::Sink) return new_register(width);
    if (operand.kind != OperandKind::Register) unsupported("a destination of this kind");
    const Value reg = 2 * operand.index;
    const std::uint8_t have = registers_[operand.index].width;
    if (have == width) return reg;
    if (have != 8 || width != 4) unsupported("a destination of this width");
    const Value narrow = new_register(width);
    extensions_.push_back({narrow, reg, operand.type});
    return narrow;
}

void FunctionBuilder::finish_destinations() {
    const std::vector<Extension> pending = std::exchange(extensions_, {});
    for (const Extension& e : pending) {
        // A narrow signed result was sign-extended to 32 bits by its handler or is so here.
        const std::string_view narrow = ptx::is_signed(e.type) ? ptx::name(e.type) : std::string_view("u32");
        const std::string key = (ptx::is_signed(e.type) ? "cvt.s64." : "cvt.u64.") + std::string(narrow);
        emit(key, {e.to}, {e.from});
    }
}

const Op* FunctionBuilder::require(std::string_view key) const {
    const Op* op = find_op(key);
    if (!op) unsupported(key);
    return op;
}

Node& FunctionBuilder::emit(std::string_view key, std::initializer_list<Value> defs, std::initializer_list<Value> uses) {
    const Op* op = require(key);
    Node node;
    node.insn.run[0] = op->some;
    node.insn.run[1] = op->all;
    int n = 0;
    const auto add = [&](Value value, std::uint8_t& roles) {
        const char wanted = op->operands[0] == '?' || n >= static_cast<int>(std::string_view(op->operands).size())
                                ? 0 : op->operands[n];
        const std::uint8_t width = width_of(value);
        const char have = width == 16 ? 'o' : width == 8 ? 'q' : width == 4 ? 'w' : 'p';
        if (wanted && wanted != have) unsupported(std::string(key) + " with operands of these widths");
        node.insn.op[n] = value;
        roles = static_cast<std::uint8_t>(roles | 1u << n);
        ++n;
    };
    for (Value v : defs) add(v, node.defs);
    for (Value v : uses) add(v, node.uses);
    node.partial = guarded_;
    node.line = {current_->line, current_->location};
    nodes.push_back(node);
    return nodes.back();
}

Node& FunctionBuilder::emit_control(Control control) {
    Node node;
    node.insn.control = control;
    node.partial = guarded_;
    if (current_) node.line = {current_->line, current_->location};
    nodes.push_back(node);
    return nodes.back();
}

void FunctionBuilder::move(const ptx::Operand& d, Value value) {
    if (d.kind == OperandKind::Sink) return;
    const std::uint32_t r = d.index;
    const bool constant_value = value & 1;
    const VirtualRegister* from = constant_value ? nullptr : &registers_[value / 2];
    const FixedRegisters& f = unit_.kernel.fixed;
    const bool steady = constant_value || (from->fixed != no_operand ? from->fixed != f.frame && from->fixed != f.top
                                           : value / 2 >= definitions_.size() || definitions_[value / 2] == 1);
    if (definitions_[r] == 1 && !guarded_ && !used_[r] && steady && registers_[r].width == width_of(value)) {
        aliases_[r] = value;
        return;
    }
    const std::uint8_t width = width_of(value);
    const Value to = destination(d);
    if (width == 1) emit("mov.pred", {to}, {value, value});
    else emit(width == 16 ? "mov.b128" : width == 8 ? "mov.b64" : "mov.b32", {to}, {value});
    finish_destinations();
}

Value FunctionBuilder::carry_flag() {
    if (!carry_) carry_ = new_register(1);
    return *carry_;
}

Value FunctionBuilder::stack_top() {
    unit_.allocates = true;
    return fixed(unit_.kernel.fixed.top, 4);
}

void FunctionBuilder::memory_operand(Node& node, const ptx::Operand& operand, ptx::Space space, std::uint32_t bytes) {
    using ptx::Space;
    Insn& insn = node.insn;
    insn.size = static_cast<std::uint16_t>(bytes);
    const bool shared = space == Space::Shared || space == Space::SharedCta || space == Space::SharedCluster;
    const bool local = space == Space::Local || space == Space::ParamFunc || (space == Space::Param && !is_entry()) ||
                       (operand.kind == OperandKind::MemoryVariable && lies_in_frame(operand.index));
    insn.window = shared ? Window::Shared : local ? Window::Local : Window::Generic;
    node.uses |= 2;
    if (insn.window == Window::Generic) insn.target = unit_.kernel.accesses++;
    if (operand.kind == OperandKind::Memory) {
        used_[operand.index] = true;
        insn.op[1] = aliases_[operand.index] ? *aliases_[operand.index] : 2 * operand.index;
        insn.wide_address = width_of(insn.op[1]) == 8;
        if (operand.offset() != static_cast<std::int32_t>(operand.offset())) unsupported("an offset of more than 32 bits");
        insn.offset = static_cast<std::int32_t>(operand.offset());
        return;
    }
    insn.wide_address = insn.window == Window::Generic;
    if (operand.kind == OperandKind::MemoryVariable && !lies_in_frame(operand.index) &&
        module().variables[operand.index].space == Space::Local)
        unsupported("local variables outside functions, as " + module().variables[operand.index].name);
    if (operand.kind == OperandKind::MemoryVariable && local && lies_in_frame(operand.index)) {
        insn.offset = static_cast<std::int32_t>(frame_offset(operand.index) + operand.bits);
        insn.op[1] = is_entry() ? immediate(0, 4) : fixed(unit_.kernel.fixed.frame, 4);
        return;
    }
    const bool parameter = operand.kind == OperandKind::MemoryVariable &&
                           module().variables[operand.index].space == Space::Param;
    if (parameter) {
        insn.op[1] = constant({Constant::Kind::ParameterAddress, 8, 8, false,
                               module().variables[operand.index].offset + operand.bits, 0});
        return;
    }
    const std::uint64_t base = operand.kind == OperandKind::MemoryVariable ? unit_.addresses[operand.index] : 0;
    insn.op[1] = immediate(base + operand.bits, insn.wide_address ? 8 : 4);
}

void FunctionBuilder::lower_unguarded(std::uint32_t index) {
    switch (current_->opcode) {
    case Opcode::Ld: case Opcode::Ldu: case Opcode::St: case Opcode::Atom: case Opcode::Red: case Opcode::Cvta:
    case Opcode::Isspacep: case Opcode::CpAsync: case Opcode::CpAsyncCommitGroup: case Opcode::CpAsyncWaitGroup:
    case Opcode::CpAsyncWaitAll: case Opcode::Membar: case Opcode::Fence: case Opcode::Prefetch: case Opcode::Prefetchu:
    case Opcode::Discard: case Opcode::Applypriority: case Opcode::Alloca: case Opcode::Stacksave:
    case Opcode::Stackrestore: case Opcode::Nanosleep: case Opcode::Pmevent: case Opcode::GriddepcontrolLaunch:
    case Opcode::GriddepcontrolWait:
        return lower_memory(*this);
    case Opcode::Call:
        return lower_call(*this, unit_);
    case Opcode::Tex: case Opcode::Tld4: case Opcode::Txq: case Opcode::Istypep: case Opcode::SuldB: case Opcode::SustB:
    case Opcode::SustP: case Opcode::SuredB: case Opcode::SuredP: case Opcode::Suq:
        unsupported(std::string(ptx::name(current_->opcode)) + ": textures and surfaces");
    case Opcode::CreatePolicyFractional: case Opcode::CreatePolicyRange: case Opcode::CreatePolicyCvt:
        return move(operands()[0], immediate(0, 8));  // a hint; what takes a policy ignores it
    case Opcode::Bra: case Opcode::BrxIdx: case Opcode::Ret: case Opcode::Exit: case Opcode::Trap: case Opcode::Brkpt:
    case Opcode::BarSync: case Opcode::BarArrive: case Opcode::BarRed:
        return lower_control(*this, index);
    case Opcode::BarWarpSync: case Opcode::ShflSync: case Opcode::Shfl: case Opcode::Vote: case Opcode::VoteSync:
    case Opcode::MatchAny: case Opcode::MatchAll: case Opcode::ReduxSync: case Opcode::ElectSync: case Opcode::Activemask:
        return lower_exchange(*this);
    default:
        return lower_value(*this);
    }
}

void FunctionBuilder::lower_instruction(std::uint32_t index) {
    current_ = &function_.instructions[index];
    const bool guarded = current_->guard != ptx::none;
    if (!guarded || current_->opcode == Opcode::Bra) return lower_unguarded(index);
    ptx::Operand guard;
    guard.kind = OperandKind::Register;
    guard.type = ptx::Type::Pred;
    guard.index = current_->guard;
    const Value condition = source(guard);
    if (is_control(*current_)) {
        Node& skip = emit_control(Control::BranchIf);
        skip.insn.op[0] = condition;
        skip.uses = 1;
        skip.insn.aux = !current_->guard_negated;
        skip.label = index + 1;
        emit_control(Control::Leader);
        return lower_unguarded(index);
    }
    Value narrowed = condition;
    if (current_->guard_negated) {
        narrowed = new_register(1);
        emit("not.pred", {narrowed}, {condition, condition});
    }
    Node& begin = emit_control(Control::Guard);
    begin.insn.op[0] = narrowed;
    begin.uses = 1;
    const std::size_t begin_index = nodes.size() - 1;
    guarded_ = true;
    lower_unguarded(index);
    guarded_ = false;
    emit_control(Control::Unguard);
    nodes[begin_index].insn.target = static_cast<std::uint32_t>(nodes.size());
}

bool FunctionBuilder::may_spin(std::uint32_t target, std::uint32_t branch) const {
    for (std::uint32_t n = target; n <= branch; ++n)
        if (waits_for_others(function_.instructions[n])) return true;
    return false;
}

std::uint32_t FunctionBuilder::build(std::uint32_t register_base) {
    node_of_.resize(function_.instructions.size() + 1);
    for (std::uint32_t n = 0; n <= function_.instructions.size(); ++n) {
        node_of_[n] = static_cast<std::uint32_t>(nodes.size());
        if (leaders_[n]) emit_control(Control::Leader);
        if (n < function_.instructions.size()) lower_instruction(n);
    }
    emit_control(is_entry() ? Control::Exit : Control::Return);  // what a missing `ret` at the end means
    const std::size_t first_target = resolve_labels();
    const std::uint32_t end = allocate(register_base);
    save_around_calls();
    append(first_target);
    return end;
}

void FunctionBuilder::branch_table(const ptx::BranchTable& table, Node& node) {
    std::vector<std::uint32_t>& targets = unit_.kernel.branch_targets;
    node.insn.target = static_cast<std::uint32_t>(targets.size());
    node.insn.aux = static_cast<std::uint16_t>(table.labels.size());
    for (std::uint32_t label : table.labels) targets.push_back(function_.labels[label].target);
    table_entries_ += table.labels.size();
}

/// From PTX instructions to nodes; returns where this function's entries in branch_targets start.
std::size_t FunctionBuilder::resolve_labels() {
    for (Node& node : nodes)
        if (node.label >= 0) node.insn.target = node_of_[static_cast<std::size_t>(node.label)];
    std::vector<std::uint32_t>& targets = unit_.kernel.branch_targets;
    const std::size_t first = targets.size() - table_entries_;
    for (std::size_t n = first; n < targets.size(); ++n) targets[n] = node_of_[targets[n]];
    return first;
}

/// Linear scan. A slot is used again only by a register of the same width that starts after the old one's end, so
/// that no instruction writes what it still has to read in another lane.
std::uint32_t FunctionBuilder::allocate(std::uint32_t register_base) {
    const std::vector<Interval> intervals = live_intervals(nodes, registers_.size(), unit_.kernel.branch_targets);
    std::vector<std::uint32_t> order;
    for (std::uint32_t r = 0; r < registers_.size(); ++r) {
        registers_[r].first = intervals[r].first;
        registers_[r].last = intervals[r].last;
        if (registers_[r].fixed != no_operand) registers_[r].offset = registers_[r].fixed;
        else if (intervals[r].first != ~0u) order.push_back(r);
    }
    std::ranges::sort(order, {}, [&](std::uint32_t r) { return registers_[r].first; });
    struct Busy { std::uint32_t last, offset; };
    std::uint32_t end = register_base;
    std::uint32_t predicate_line = 0, predicates_left = 0;
    for (const std::uint8_t width : {std::uint8_t{4}, std::uint8_t{8}, std::uint8_t{16}, std::uint8_t{1}}) {
        std::vector<Busy> busy;
        std::vector<std::uint32_t> free;
        for (std::uint32_t r : order) {
            VirtualRegister& reg = registers_[r];
            if (reg.width != width) continue;
            std::erase_if(busy, [&](const Busy& b) {
                if (b.last >= reg.first) return false;
                free.push_back(b.offset);
                return true;
            });
            if (!free.empty()) {
                reg.offset = free.back();
                free.pop_back();
            } else if (width != 1) {
                reg.offset = end;
                end += width * warp_size;
            } else {
                if (predicates_left == 0) {
                    predicate_line = end;
                    predicates_left = 16;
                    end += 64;
                }
                reg.offset = predicate_line + 4 * (16 - predicates_left--);
            }
            busy.push_back({reg.last, reg.offset});
        }
    }
    return align_up(end, 128);
}

/// Registers that live across a call that may come back to this function go to the frame.
void FunctionBuilder::save_around_calls() {
    std::uint32_t most = frame_bytes_;
    for (std::uint32_t n = 0; n < nodes.size(); ++n) {
        if (!nodes[n].saves) continue;
        CallSite& call = unit_.kernel.calls[nodes[n].insn.target];
        std::uint32_t end = frame_bytes_;
        for (const VirtualRegister& r : registers_) {
            if (r.fixed != no_operand || r.first >= n || r.last <= n) continue;
            const std::uint32_t bytes = std::max<std::uint32_t>(4, r.width);
            end = align_up(end, bytes);
            call.saved.push_back({r.offset, r.width, end});
            end += bytes;
        }
        most = std::max(most, end);
    }
    frame_bytes_ = align_up(most, 32);
    for (const Node& node : nodes)
        if (node.insn.control == Control::Call || node.insn.control == Control::CallIndirect)
            unit_.kernel.calls[node.insn.target].frame_bytes = frame_bytes_;
}

void FunctionBuilder::append(std::size_t first_target) {
    Kernel& kernel = unit_.kernel;
    const std::uint32_t base = static_cast<std::uint32_t>(kernel.insns.size());
    kernel.entry_points[function_address(id_)] = base;
    for (std::size_t n = first_target; n < kernel.branch_targets.size(); ++n) kernel.branch_targets[n] += base;
    for (const Node& node : nodes) {
        Insn insn = node.insn;
        for (int n = 0; n < 6; ++n) {
            if (!((node.uses | node.defs) >> n & 1)) continue;
            const std::uint32_t index = insn.op[n] / 2;
            insn.op[n] = insn.op[n] & 1 ? kernel.constants[index].offset + 1 : registers_[index].offset;
        }
        if (node.label >= 0 || insn.control == Control::Guard) insn.target += base;
        if (insn.control == Control::Call || insn.control == Control::CallIndirect)
            kernel.calls[insn.target].return_pc = static_cast<std::uint32_t>(kernel.insns.size()) + 1;
        kernel.insns.push_back(insn);
        kernel.lines.push_back(node.line);
    }
}

}  // namespace cpu::exec
