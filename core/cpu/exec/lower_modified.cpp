// Conversions, minima and half precision: the modifiers are small instructions before and after the plain one.
#include <string>
#include <vector>

#include "exec/function_builder.hpp"

namespace cpu::exec {

using ptx::Flag;
using ptx::Opcode;
using ptx::Rounding;
using ptx::Type;

namespace {

bool half(Type t) {
    return t == Type::F16 || t == Type::F16x2 || t == Type::Bf16 || t == Type::Bf16x2;
}

Value apply(FunctionBuilder& b, std::string_view name, Type type, Value value) {
    const Value result = b.new_register(b.width_of(value));
    b.emit(std::string(name) + "." + std::string(ptx::name(type)), {result}, {value});
    return result;
}

Value apply(FunctionBuilder& b, std::string_view name, Type type, Value x, Value y) {
    const Value result = b.new_register(b.width_of(x));
    b.emit(std::string(name) + "." + std::string(ptx::name(type)), {result}, {x, y});
    return result;
}

/// The result after the modifiers that change it, in the instruction's destination.
void finish(FunctionBuilder& b, Value result, Type type, bool flush) {
    const ptx::Modifiers& m = b.instruction().modifiers;
    if (flush) result = apply(b, "flush", type, result);
    if (m.has(Flag::Sat) && ptx::is_float(type)) result = apply(b, "sat", type, result);
    if (m.has(Flag::Relu)) result = apply(b, "relu", type, result);
    if (m.has(Flag::Satfinite)) result = apply(b, "satfinite", type, result);
    const Value d = b.destination(b.operands()[0]);
    // The last instruction wrote a temporary that nothing else reads: let it write the destination.
    if (b.nodes.back().insn.op[0] == result && b.nodes.back().defs == 1 && b.width_of(d) == b.width_of(result))
        b.nodes.back().insn.op[0] = d;
    else
        b.emit(b.width_of(d) == 8 ? "mov.b64" : "mov.b32", {d}, {result});
    b.finish_destinations();
}

std::string conversion_key(const ptx::Instruction& i, std::uint16_t& mode) {
    const Type to = i.types[0], from = i.types[1];
    const bool wide = to == Type::F32 || to == Type::F64;
    std::string key = "cvt";
    switch (i.modifiers.rounding) {
        case Rounding::Rni:
            key += ".rni";
            break;
        case Rounding::Rzi:
            key += ".rzi";
            break;
        case Rounding::Rmi:
            key += ".rmi";
            break;
        case Rounding::Rpi:
            key += ".rpi";
            break;
        case Rounding::Rna:
            key += ".rna";
            break;
        case Rounding::Rm:
            key += wide ? ".rnd" : ".rm";
            mode = 1;
            break;
        case Rounding::Rp:
            key += wide ? ".rnd" : ".rp";
            mode = 2;
            break;
        case Rounding::Rz:
            key += wide ? ".rnd" : ".rz";
            mode = 3;
            break;
        default:
            break;
    }
    if (from == Type::Bf16 && wide) key = "cvt", mode = 0;  // exact: rounding changes nothing
    if (i.modifiers.has(Flag::Sat) && ptx::is_integer(to) && ptx::is_integer(from)) key += ".sat";
    if (key == "cvt" && to == Type::F32 && from == Type::F32) return "mov.b32";
    return key + "." + std::string(ptx::name(to)) + "." + std::string(ptx::name(from));
}

bool eight_bits(Type t) {
    return t == Type::E4m3x2 || t == Type::E5m2x2;
}

void lower_conversion(FunctionBuilder& b) {
    const ptx::Instruction& i = b.instruction();
    const auto o = b.operands();
    const Type to = i.types[0], from = i.types[1];
    const bool flush = i.modifiers.has(Flag::Ftz);
    std::uint16_t mode = 0;
    const std::string key = conversion_key(i, mode);
    const bool away = i.modifiers.rounding == Rounding::Rm || i.modifiers.rounding == Rounding::Rp;
    std::vector<Value> sources;
    for (const ptx::Operand& operand : o.subspan(1)) {
        Value value = b.source(operand);
        // From double: what would be subnormal in single precision; directed rounding may still make it normal.
        if (flush && to != Type::F16 && (from == Type::F32 || (from == Type::F64 && to == Type::F32 && !away)))
            value = apply(b, "flush", from, value);
        if (i.modifiers.has(Flag::Relu) && eight_bits(to)) value = apply(b, "relu", from, value);
        sources.push_back(value);
    }
    const bool plain = eight_bits(to) || ptx::is_integer(to);
    const bool flush_after = flush && to == Type::F32 && (half(from) || (from == Type::F64 && away));
    const bool after = flush_after || (i.modifiers.has(Flag::Sat) && ptx::is_float(to)) ||
                       (i.modifiers.has(Flag::Relu) || i.modifiers.has(Flag::Satfinite));
    const Value result = plain || !after ? b.destination(o[0]) : b.new_register(ptx::bits(to) == 64 ? 8 : 4);
    if (sources.size() == 1)
        b.emit(key, {result}, {sources[0]}).insn.aux = mode;
    else
        b.emit(key, {result}, {sources[0], sources[1]}).insn.aux = mode;
    if (plain || !after) return b.finish_destinations();
    finish(b, result, to, flush_after);
}

/// cvt.pack.sat.T.s32{.b32} d, a, b{, c}
void lower_pack(FunctionBuilder& b) {
    const auto o = b.operands();
    const Value x = b.source(o[1]), y = b.source(o[2]);
    const Value z = o.size() > 3 ? b.source(o[3]) : b.immediate(0, 4);
    b.emit("cvt.pack." + std::string(ptx::name(b.instruction().types[0])), {b.destination(o[0])}, {x, y, z});
}

/// min and max.
void lower_extremum(FunctionBuilder& b) {
    const ptx::Instruction& i = b.instruction();
    const ptx::Modifiers& m = i.modifiers;
    const auto o = b.operands();
    const Type type = i.types[0];
    const std::string name = std::string(ptx::name(i.opcode)) + (m.has(Flag::Nan) ? ".NaN" : "");
    std::vector<Value> sources;
    for (const ptx::Operand& operand : o.subspan(1)) sources.push_back(b.source(operand));
    const bool xorsign = m.has(Flag::XorsignAbs);
    const Value sign = xorsign ? apply(b, "xorsign", type, sources[0], sources[1]) : 0;
    if (m.has(Flag::Ftz))
        for (Value& value : sources) value = apply(b, "flush", type, value);
    if (m.has(Flag::Abs))
        for (Value& value : sources) value = apply(b, "abs", type, value);
    Value result = apply(b, name, type, sources[0], sources[1]);
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
    const std::string key = std::string(ptx::name(i.opcode)) + (i.modifiers.has(Flag::Approx) ? ".approx." : ".") +
                            std::string(ptx::name(type));
    Value result = b.new_register(4);
    switch (sources.size()) {
        case 1:
            b.emit(key, {result}, {sources[0]});
            break;
        case 2:
            b.emit(key, {result}, {sources[0], sources[1]});
            break;
        default:
            b.emit(key, {result}, {sources[0], sources[1], sources[2]});
            break;
    }
    if (i.modifiers.has(Flag::Oob)) {
        const Value checked = b.new_register(4);
        b.emit("oob." + std::string(ptx::name(type)), {checked}, {result, sources[0], sources[1]});
        result = checked;
    }
    finish(b, result, type, flush);
}

}  // namespace

void lower_modified(FunctionBuilder& b) {
    const Opcode opcode = b.instruction().opcode;
    if (opcode == Opcode::Cvt) return lower_conversion(b);
    if (opcode == Opcode::CvtPack) return lower_pack(b);
    if (opcode == Opcode::Min || opcode == Opcode::Max) return lower_extremum(b);
    if (!half(b.instruction().types[0])) b.unsupported("this form");
    lower_half(b);
}

}  // namespace cpu::exec
