// Instructions that compute a value from values: looked up in ops.def by name.
#include <string>

#include "exec/handlers/rounding.hpp"
#include "exec/lowering/function_builder.hpp"

namespace cpu::exec {

using ptx::Flag;
using ptx::Opcode;
using ptx::OperandKind;
using ptx::Rounding;
using ptx::Type;

namespace {

/// set has no row: it becomes a comparison and a selection.
constexpr bool has_rows(Opcode opcode) {
    return opcode == Opcode::Set || OpPart::begins_a_name(ptx::name(opcode));
}
constexpr bool all_have_rows() {
    for (int n = 0; n < static_cast<int>(Opcode::Count); ++n)
        if (ptx::family(static_cast<Opcode>(n)) == ptx::Family::Value && !has_rows(static_cast<Opcode>(n)))
            return false;
    return true;
}
static_assert(all_have_rows(), "an opcode of opcodes.def that computes a value has no row in ops.def");

/// For floating-point types, .sat is a separate instruction.
bool saturates_after(const ptx::Instruction& i) {
    return i.modifiers.has(Flag::Sat) && ptx::is_float(i.types[0]);
}

/// The instruction's name as ops.def spells it.
OpName op_name(const FunctionBuilder& b) {
    const ptx::Instruction& i = b.instruction();
    const ptx::Modifiers& m = i.modifiers;
    const auto flag = [&](Flag which, OpPart name) { return m.has(which) ? name : OpPart(""); };
    return b.op({part(i.opcode), part(ptx::Group::Half, m.half), part(ptx::Group::Funnel, m.funnel),
                 m.permute == ptx::Permute::None ? OpPart("") : OpPart("mode"), part(ptx::Group::Property, m.property),
                 flag(Flag::Cc, "cc"), flag(Flag::Full, "full"), flag(Flag::Approx, "approx"),
                 flag(Flag::ShiftAmount, "shiftamt"), flag(Flag::Ftz, "ftz"),
                 saturates_after(i) ? OpPart("") : flag(Flag::Sat, "sat"), part(i.types[0]), part(i.types[1])});
}

void lower_plain(FunctionBuilder& b, OpName name) {
    const auto operands = b.operands();
    const ptx::Instruction& i = b.instruction();
    if (i.paired) b.unsupported(std::string(name.text()) + " with two destinations");
    std::vector<Value> sources;
    for (const ptx::Operand& o : operands.subspan(1)) sources.push_back(b.source(o));
    const bool saturates = saturates_after(i);
    const Value d = saturates ? b.new_register(width_of_type(i.types[0])) : b.destination(operands[0]);
    Node& node = b.emit(name, {d}, sources);
    if (i.modifiers.permute != ptx::Permute::None)
        node.insn.mode = static_cast<std::uint16_t>(i.modifiers.permute);
    else if (const std::uint16_t mode = rounding_bits(i.modifiers.rounding))
        run_rounded(node.insn, *node.row, mode);
    if (saturates) b.emit(b.op({"sat", part(i.types[0])}), {b.destination(operands[0])}, {d});
    b.finish_destinations();
}

/// The address of a fixed offset in a kernel's parameters, plus a constant, is another constant of the launch.
bool moves_parameter_address(FunctionBuilder& b) {
    const auto o = b.operands();
    if (o.size() != 3 || o[1].kind != OperandKind::Register || o[2].kind != OperandKind::Immediate) return false;
    const std::optional<std::uint64_t> offset = b.parameter_offset(b.source(o[1]));
    if (!offset) return false;
    b.move(o[0], b.constant({LaunchConstant::Kind::ParameterAddress, 8, 8, false, *offset + o[2].bits, 0}));
    return true;
}

void lower_carry(FunctionBuilder& b) {
    const ptx::Instruction& i = b.instruction();
    const auto o = b.operands();
    const bool takes = i.opcode == Opcode::Addc || i.opcode == Opcode::Subc || i.opcode == Opcode::Madc;
    const Value x = b.source(o[1]), y = b.source(o[2]);
    const Value z = o.size() > 3 ? b.source(o[3]) : b.immediate(0, b.width_of(x));
    const Value d = b.destination(o[0]);
    Node& node = b.emit(op_name(b), {d}, {x, y, z, b.carry_flag()});
    node.defs = static_cast<std::uint8_t>(1u | (i.modifiers.has(Flag::Cc) ? 16u : 0u));
    node.uses = static_cast<std::uint8_t>(14u | (takes ? 16u : 0u));
}

Value extract_half(FunctionBuilder& b, Value packed, bool high) {
    const Value low = b.new_register(4), top = b.new_register(4);
    b.emit("unpack.b32", {low, top}, {packed});
    return high ? top : low;
}

/// Compares one element of this type.
Value compare(FunctionBuilder& b, Value x, Value y, Type type) {
    const bool flushes = b.instruction().modifiers.has(Flag::Ftz);
    if (is_half(type)) {
        for (Value* value : {&x, &y}) {
            if (flushes && type == Type::F16) *value = apply(b, "flush", type, *value);
            *value = apply(b, "cvt.f32", type, *value);
        }
    }
    static constexpr OpPart names[] = {"",   "eq",  "ne",  "lt",  "le",  "gt",  "ge",  "lt",  "le", "gt",
                                       "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
    const ptx::Modifiers& m = b.instruction().modifiers;
    const Value p = b.new_register(1);
    const OpPart ftz = flushes && type == Type::F32 ? OpPart("ftz") : OpPart("");
    b.emit(b.op({"setp", names[static_cast<int>(m.compare)], ftz, part(is_half(type) ? Type::F32 : type)}), {p},
           {x, y});
    return p;
}

Value combine(FunctionBuilder& b, Value p, const ptx::Operand* with) {
    if (!with) return p;
    const ptx::Operation op = b.instruction().modifiers.operation;
    const Value result = b.new_register(1);
    b.emit(b.op({part(op), "pred"}), {result}, {p, b.source(*with, 1)});
    return result;
}

Value inverse(FunctionBuilder& b, Value p) {
    const Value q = b.new_register(1);
    b.emit("not.pred", {q}, {p, p});
    return q;
}

void store_predicate(FunctionBuilder& b, const ptx::Operand& d, Value p) {
    if (d.kind == OperandKind::Sink) return;
    b.emit("mov.pred", {b.destination(d)}, {p, p});
}

bool packed(Type type) {
    return type == Type::F16x2 || type == Type::Bf16x2;
}

void lower_setp(FunctionBuilder& b) {
    const ptx::Instruction& i = b.instruction();
    const auto o = b.operands();
    const std::size_t first = i.paired ? 2 : 1;
    const ptx::Operand* with = o.size() > first + 2 ? &o[first + 2] : nullptr;
    const Type type = i.types[0];
    const Value x = b.source(o[first]), y = b.source(o[first + 1]);
    if (packed(type)) {
        const Type element = type == Type::F16x2 ? Type::F16 : Type::Bf16;
        const Value low = combine(b, compare(b, extract_half(b, x, false), extract_half(b, y, false), element), with);
        const Value high = combine(b, compare(b, extract_half(b, x, true), extract_half(b, y, true), element), with);
        store_predicate(b, o[0], low);
        if (i.paired) store_predicate(b, o[1], high);
        return;
    }
    const Value p = compare(b, x, y, type);
    const Value second = i.paired ? combine(b, inverse(b, p), with) : p;
    const Value first_result = combine(b, p, with);
    if (!i.paired && !with && o[0].kind == OperandKind::Register && b.nodes.back().insn.op[0] == p) {
        b.nodes.back().insn.op[0] = b.destination(o[0]);  // writes directly into the register: the usual case
        return;
    }
    store_predicate(b, o[0], first_result);
    if (i.paired) store_predicate(b, o[1], second);
}

void lower_set(FunctionBuilder& b) {
    const ptx::Instruction& i = b.instruction();
    const auto o = b.operands();
    const Type to = i.types[0], from = i.types[1] == Type::None ? i.types[0] : i.types[1];
    const Value x = b.source(o[1]), y = b.source(o[2]);
    const ptx::Operand* with = o.size() > 3 ? &o[3] : nullptr;
    const auto truth = [&](Type type) -> std::uint64_t {
        return type == Type::F32                            ? 0x3f800000u
               : type == Type::F16 || type == Type::F16x2   ? 0x3c00u
               : type == Type::Bf16 || type == Type::Bf16x2 ? 0x3f80u
                                                            : 0xffffffffu;
    };
    const auto choose = [&](Value p, std::uint64_t one) {
        const Value r = b.new_register(4);
        b.emit("selp.b32", {r}, {b.immediate(one, 4), b.immediate(0, 4), p});
        return r;
    };
    Value result;
    if (packed(from)) {
        const Type element = from == Type::F16x2 ? Type::F16 : Type::Bf16;
        const std::uint64_t one = packed(to) ? truth(to) : 0xffffu;
        const Value low =
            choose(combine(b, compare(b, extract_half(b, x, false), extract_half(b, y, false), element), with), one);
        const Value high =
            choose(combine(b, compare(b, extract_half(b, x, true), extract_half(b, y, true), element), with), one);
        result = b.new_register(4);
        b.emit("pack.b32", {result}, {low, high});
    } else {
        result = choose(combine(b, compare(b, x, y, from), with), truth(to));
    }
    b.emit("mov.b32", {b.destination(o[0])}, {result});
    b.finish_destinations();
}

/// The part of a name for half of a 32- or 64-bit value.
OpPart half_bits_part(Type type) {
    return part(ptx::bits(type) == 32 ? Type::B16 : Type::B32);
}

void lower_mov(FunctionBuilder& b) {
    const auto o = b.operands();
    const Type type = b.instruction().types[0];
    if (o[0].kind == OperandKind::Vector) {
        const auto parts = b.function().elements_of(o[0]);
        const Value whole = b.source(o[1]);
        const OpName name = b.op({"unpack", bits_part(type)});
        if (parts.size() == 2) {
            const Value low = b.destination(parts[0]), high = b.destination(parts[1]);
            b.emit(name, {low, high}, {whole});
        } else if (parts.size() == 4 && ptx::bits(type) >= 32) {
            const OpName half = b.op({"unpack", half_bits_part(type)});
            const Value low = b.new_register(4), high = b.new_register(4);
            b.emit(name, {low, high}, {whole});
            const Value d0 = b.destination(parts[0]), d1 = b.destination(parts[1]);
            b.emit(half, {d0, d1}, {low});
            const Value d2 = b.destination(parts[2]), d3 = b.destination(parts[3]);
            b.emit(half, {d2, d3}, {high});
        } else
            b.unsupported("mov from a vector of this shape");
        return b.finish_destinations();
    }
    if (o[1].kind == OperandKind::Vector) {
        const auto parts = b.function().elements_of(o[1]);
        const OpName name = b.op({"pack", bits_part(type)});
        if (parts.size() == 2) {
            const Value low = b.source(parts[0]), high = b.source(parts[1]);
            b.emit(name, {b.destination(o[0])}, {low, high});
        } else if (parts.size() == 4 && ptx::bits(type) >= 32) {
            const OpName half = b.op({"pack", half_bits_part(type)});
            const Value low = b.new_register(4), high = b.new_register(4);
            b.emit(half, {low}, {b.source(parts[0]), b.source(parts[1])});
            b.emit(half, {high}, {b.source(parts[2]), b.source(parts[3])});
            b.emit(name, {b.destination(o[0])}, {low, high});
        } else
            b.unsupported("mov to a vector of this shape");
        return;
    }
    b.move(o[0], b.source(o[1]));
}

/// lop3 d, a, b, c, table; or lop3.op d|p, a, b, c, table, q, where p = (d != 0) op q
void lower_lop3(FunctionBuilder& b) {
    const auto o = b.operands();
    const std::size_t first = b.instruction().paired ? 2 : 1;
    const ptx::Operand* with = o.size() > first + 4 ? &o[first + 4] : nullptr;
    const Value x = b.source(o[first]), y = b.source(o[first + 1]), z = b.source(o[first + 2]);
    const Value result = with ? b.new_register(4) : b.destination(o[0]);
    b.emit("lop3.b32", {result}, {x, y, z}).insn.mode = static_cast<std::uint16_t>(o[first + 3].bits & 0xff);
    if (!with) return;
    const Value p = b.new_register(1);
    b.emit("setp.ne.b32", {p}, {result, b.immediate(0, 4)});
    const Value combined = combine(b, p, with);
    if (o[0].kind != OperandKind::Sink) b.emit("mov.b32", {b.destination(o[0])}, {result});
    if (b.instruction().paired) store_predicate(b, o[1], combined);
}

/// and, or, xor and not of predicates; not takes its operand twice, as the handler expects.
void lower_logic(FunctionBuilder& b) {
    const auto o = b.operands();
    const Value x = b.source(o[1], 1);
    const Value y = o.size() > 2 ? b.source(o[2], 1) : x;
    b.emit(b.op({part(b.instruction().opcode), "pred"}), {b.destination(o[0])}, {x, y});
}

}  // namespace

void lower_value(FunctionBuilder& b) {
    const ptx::Instruction& i = b.instruction();
    const Type type = i.types[0];
    switch (i.opcode) {
        case Opcode::Setp:
            return lower_setp(b);
        case Opcode::Set:
            return lower_set(b);
        case Opcode::Mov:
            return lower_mov(b);
        case Opcode::Lop3:
            return lower_lop3(b);
        case Opcode::Cvt:
            return lower_conversion(b);
        case Opcode::CvtPack:
        case Opcode::Min:
        case Opcode::Max:
            return lower_modified(b);
        case Opcode::Selp:
            return lower_plain(b, b.op({"selp", bits_part(type)}));
        case Opcode::Slct:
            return lower_plain(b, b.op({"slct", i.modifiers.has(Flag::Ftz) ? OpPart("ftz") : OpPart(""),
                                        bits_part(type), part(i.types[1])}));
        case Opcode::And:
        case Opcode::Or:
        case Opcode::Xor:
        case Opcode::Not:
            if (type == Type::Pred) return lower_logic(b);
            return lower_plain(b, op_name(b));
        case Opcode::Addc:
        case Opcode::Subc:
        case Opcode::Madc:
            return lower_carry(b);
        case Opcode::Add:
            if (moves_parameter_address(b)) return;
            [[fallthrough]];
        case Opcode::Sub:
        case Opcode::Mad:
            if (i.modifiers.has(Flag::Cc)) return lower_carry(b);
            [[fallthrough]];
        default:
            if (is_half(type) || packed(type)) return lower_modified(b);
            return lower_plain(b, op_name(b));
    }
}

}  // namespace cpu::exec
