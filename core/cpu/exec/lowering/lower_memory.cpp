// Loads, stores, atomics and addresses.
#include <algorithm>

#include "exec/copies/tensor_copy.hpp"
#include "exec/host_instructions.hpp"
#include "exec/lowering/function_builder.hpp"

namespace cpu::exec {

using ptx::Opcode;
using ptx::OperandKind;
using ptx::Space;
using ptx::Type;

namespace {

/// The element type in a row's name. If `sign`, it tells narrow signed elements, which a load sign-extends, from
/// others.
OpPart element_part(Type type, bool sign) {
    return sign && ptx::is_signed(type) && ptx::bits(type) < 32 ? part(type) : unsigned_part(ptx::bytes(type));
}
OpPart count_part(std::size_t count) {
    return count == 1 ? OpPart("") : count == 2 ? OpPart("v2") : OpPart("v4");
}

/// A kernel's parameters are constants of the launch: reading one at a fixed offset needs no instruction.
bool load_parameter(FunctionBuilder& b, const ptx::Operand& address, std::span<const ptx::Operand> parts, Type type) {
    const std::optional<std::uint64_t> offset = b.parameter_offset(address);
    if (!offset || ptx::bits(type) > 64) return false;
    const std::uint8_t size = static_cast<std::uint8_t>(ptx::bytes(type));
    // Addresses that are out of bounds or misaligned are left to the access, which reports them.
    const std::uint64_t end = b.function().parameter_bytes, bytes = parts.size() * size;
    if (bytes > end || *offset > end - bytes || *offset % size) return false;
    for (std::size_t n = 0; n < parts.size(); ++n) {
        if (parts[n].kind == OperandKind::Sink) continue;
        const std::uint8_t width = b.width_of(2 * parts[n].index);
        b.move(parts[n],
               b.constant({LaunchConstant::Kind::Parameter, width, size, ptx::is_signed(type), *offset + n * size, 0}));
    }
    return true;
}

void set_element(Node& node, std::size_t n, Value value, std::uint8_t Node::* roles) {
    const std::size_t slot = n == 0 ? 0 : n + 1;
    node.insn.op[slot] = value;
    node.*roles = static_cast<std::uint8_t>(node.*roles | 1u << slot);
}

/// Each instruction has at most four elements; .v8 becomes two of them.
template <class F>
void by_fours(std::size_t count, F f) {
    for (std::size_t first = 0; first < count; first += 4) f(first, std::min<std::size_t>(4, count - first));
}

Access::Order order_of(const ptx::Instruction& i) {
    using ptx::Semantics;
    const Semantics s = i.modifiers.semantics;
    if (s == Semantics::Volatile) return Access::Order::Volatile;
    return s == Semantics::None || s == Semantics::Weak ? Access::Order::Weak : Access::Order::Strong;
}

bool releases(const ptx::Instruction& i) {
    using ptx::Semantics;
    const Semantics s = i.modifiers.semantics;
    return s == Semantics::Release || s == Semantics::AcqRel || s == Semantics::Sc;
}

/// Adds a fence before a release and after an acquire. Other memory orders need none: the host's atomics order their
/// surroundings, PTX's fences are the host's, and the warps of a block share a thread.
void keep_order(FunctionBuilder& b, bool wanted) {
    if (!host_keeps_order && wanted) b.emit("fence", {}, {});
}

void lower_load(FunctionBuilder& b) {
    const ptx::Instruction& i = b.instruction();
    const auto o = b.operands();
    const Type type = i.types[0];
    const auto parts = b.elements(o[0]);
    if (load_parameter(b, o[1], parts, type)) return;
    const Value far = b.cluster_address(o[1], i.modifiers.space);
    by_fours(parts.size(), [&](std::size_t first, std::size_t count) {
        Value to[4];
        for (std::size_t n = 0; n < count; ++n) to[n] = b.destination(parts[first + n]);
        Node& node = b.emit(b.op({"ld", count_part(count), element_part(type, true)}), {}, {});
        for (std::size_t n = 0; n < count; ++n) set_element(node, n, to[n], &Node::defs);
        b.memory_operand(node, o[1], i.modifiers.space, static_cast<std::uint32_t>(count * ptx::bytes(type)),
                         {.reads = true, .order = order_of(i)}, far);
        node.insn.offset += static_cast<std::int32_t>(first * ptx::bytes(type));
        b.finish_destinations();
    });
    keep_order(b, i.modifiers.semantics == ptx::Semantics::Acquire || i.modifiers.semantics == ptx::Semantics::Sc);
}

void lower_store(FunctionBuilder& b) {
    const ptx::Instruction& i = b.instruction();
    const auto o = b.operands();
    const Type type = i.types[0];
    const auto parts = b.elements(o[1]);
    const Space space = i.modifiers.space;
    const std::uint8_t width = ptx::bits(type) <= 32 ? 4 : static_cast<std::uint8_t>(ptx::bytes(type));
    const Value far = b.cluster_address(o[0], space);
    keep_order(b, releases(i));
    by_fours(parts.size(), [&](std::size_t first, std::size_t count) {
        Value from[4];
        for (std::size_t n = 0; n < count; ++n) from[n] = b.source(parts[first + n], width);
        Node& node = b.emit(b.op({"st", count_part(count), element_part(type, false)}), {}, {});
        for (std::size_t n = 0; n < count; ++n) set_element(node, n, from[n], &Node::uses);
        b.memory_operand(node, o[0], space, static_cast<std::uint32_t>(count * ptx::bytes(type)),
                         {.writes = true, .order = order_of(i), .releases = releases(i)}, far);
        node.insn.offset += static_cast<std::int32_t>(first * ptx::bytes(type));
    });
}

OpName atom_name(const FunctionBuilder& b, bool delayed) {
    using ptx::Operation;
    const ptx::Instruction& i = b.instruction();
    const Operation op = i.modifiers.operation;
    const bool plain_bits = op == Operation::And || op == Operation::Or || op == Operation::Xor ||
                            op == Operation::Cas || op == Operation::Exch;
    return b.op(
        {delayed ? OpPart("red") : OpPart("atom"), part(op), plain_bits ? bits_part(i.types[0]) : part(i.types[0])});
}

/// See DelayedSums. A system scope or a memory order means that other observers must see the addition.
bool may_delay(const ptx::Instruction& i) {
    using ptx::Semantics;
    const bool whole = i.types[0] == Type::U32 || i.types[0] == Type::S32 || i.types[0] == Type::U64;
    const bool relaxed = i.modifiers.semantics == Semantics::None || i.modifiers.semantics == Semantics::Relaxed;
    const bool global = i.modifiers.space == Space::None || i.modifiers.space == Space::Global;
    return i.modifiers.operation == ptx::Operation::Add && whole && relaxed && global &&
           i.modifiers.scope != ptx::Scope::Sys && i.opcode != Opcode::RedAsync;
}

/// A vector is handled element by element: each element is atomic, but not the vector as a whole.
void lower_atomic(FunctionBuilder& b, bool returns) {
    const ptx::Instruction& i = b.instruction();
    const auto o = b.operands();
    const std::size_t address = returns ? 1 : 0;
    std::size_t count = o.size() - address - 1;
    if (i.modifiers.has(ptx::Flag::CacheHint) || i.opcode == Opcode::RedAsync) --count;
    if (count < 1 || count > 2) b.unsupported("atom with this number of operands");
    const std::uint32_t bytes = ptx::bytes(i.types[0]);
    const Value far = b.cluster_address(o[address], i.modifiers.space);
    for (std::size_t e = 0; e < b.elements(o[address + 1]).size(); ++e) {
        Value operand[2];
        for (std::size_t n = 0; n < count; ++n) operand[n] = b.source(b.elements(o[address + 1 + n])[e]);
        Value d = no_operand;
        if (returns && !b.is_unread(b.elements(o[0])[e])) d = b.destination(b.elements(o[0])[e]);
        Node& node = b.emit(atom_name(b, d == no_operand && may_delay(i)), {}, {});
        if (d != no_operand) set_element(node, 0, d, &Node::defs);
        for (std::size_t n = 0; n < count; ++n) set_element(node, 1 + n, operand[n], &Node::uses);
        // Programs also use exch to set memory, ignoring the result.
        const bool reads = i.modifiers.operation != ptx::Operation::Exch;
        b.memory_operand(node, o[address], i.modifiers.space, bytes,
                         {.reads = reads, .writes = true, .order = Access::Order::Strong, .releases = releases(i)},
                         far);
        node.insn.offset += static_cast<std::int32_t>(e * bytes);
        b.finish_destinations();
    }
}

void lower_cvta(FunctionBuilder& b) {
    const ptx::Instruction& i = b.instruction();
    const auto o = b.operands();
    const Space space = i.modifiers.space;
    const Value a = b.source(o[1], 8);
    const bool local = space == Space::Local || (space == Space::Param && !b.is_entry());
    const bool shared = space == Space::Shared || space == Space::SharedCta || space == Space::SharedCluster;
    if (!local && !shared) return b.move(o[0], a);  // generic addresses are host addresses
    const OpPart window = local                           ? OpPart("local.u64")
                          : space == Space::SharedCluster ? OpPart("cluster.u64")
                                                          : OpPart("shared.u64");
    const OpName name = b.op({"cvta", i.modifiers.has(ptx::Flag::To) ? OpPart("to") : OpPart(""), window});
    b.emit(name, {b.destination(o[0])}, {a});
}

void lower_isspacep(FunctionBuilder& b) {
    const auto o = b.operands();
    const Space space = b.instruction().modifiers.space;
    const OpName name = space == Space::Global                                ? OpName("isspacep.global")
                        : space == Space::Local                               ? OpName("isspacep.local")
                        : space == Space::Const                               ? OpName("isspacep.const")
                        : space == Space::Param || space == Space::ParamEntry ? OpName("isspacep.param")
                        : space == Space::SharedCluster                       ? OpName("isspacep.cluster")
                                                                              : OpName("isspacep.shared");
    const Value address = b.source(o[1], 8), d = b.destination(o[0]);
    b.emit(name, {d}, {address});
    if (space != Space::Global) return;
    // Other addresses may be in another block of the cluster.
    const Value far = b.new_register(1), near = b.new_register(1);
    b.emit("isspacep.cluster", {far}, {address});
    b.emit("not.pred", {near}, {far, far});
    b.emit("and.pred", {d}, {d, near});
}

/// cp.async [to], [from], size{, take | ignore}{, policy}
void lower_copy_async(FunctionBuilder& b) {
    const auto o = b.operands();
    const std::size_t count = o.size() - (b.instruction().modifiers.has(ptx::Flag::CacheHint) ? 1 : 0);
    if (o[2].bits != 4 && o[2].bits != 8 && o[2].bits != 16) b.unsupported("cp.async of this size");
    Value take = no_operand;
    if (count > 3 && o[3].type == Type::Pred) {
        take = b.new_register(4);
        b.emit("selp.b32", {take}, {b.immediate(0, 4), b.immediate(o[2].bits, 4), b.source(o[3], 1)});
    } else if (count > 3) {
        take = b.source(o[3], 4);
    }
    Node target;
    b.memory_operand(target, o[0], Space::Shared, static_cast<std::uint32_t>(o[2].bits), {});
    Node& node = b.emit("cp.async", {}, {});
    b.memory_operand(node, o[1], Space::Global, static_cast<std::uint32_t>(o[2].bits),
                     {.reads = true, .writes = true, .copies = true});
    node.add(0, target.insn.op[1], &Node::uses);
    node.insn.op[3] = static_cast<std::uint32_t>(target.insn.offset);
    node.insn.wide_target = target.insn.wide_address;
    if (take != no_operand) set_element(node, 1, take, &Node::uses);
}

/// cp.async.bulk [to], [from], bytes{, [mbarrier]}{, ranks}{, policy}
void lower_bulk_copy(FunctionBuilder& b) {
    const auto o = b.operands();
    const ptx::Modifiers& m = b.instruction().modifiers;
    const Value to = b.generic_address(o[0], m.space), from = b.generic_address(o[1], m.source_space);
    const Value bytes = b.source(o[2], 4);
    const Value object = m.has(ptx::Flag::BulkGroup) ? no_operand : b.generic_address(o[3], m.space);
    const Value ranks = m.has(ptx::Flag::Multicast) ? b.source(o[4], 4) : no_operand;
    Node& node = b.emit("cp.async.bulk", {}, {to, from, bytes});
    if (object != no_operand) set_element(node, 2, object, &Node::uses);
    if (ranks != no_operand) set_element(node, 3, ranks, &Node::uses);
}

/// cp.async.bulk.tensor [to], [map, coordinates], [mbarrier]{, ranks}{, policy}
/// cp.async.bulk.tensor [map, coordinates], [from]{, policy}
void lower_tensor_copy(FunctionBuilder& b) {
    const auto o = b.operands();
    const ptx::Modifiers& m = b.instruction().modifiers;
    const bool stores = m.has(ptx::Flag::BulkGroup);
    const std::size_t map = stores ? 0 : 1;
    const Value tile = b.generic_address(o[stores ? 2 : 0], stores ? m.source_space : m.space);
    const Value object = stores ? no_operand : b.generic_address(o[3], m.space);
    const Value ranks = m.has(ptx::Flag::Multicast) ? b.source(o[4], 4) : no_operand;
    const Value address = b.source(o[map], 8);
    std::vector<Value> coordinates;
    for (const ptx::Operand& element : b.elements(o[map + 1])) coordinates.push_back(b.source(element, 4));
    b.carry(coordinates, &Node::uses);
    Node& node = b.emit("cp.async.bulk.tensor", {}, {tile, address});
    node.insn.mode = static_cast<std::uint16_t>(coordinates.size() | (stores ? tensor_copy_stores : 0));
    if (object != no_operand) set_element(node, 1, object, &Node::uses);
    if (ranks != no_operand) set_element(node, 2, ranks, &Node::uses);
}

void lower_stack(FunctionBuilder& b) {
    const auto o = b.operands();
    const Value top = b.stack_top();
    if (b.instruction().opcode == Opcode::Alloca) {
        const std::uint64_t alignment = o.size() > 2 ? o[2].bits : 8;
        if (alignment == 0 || alignment > 128 || (alignment & (alignment - 1)))
            b.unsupported("alloca of this alignment");
        const Value bytes = b.source(o[1], 8);
        const Value d = b.destination(o[0]);
        const Value address = b.width_of(d) == 8 ? d : b.new_register(8);
        Node& node = b.emit("alloca", {address}, {bytes, top});
        node.defs |= 4;
        node.insn.alignment = static_cast<std::uint16_t>(alignment);
        if (address != d) b.emit("cvt.u32.u64", {d}, {address});
    } else if (b.instruction().opcode == Opcode::Stacksave) {
        const Value d = b.destination(o[0]);
        b.emit(b.width_of(d) == 8 ? OpName("cvt.u64.u32") : OpName("mov.b32"), {d}, {top});
    } else {
        b.emit("mov.b32", {top}, {b.source(o[0], 4)});
    }
}

}  // namespace

void lower_memory(FunctionBuilder& b) {
    switch (b.instruction().opcode) {
        case Opcode::Ld:
        case Opcode::Ldu:
            return lower_load(b);
        case Opcode::St:
            return lower_store(b);
        case Opcode::Atom:
            return lower_atomic(b, true);
        case Opcode::Red:
            return lower_atomic(b, false);
        case Opcode::StAsync:
            lower_store(b);
            return complete_at_mbarrier(b, 2, b.instruction().modifiers.lanes() * ptx::bytes(b.instruction().types[0]));
        case Opcode::RedAsync:
            lower_atomic(b, false);
            return complete_at_mbarrier(b, 2, ptx::bytes(b.instruction().types[0]));
        case Opcode::Mapa:
        case Opcode::Getctarank:
            return lower_cluster(b);
        case Opcode::Cvta:
            return lower_cvta(b);
        case Opcode::Isspacep:
            return lower_isspacep(b);
        case Opcode::CpAsyncBulk:
            return lower_bulk_copy(b);
        case Opcode::CpAsyncBulkTensor:
            return lower_tensor_copy(b);
        case Opcode::CpAsync:
            return lower_copy_async(b);
        case Opcode::Alloca:
        case Opcode::Stacksave:
        case Opcode::Stackrestore:
            return lower_stack(b);
        case Opcode::Membar:
        case Opcode::Fence:
        case Opcode::FenceMbarrierInit:
            b.emit("fence", {}, {}).access = {.fences = true};
            return;
        case Opcode::CreatePolicyFractional:
        case Opcode::CreatePolicyRange:
        case Opcode::CreatePolicyCvt:
            // A cache hint, which every instruction with a policy ignores.
            return b.move(b.operands()[0], b.immediate(0, 8));
        case Opcode::Prefetch:
        case Opcode::Prefetchu:
        case Opcode::Discard:
        case Opcode::Applypriority:
        case Opcode::Nanosleep:
        case Opcode::Pmevent:
        case Opcode::CpAsyncCommitGroup:
        case Opcode::CpAsyncWaitGroup:
        case Opcode::CpAsyncWaitAll:
        case Opcode::CpAsyncBulkPrefetch:
        case Opcode::CpAsyncBulkPrefetchTensor:
        case Opcode::CpAsyncBulkCommitGroup:
        case Opcode::CpAsyncBulkWaitGroup:
        case Opcode::GriddepcontrolLaunch:
        case Opcode::GriddepcontrolWait:
            return;  // hints, and waits for copies that are already done
        default:
            return lower_mbarrier(b);
    }
}

}  // namespace cpu::exec
