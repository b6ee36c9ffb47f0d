// min, max and half precision: the modifiers become small instructions before and after the plain one.
#include <vector>

#include "exec/lowering/function_builder.hpp"

namespace cpu::exec {

using ptx::Flag;
using ptx::Opcode;
using ptx::Type;

bool is_half(Type type) {
    return type == Type::F16 || type == Type::Bf16;
}

Value apply(FunctionBuilder& b, OpPart name, Type type, Value value) {
    const Value result = b.new_register(b.width_of(value));
    b.emit(b.op({name, part(type)}), {result}, {value});
    return result;
}

Value apply(FunctionBuilder& b, OpPart name, Type type, Value x, Value y) {
    const Value result = b.new_register(b.width_of(x));
    b.emit(b.op({name, part(type)}), {result}, {x, y});
    return result;
}

void finish(FunctionBuilder& b, Value result, Type type, bool flush) {
    const ptx::Modifiers& m = b.instruction().modifiers;
    if (flush) result = apply(b, "flush", type, result);
    if (m.has(Flag::Sat) && ptx::is_float(type)) result = apply(b, "sat", type, result);
    if (m.has(Flag::Relu)) result = apply(b, "relu", type, result);
    if (m.has(Flag::Satfinite)) result = apply(b, "satfinite", type, result);
    const Value d = b.destination(b.operands()[0]);
    // The last instruction wrote a temporary that nothing else reads: write directly to the destination.
    if (b.nodes.back().insn.op[0] == result && b.nodes.back().defs == 1 && b.width_of(d) == b.width_of(result))
        b.nodes.back().insn.op[0] = d;
    else
        b.emit(move_of(b.width_of(d)), {d}, {result});
    b.finish_destinations();
}

namespace {

/// cvt.pack.sat.T.s32{.b32} d, a, b{, c}
void lower_pack(FunctionBuilder& b) {
    const auto o = b.operands();
    const Value x = b.source(o[1]), y = b.source(o[2]);
    const Value z = o.size() > 3 ? b.source(o[3]) : b.immediate(0, 4);
    b.emit(b.op({"cvt.pack", part(b.instruction().types[0])}), {b.destination(o[0])}, {x, y, z});
}

/// min and max.
void lower_extremum(FunctionBuilder& b) {
    const ptx::Instruction& i = b.instruction();
    const ptx::Modifiers& m = i.modifiers;
    const auto o = b.operands();
    const Type type = i.types[0];
    std::vector<Value> sources;
    for (const ptx::Operand& operand : o.subspan(1)) sources.push_back(b.source(operand));
    const bool xorsign = m.has(Flag::XorsignAbs);
    const Value sign = xorsign ? apply(b, "xorsign", type, sources[0], sources[1]) : 0;
    if (m.has(Flag::Ftz))
        for (Value& value : sources) value = apply(b, "flush", type, value);
    if (m.has(Flag::Abs))
        for (Value& value : sources) value = apply(b, "abs", type, value);
    const OpName name = b.op({part(i.opcode), m.has(Flag::Nan) ? OpPart("NaN") : OpPart(""), part(type)});
    Value result = b.new_register(b.width_of(sources[0]));
    b.emit(name, {result}, {sources[0], sources[1]});
    if (xorsign) result = apply(b, "signed", type, sign, result);
    finish(b, result, type, false);
}

/// Arithmetic of half precision.
void lower_half(FunctionBuilder& b) {
    const ptx::Instruction& i = b.instruction();
    const auto o = b.operands();
    const Type type = i.types[0];
    const bool flush = i.modifiers.has(Flag::Ftz) && i.opcode != Opcode::Ex2;
    std::vector<Value> sources;
    for (const ptx::Operand& operand : o.subspan(1)) {
        const Value value = b.source(operand);
        sources.push_back(flush ? apply(b, "flush", type, value) : value);
    }
    const OpName name =
        b.op({part(i.opcode), i.modifiers.has(Flag::Approx) ? OpPart("approx") : OpPart(""), part(type)});
    Value result = b.new_register(4);
    b.emit(name, {result}, sources);
    if (i.modifiers.has(Flag::Oob)) {
        const Value checked = b.new_register(4);
        b.emit(b.op({"oob", part(type)}), {checked}, {result, sources[0], sources[1]});
        result = checked;
    }
    finish(b, result, type, flush);
}

}  // namespace

void lower_modified(FunctionBuilder& b) {
    const Opcode opcode = b.instruction().opcode;
    if (opcode == Opcode::CvtPack) return lower_pack(b);
    if (opcode == Opcode::Min || opcode == Opcode::Max) return lower_extremum(b);
    const Type type = b.instruction().types[0];
    if (!is_half(type) && type != Type::F16x2 && type != Type::Bf16x2) b.unsupported("this form");
    lower_half(b);
}

}  // namespace cpu::exec
