// cvt: converts from one type to another in steps, each of which is a row of ops.def.
#include <string>

#include "exec/handlers/rounding.hpp"
#include "exec/lowering/function_builder.hpp"

namespace cpu::exec {

using ptx::Flag;
using ptx::Rounding;
using ptx::Type;

std::uint16_t rounding_bits(Rounding rounding) {
    return rounding == Rounding::Rm ? 1 : rounding == Rounding::Rp ? 2 : rounding == Rounding::Rz ? 3 : 0;
}

namespace {

bool eight_bits(Type t) {
    return t == Type::E4m3x2 || t == Type::E5m2x2;
}
bool is_single_or_double(Type t) {
    return t == Type::F32 || t == Type::F64;
}
bool to_integral(Rounding r) {
    return r == Rounding::Rni || r == Rounding::Rzi || r == Rounding::Rmi || r == Rounding::Rpi;
}
/// The row that converts between integers. A 32-bit register holds narrower integers extended according to their sign,
/// so many conversions leave the same bits and share a row.
OpName integer_conversion(const FunctionBuilder& b, Type to, Type from) {
    const int wide = ptx::bits(to), narrow = ptx::bits(from);
    if (wide == 64) return b.op({"cvt.u64", part(narrow == 64 ? Type::U64 : from)});
    if (narrow == 64) return b.op({"cvt", part(wide == 32 ? Type::U32 : to), "u64"});
    if (wide == 32 && narrow == 32) return "cvt.u32.u32";
    if (narrow >= wide) return b.op({"cvt", part(ptx::is_signed(to) ? Type::S32 : Type::U32), part(to)});
    if (wide == 16 && ptx::is_signed(from) && !ptx::is_signed(to)) return "cvt.u16.s8";
    return b.op({"cvt", part(ptx::is_signed(from) ? Type::S32 : Type::U32), part(from)});
}

/// True if `to` can represent every value of `from`.
bool holds(Type to, Type from) {
    const bool is_signed = ptx::is_signed(to);
    return is_signed == ptx::is_signed(from) ? ptx::bits(to) >= ptx::bits(from)
                                             : is_signed && ptx::bits(to) > ptx::bits(from);
}

/// A value during a conversion, and its current type.
struct Step {
    FunctionBuilder& b;
    Value value;
    Type type;

    void become(Type to, OpPart how = "cvt", OpPart rounding = "") {
        const Value next = b.new_register(width_of_type(to));
        b.emit(b.op({how, rounding, part(to), part(type)}), {next}, {value});
        value = next;
        type = to;
    }
    bool is_narrow_integer() const { return ptx::is_integer(type) && ptx::bits(type) < 32; }

    /// Converts to a type from which there is a row to `to`.
    void approach(Type to, Rounding rounding) {
        if (is_half(type) && !is_single_or_double(to)) become(Type::F32);
        if (ptx::is_integer(type) && !ptx::is_integer(to)) {
            if (is_narrow_integer()) become(ptx::is_signed(type) ? Type::S32 : Type::U32);
            // This step is exact, or the second rounding cannot change the result.
            if (is_half(to)) become(Type::F64, ptx::bits(type) == 64 ? OpPart("odd") : OpPart("cvt"));
        }
        if (!ptx::is_float(type) || !to_integral(rounding)) return;
        if (ptx::is_integer(to) ? rounding != Rounding::Rzi : is_half(to)) become(type, "cvt", part(rounding));
        if (ptx::is_integer(to) && ptx::bits(to) < 32 && type == Type::F32) become(Type::S32, "cvt", "rzi");
    }

    /// The row for the last step; `mode` receives its rounding mode.
    OpName last(Type to, const ptx::Modifiers& m, std::uint16_t& mode) const {
        if (ptx::is_integer(to)) {
            if (ptx::is_float(type)) return b.op({"cvt.rzi", part(to), part(type)});
            const bool saturates = m.has(Flag::Sat) || !ptx::is_integer(b.instruction().types[1]);
            if (saturates && !holds(to, type)) return b.op({"cvt.sat", part(to), part(type)});
            return integer_conversion(b, to, type);
        }
        OpPart rounding = "";
        if (is_single_or_double(to)) {
            if (to_integral(m.rounding))
                rounding = part(m.rounding);
            else if (!is_half(type))
                mode = rounding_bits(m.rounding);  // all conversions from half precision are exact
            if (rounding.text().empty() && to == Type::F32 && type == Type::F32) return "mov.b32";
        } else if (rounding_bits(m.rounding) || m.rounding == Rounding::Rna) {
            rounding = part(m.rounding);
        }
        return b.op({"cvt", rounding, part(to), part(type)});
    }
};

}  // namespace

void lower_conversion(FunctionBuilder& b) {
    const ptx::Instruction& i = b.instruction();
    const ptx::Modifiers& m = i.modifiers;
    const auto o = b.operands();
    const Type to = i.types[0], from = i.types[1];
    const bool flush = m.has(Flag::Ftz);
    const bool away = m.rounding == Rounding::Rm || m.rounding == Rounding::Rp;
    const auto prepared = [&](const ptx::Operand& operand) {
        Value value = b.source(operand);
        // For doubles, "flush" is for values that would be subnormal in single precision. Rounding down or up may still
        // make them normal, so these are flushed afterwards.
        if (flush && to != Type::F16 && (from == Type::F32 || (from == Type::F64 && to == Type::F32 && !away)))
            value = apply(b, "flush", from, value);
        if (m.has(Flag::Relu) && eight_bits(to)) value = apply(b, "relu", from, value);
        return value;
    };
    Step step{b, prepared(o[1]), from};
    step.approach(to, m.rounding);
    std::uint16_t mode = 0;
    const OpName name = step.last(to, m, mode);
    const bool plain = eight_bits(to) || ptx::is_integer(to);
    const bool flush_after = flush && to == Type::F32 && (is_half(from) || (from == Type::F64 && away));
    const bool after =
        flush_after || (m.has(Flag::Sat) && ptx::is_float(to)) || m.has(Flag::Relu) || m.has(Flag::Satfinite);
    const bool direct = plain || !after;
    const Value second = o.size() > 2 ? prepared(o[2]) : no_operand;
    const Value result = direct ? b.destination(o[0]) : b.new_register(ptx::bits(to) == 64 ? 8 : 4);
    Node& node =
        second == no_operand ? b.emit(name, {result}, {step.value}) : b.emit(name, {result}, {step.value, second});
    if (mode) run_rounded(node.insn, *node.row, mode);
    if (direct) return b.finish_destinations();
    finish(b, result, to, flush_after);
}

}  // namespace cpu::exec
