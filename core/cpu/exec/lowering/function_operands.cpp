// Operands of PTX instructions as Values, and the nodes that read and write them.
#include "exec/lowering/function_builder.hpp"

#include <algorithm>

#include "exec/checks/checks.hpp"

namespace cpu::exec {

std::span<const ptx::Operand> FunctionBuilder::elements(const ptx::Operand& operand) const {
    if (operand.kind == ptx::OperandKind::Vector) return function_.elements_of(operand);
    return {&operand, 1};
}

std::vector<Value> FunctionBuilder::destinations(const ptx::Operand& operand) {
    std::vector<Value> values;
    for (const ptx::Operand& element : elements(operand)) values.push_back(destination(element));
    return values;
}

using ptx::OperandKind;

std::uint8_t width_of_type(ptx::Type type) {
    if (type == ptx::Type::Pred) return 1;
    return ptx::bits(type) <= 32 ? 4 : static_cast<std::uint8_t>(ptx::bits(type) / 8);
}

Value FunctionBuilder::new_register(std::uint8_t width) {
    VirtualRegister v;
    v.width = width;
    if (current_) v.definition = current_index();
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

/// Functions have no affine code, so they need the value per lane even if the calling kernel does not.
Value FunctionBuilder::block_number(int axis) {
    unit_.kernel.affine_wants_ctaid |= !is_entry();
    return fixed(unit_.kernel.fixed.ctaid[axis], 4);
}

Value FunctionBuilder::special(ptx::SpecialRegister reg) {
    using S = ptx::SpecialRegister;
    const FixedRegisters& f = unit_.kernel.fixed;
    const std::uint8_t width = width_of_type(ptx::info(reg).type);
    switch (reg) {
        case S::TidX:
            return fixed(f.tid[0], 4);
        case S::TidY:
            return fixed(f.tid[1], 4);
        case S::TidZ:
            return fixed(f.tid[2], 4);
        case S::CtaidX:
            return block_number(0);
        case S::CtaidY:
            return block_number(1);
        case S::CtaidZ:
            return block_number(2);
        case S::ClusteridX:
        case S::ClusteridY:
        case S::ClusteridZ:
        case S::ClusterCtaidX:
        case S::ClusterCtaidY:
        case S::ClusterCtaidZ:
        case S::ClusterCtarank:
            return in_cluster(reg);
        case S::Warpid:
            return fixed(f.warpid, 4);
        case S::Clock:
        case S::ClockHi:
        case S::Clock64:
        case S::Globaltimer:
        case S::GlobaltimerLo:
        case S::GlobaltimerHi: {
            const OpName name = reg == S::Clock           ? OpName("clock.b32")
                                : reg == S::ClockHi       ? OpName("clock_hi.b32")
                                : reg == S::Clock64       ? OpName("clock.b64")
                                : reg == S::Globaltimer   ? OpName("globaltimer.b64")
                                : reg == S::GlobaltimerLo ? OpName("globaltimer.b32")
                                                          : OpName("globaltimer_hi.b32");
            const Value now = new_register(width);
            emit(name, {now}, {});
            return now;
        }
        case S::ReservedSmemBegin:
        case S::ReservedSmemEnd:
        case S::ReservedSmemCap:
        case S::ReservedSmem0:
        case S::ReservedSmem1:
            unit_.kernel.uses_reserved_shared = true;
            [[fallthrough]];
        default:
            return constant({LaunchConstant::Kind::Special, width, width, false, static_cast<std::uint64_t>(reg), 0});
    }
}

/// The value of a texture or surface variable: the handle of the object that it is bound to at the launch.
Value FunctionBuilder::reference(const ptx::Operand& operand) {
    const ptx::Variable& v = program().variables[operand.index];
    if (v.count == 1 && operand.bits) unsupported("an address beyond the texture or surface " + v.name);
    if (v.space == ptx::Space::Param) return constant({LaunchConstant::Kind::Parameter, 8, 8, false, v.offset, 0});
    std::vector<std::uint32_t>& known = unit_.kernel.info.references;
    const auto index = static_cast<std::uint32_t>(unit_.addresses[operand.index]);
    const auto at = std::ranges::find(known, index) - known.begin();
    if (at == std::ssize(known)) known.push_back(index);
    return constant({LaunchConstant::Kind::Reference, 8, 8, false, static_cast<std::uint64_t>(at), 0});
}

Value FunctionBuilder::address_of(const ptx::Operand& operand) {
    if (operand.kind == OperandKind::FunctionAddress) return immediate(function_address(operand.index), 8);
    const ptx::Variable& v = program().variables[operand.index];
    const std::uint8_t width = operand.type == ptx::Type::None ? 8 : width_of_type(operand.type);
    if (ptx::info(v.type).kind == ptx::Kind::Opaque) return reference(operand);
    if (lies_in_frame(operand.index)) {
        const std::uint64_t offset = frame_offset(operand.index) + operand.bits;
        if (is_entry()) return immediate(offset, width);
        const Value sum = new_register(4);
        emit("add.u32", {sum}, {fixed(unit_.kernel.fixed.frame, 4), immediate(offset, 4)});
        if (width == 4) return sum;
        const Value wide = new_register(8);
        emit("cvt.u64.u32", {wide}, {sum});
        return wide;
    }
    if (v.space == ptx::Space::Param)
        return constant({LaunchConstant::Kind::ParameterAddress, 8, 8, false, v.offset + operand.bits, 0});
    return immediate(unit_.addresses[operand.index] + operand.bits, width);
}

Value FunctionBuilder::generic_address(const ptx::Operand& operand, ptx::Space space) {
    ptx::Operand base = operand;
    const std::uint64_t offset = operand.kind == OperandKind::Memory ? operand.bits : 0;
    base.kind = operand.kind == OperandKind::Memory           ? OperandKind::Register
                : operand.kind == OperandKind::MemoryVariable ? OperandKind::Address
                                                              : OperandKind::Immediate;
    if (base.kind == OperandKind::Register) base.bits = 0;
    Value address = source(base, 8);
    if (offset) {
        const Value sum = new_register(8);
        emit("add.u64", {sum}, {address, immediate(offset, 8)});
        address = sum;
    }
    if (space == ptx::Space::None || space == ptx::Space::Global) return address;
    const Value generic = new_register(8);
    const bool far = space == ptx::Space::SharedCluster;
    emit(far ? OpName("cvta.cluster.u64") : OpName("cvta.shared.u64"), {generic}, {address});
    return generic;
}

Value FunctionBuilder::cluster_address(const ptx::Operand& operand, ptx::Space space) {
    return space == ptx::Space::SharedCluster ? generic_address(operand, space) : no_operand;
}

Value FunctionBuilder::source(const ptx::Operand& operand, std::uint8_t width) {
    if (width == 0) width = width_of_type(operand.type);
    Value value = 0;
    switch (operand.kind) {
        case OperandKind::Register:
            used_[operand.index] = true;
            value = aliases_[operand.index] ? *aliases_[operand.index] : 2 * operand.index;
            break;
        case OperandKind::Immediate:
            return immediate(operand.bits, width);
        case OperandKind::Special:
            value = special(operand.special());
            break;
        case OperandKind::Address:
        case OperandKind::FunctionAddress:
            value = address_of(operand);
            break;
        default:
            unsupported("an operand of this kind");
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
        emit(ptx::is_signed(operand.type) ? OpName("cvt.u64.s32") : OpName("cvt.u64.u32"), {wide}, {value});
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
        // A narrow signed value was sign-extended to 32 bits when it was loaded or computed.
        emit(op({"cvt.u64", part(ptx::is_signed(e.type) ? e.type : ptx::Type::U32)}), {e.to}, {e.from});
    }
}

OpName FunctionBuilder::op(std::initializer_list<OpPart> parts) const {
    std::string name;
    for (const OpPart part : parts) {
        if (!name.empty() && !part.text().empty()) name += '.';
        name += part.text();
    }
    const std::optional<OpName> found = OpName::find(name);
    if (!found) unsupported(name);
    return *found;
}

OpPart bits_part(ptx::Type type) {
    switch (ptx::bits(type)) {
        case 1:
            return part(ptx::Type::Pred);
        case 8:
            return part(ptx::Type::B8);
        case 16:
            return part(ptx::Type::B16);
        case 32:
            return part(ptx::Type::B32);
        case 64:
            return part(ptx::Type::B64);
        default:
            return part(ptx::Type::B128);
    }
}

OpPart unsigned_part(std::uint32_t bytes) {
    switch (bytes) {
        case 1:
            return "u8";
        case 2:
            return "u16";
        case 4:
            return "u32";
        case 8:
            return "u64";
        default:
            return "u128";
    }
}

OpName move_of(std::uint8_t width) {
    return width == 16 ? OpName("mov.b128") : width == 8 ? OpName("mov.b64") : OpName("mov.b32");
}

Node& FunctionBuilder::emit(OpName name, std::initializer_list<Value> defs, std::span<const Value> uses) {
    if (defs.size() + uses.size() > std::size(Insn{}.op))
        unsupported(std::string(name.text()) + " with this number of operands");
    const Op* const op = &unit_.ops[name];
    Node node;
    node.row = op;
    node.insn.run[0] = op->some;
    node.insn.run[1] = op->all;
    int n = 0;
    const auto add = [&](Value value, std::uint8_t Node::* roles) {
        const char wanted = op->operands[0] == '?' || n >= static_cast<int>(std::string_view(op->operands).size())
                                ? 0
                                : op->operands[n];
        const std::uint8_t width = width_of(value);
        const char have = width == 16 ? 'o' : width == 8 ? 'q' : width == 4 ? 'w' : 'p';
        if (wanted && wanted != have) unsupported(std::string(name.text()) + " with operands of these widths");
        node.add(static_cast<std::size_t>(n++), value, roles);
    };
    for (Value v : defs) add(v, &Node::defs);
    for (Value v : uses) add(v, &Node::uses);
    node.partial = guarded_;
    if (current_) node.line = {current_->line, current_->location};
    nodes.push_back(node);
    return nodes.back();
}

void FunctionBuilder::carry(const std::vector<Value>& values, std::uint8_t Node::* roles) {
    for (std::size_t first = 0; first < values.size(); first += 6) {
        Node& node = emit("operands", {}, {});
        for (std::size_t n = 0; n < 6 && first + n < values.size(); ++n) node.add(n, values[first + n], roles);
    }
}

Node& FunctionBuilder::emit_control(Control control) {
    Node node;
    node.insn.control = control;
    node.partial = guarded_;
    if (current_) node.line = {current_->line, current_->location};
    nodes.push_back(node);
    return nodes.back();
}

Value FunctionBuilder::carry_flag() {
    if (!carry_) carry_ = new_register(1);
    return *carry_;
}

Value FunctionBuilder::stack_top() {
    unit_.allocates = true;
    return fixed(unit_.kernel.fixed.top, 4);
}

std::uint32_t FunctionBuilder::add_texture(const TextureAccess& access) {
    unit_.kernel.textures.push_back(access);
    return static_cast<std::uint32_t>(unit_.kernel.textures.size() - 1);
}

std::uint32_t FunctionBuilder::add_product(MatrixProduct product) {
    unit_.kernel.products.push_back(std::move(product));
    return static_cast<std::uint32_t>(unit_.kernel.products.size() - 1);
}

std::uint32_t FunctionBuilder::add_fragment(const FragmentInMemory& fragment) {
    unit_.kernel.fragments.push_back(fragment);
    return static_cast<std::uint32_t>(unit_.kernel.fragments.size() - 1);
}

void FunctionBuilder::memory_operand(Node& node, const ptx::Operand& operand, ptx::Space space, std::uint32_t bytes,
                                     const Access& access, Value generic) {
    using ptx::Space;
    Insn& insn = node.insn;
    node.access = access;
    if (enabled_checks().init) {
        node.access.fixed = operand.kind != OperandKind::Memory || harmless_.fixed_addresses[operand.index];
        node.access.reads &= !harmless_.of_bit_fields[current_index()];
    }
    insn.access_bytes = static_cast<std::uint16_t>(bytes);
    node.uses |= 2;
    if (generic != no_operand) {
        insn.cached_ranges = unit_.kernel.cached_accesses++;
        insn.wide_address = true;
        insn.op[1] = generic;
        return;
    }
    const bool shared = space == Space::Shared || space == Space::SharedCta;
    const bool local = space == Space::Local || space == Space::ParamFunc || (space == Space::Param && !is_entry()) ||
                       (operand.kind == OperandKind::MemoryVariable && lies_in_frame(operand.index));
    insn.window = shared ? Window::Shared : local ? Window::Local : Window::Generic;
    if (insn.window == Window::Generic) insn.cached_ranges = unit_.kernel.cached_accesses++;
    if (operand.kind == OperandKind::Memory) {
        used_[operand.index] = true;
        insn.op[1] = aliases_[operand.index] ? *aliases_[operand.index] : 2 * operand.index;
        insn.wide_address = width_of(insn.op[1]) == 8;
        if (operand.offset() != static_cast<std::int32_t>(operand.offset()))
            unsupported("an offset of more than 32 bits");
        insn.offset = static_cast<std::int32_t>(operand.offset());
        return;
    }
    insn.wide_address = insn.window == Window::Generic;
    if (operand.kind == OperandKind::MemoryVariable && local && lies_in_frame(operand.index)) {
        insn.offset = static_cast<std::int32_t>(frame_offset(operand.index) + operand.bits);
        insn.op[1] = is_entry() ? immediate(0, 4) : fixed(unit_.kernel.fixed.frame, 4);
        return;
    }
    const bool parameter =
        operand.kind == OperandKind::MemoryVariable && program().variables[operand.index].space == Space::Param;
    if (parameter) {
        insn.op[1] = constant({LaunchConstant::Kind::ParameterAddress, 8, 8, false,
                               program().variables[operand.index].offset + operand.bits, 0});
        return;
    }
    const std::uint64_t base = operand.kind == OperandKind::MemoryVariable ? unit_.addresses[operand.index] : 0;
    insn.op[1] = immediate(base + operand.bits, insn.wide_address ? 8 : 4);
}

}  // namespace cpu::exec
