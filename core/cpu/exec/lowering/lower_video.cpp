// Video instructions. Scalar ones become plain 64-bit instructions, which hold every result before saturation; those of
// several elements have handlers. Where ptxas for sm_90 deviates from the manual, so does this.
#include <string>

#include "exec/handlers/video_mode.hpp"
#include "exec/lowering/function_builder.hpp"

namespace cpu::exec {

using ptx::Flag;
using ptx::Opcode;
using ptx::Operation;
using ptx::Type;

namespace {

Value compute(FunctionBuilder& b, OpName name, std::uint8_t width, std::initializer_list<Value> sources) {
    const Value result = b.new_register(width);
    b.emit(name, {result}, sources);
    return result;
}

ptx::Selector selector(const ptx::Operand& operand) {
    return operand.kind == ptx::OperandKind::Register ? operand.selector() : ptx::Selector{};
}

/// The source, or the part that its selector names, extended to 32 bits.
Value element_of(FunctionBuilder& b, ptx::Operand operand) {
    operand.negated = false;
    const Value whole = b.source(operand);
    const ptx::Selector s = selector(operand);
    if (s.bytes == 0) return whole;
    const unsigned bits = 8 * s.bytes;
    return compute(b, ptx::is_signed(operand.type) ? OpName("bfe.s32") : OpName("bfe.u32"), 4,
                   {whole, b.immediate(s.element(0) * bits, 4), b.immediate(bits, 4)});
}

Value widened(FunctionBuilder& b, Value value, Type type) {
    return compute(b, ptx::is_signed(type) ? OpName("cvt.u64.s32") : OpName("cvt.u64.u32"), 8, {value});
}

bool is_shift(const ptx::Instruction& i) {
    return i.opcode == Opcode::Vshl || i.opcode == Opcode::Vshr;
}

OpPart comparison(const ptx::Instruction& i) {
    return part(ptx::Group::Compare, i.modifiers.compare);
}

/// a << b or a >> b.
Value shifted(FunctionBuilder& b, Value x, Value y) {
    const ptx::Instruction& i = b.instruction();
    const bool wraps = i.modifiers.funnel == ptx::Funnel::Wrap;
    const Value by = compute(b, wraps ? OpName("and.b32") : OpName("min.u32"), 4, {y, b.immediate(wraps ? 31 : 32, 4)});
    return compute(b, i.opcode == Opcode::Vshl ? OpName("shl.b64") : OpName("shr.s64"), 8, {x, by});
}

/// The operation itself, in 64 bits.
Value operate(FunctionBuilder& b) {
    const ptx::Instruction& i = b.instruction();
    const auto o = b.operands();
    const Value x = widened(b, element_of(b, o[1]), o[1].type), narrow = element_of(b, o[2]);
    if (is_shift(i)) return shifted(b, x, narrow);
    const Value y = widened(b, narrow, o[2].type);
    if (i.opcode == Opcode::Vabsdiff) return compute(b, "abs.s64", 8, {compute(b, "sub.u64", 8, {x, y})});
    if (i.opcode == Opcode::Vset) {
        const Value p = compute(b, b.op({"setp", comparison(i), part(Type::S64)}), 1, {x, y});
        return compute(b, "selp.b64", 8, {b.immediate(1, 8), b.immediate(0, 8), p});
    }
    // For example vadd becomes add.
    return compute(b, b.op({OpPart::given(ptx::name(i.opcode).substr(1)), part(Type::S64)}), 8, {x, y});
}

Value clamped(FunctionBuilder& b, Value value, std::int64_t min, std::int64_t max) {
    const auto bound = [&](std::int64_t n) { return b.immediate(static_cast<std::uint64_t>(n), 8); };
    return compute(b, "min.s64", 8, {compute(b, "max.s64", 8, {value, bound(min)}), bound(max)});
}

/// Converts to the register's representation of the type.
Value clamped(FunctionBuilder& b, Value value, bool is_signed) {
    constexpr std::int64_t span = std::int64_t{1} << 32;
    return clamped(b, value, is_signed ? -span / 2 : 0, (is_signed ? span / 2 : span) - 1);
}

/// Saturation as ptxas implements it for sm_90, which deviates from the manual: a sum of unsigned words may overflow;
/// values for a part of a register are compared as unsigned, so that negative results become the maximum; and shifted
/// values count as 34 bits, and are always clamped to a whole register.
Value saturated(FunctionBuilder& b, Value value, bool is_signed, ptx::Selector s) {
    if (is_shift(b.instruction())) {
        const Value kept = compute(b, "bfe.s64", 8, {value, b.immediate(0, 4), b.immediate(34, 4)});
        return clamped(b, kept, is_signed);
    }
    if (s.bytes != 0) {
        const std::uint64_t max = (std::uint64_t{1} << (8 * s.bytes - (is_signed ? 1 : 0))) - 1;
        return compute(b, "min.u64", 8, {value, b.immediate(max, 8)});
    }
    if (is_signed) return clamped(b, value, true);
    return compute(b, "max.s64", 8, {value, b.immediate(0, 8)});
}

/// The greater or lesser of the result and c, compared in 64 bits: for sums, differences and saturated shifts, ptxas
/// compares the sign-extended low word.
Value extremum(FunctionBuilder& b, Value result, Type type) {
    const ptx::Instruction& i = b.instruction();
    const bool is_sum = i.opcode == Opcode::Vadd || i.opcode == Opcode::Vsub;
    const bool is_word = is_sum || (is_shift(i) && i.modifiers.has(Flag::Sat));
    if (is_word) result = compute(b, "cvt.u64.s32", 8, {compute(b, "cvt.u32.u64", 4, {result})});
    const OpName name = b.op({part(i.modifiers.operation), part(ptx::is_signed(type) ? Type::S64 : Type::U64)});
    return compute(b, name, 8, {result, widened(b, b.source(b.operands()[3]), type)});
}

/// d.part = result: the bytes of c, with the selected part replaced by a byte of the result. As in ptxas, a half-word
/// is taken from its own position, even the upper one.
void merge(FunctionBuilder& b, Value d, Value result, ptx::Selector s) {
    std::uint64_t bytes = 0x7654;
    for (unsigned n = s.element(0) * s.bytes; n < (s.element(0) + 1) * s.bytes; ++n)
        bytes = (bytes & ~(std::uint64_t{15} << 4 * n)) | std::uint64_t{s.bytes == 1 ? 0 : n} << 4 * n;
    b.emit("prmt.b32", {d}, {result, b.source(b.operands()[3]), b.immediate(bytes, 4)});
}

void lower_scalar(FunctionBuilder& b) {
    const ptx::Instruction& i = b.instruction();
    const auto o = b.operands();
    const Operation secondary = i.modifiers.operation;
    const Type type = i.types[0];  // the type of the result, or of what vset compares: it determines how c is read
    const ptx::Selector s = selector(o[0]);
    Value result = operate(b);
    if (i.modifiers.has(Flag::Sat)) result = saturated(b, result, ptx::is_signed(type), s);
    if (secondary == Operation::Min || secondary == Operation::Max) result = extremum(b, result, type);
    const Value d = b.destination(o[0]);
    if (secondary == Operation::Add)
        b.emit("add.u32", {d}, {compute(b, "cvt.u32.u64", 4, {result}), b.source(o[3])});
    else if (s.bytes != 0)
        merge(b, d, compute(b, "cvt.u32.u64", 4, {result}), s);
    else
        b.emit("cvt.u32.u64", {d}, {result});
    b.finish_destinations();
}

/// d = +-(a * b) +- c (+ 1) >> scale. Like ptxas, this always multiplies words as signed integers.
void lower_mad(FunctionBuilder& b) {
    const ptx::Modifiers& m = b.instruction().modifiers;
    const auto o = b.operands();
    const bool negates = o[1].negated != o[2].negated;
    const bool is_signed = ptx::is_signed(o[1].type) || ptx::is_signed(o[2].type) || negates || o[3].negated;
    const Value product = compute(b, "mul.wide.s32", 8, {element_of(b, o[1]), element_of(b, o[2])});
    const Value added = widened(b, element_of(b, o[3]), Type::S32);
    Value sum = negates        ? compute(b, "sub.u64", 8, {added, product})
                : o[3].negated ? compute(b, "sub.u64", 8, {product, added})
                               : compute(b, "add.u64", 8, {product, added});
    if (m.has(Flag::PlusOne)) sum = compute(b, "add.u64", 8, {sum, b.immediate(1, 8)});
    if (m.scale != ptx::Scale::None) {
        const Value by = b.immediate(m.scale == ptx::Scale::Shr7 ? 7 : 15, 4);
        sum = compute(b, is_signed ? OpName("shr.s64") : OpName("shr.u64"), 8, {sum, by});
    }
    if (m.has(Flag::Sat)) sum = clamped(b, sum, is_signed);
    b.emit("cvt.u32.u64", {b.destination(o[0])}, {sum});
    b.finish_destinations();
}

/// The elements that a selector picks from the two registers, in register order.
Value selected(FunctionBuilder& b, ptx::Selector s, Value own, Value first, Value second) {
    if (s.bytes == 0) return own;
    std::uint64_t bytes = 0;
    for (unsigned n = 0; n < 4; ++n) bytes |= (s.element(n / s.bytes) * s.bytes + n % s.bytes) << 4 * n;
    return compute(b, "prmt.b32", 4, {first, second, b.immediate(bytes, 4)});
}

VideoFunction function_of(const ptx::Instruction& i) {
    using F = VideoFunction;
    static constexpr std::pair<std::string_view, F> names[] = {
        {"vadd", F::Add},     {"vsub", F::Subtract}, {"vavrg", F::Average}, {"vabsdiff", F::Difference},
        {"vmin", F::Minimum}, {"vmax", F::Maximum},  {"eq", F::Equal},      {"ne", F::NotEqual},
        {"lt", F::Less},      {"le", F::LessEqual},  {"gt", F::Greater},    {"ge", F::GreaterEqual}};
    const bool compares = i.modifiers.compare != ptx::Compare::None;
    const std::string_view name = compares ? comparison(i).text() : ptx::name(i.opcode);
    for (const auto& [start, function] : names)
        if (compares ? name == start : name.starts_with(start)) return function;
    return F::Add;
}

void lower_simd(FunctionBuilder& b, unsigned count) {
    const ptx::Instruction& i = b.instruction();
    const auto o = b.operands();
    const Value x = b.source(o[1]), y = b.source(o[2]), z = b.source(o[3]);
    const Value p = selected(b, selector(o[1]), x, x, y), q = selected(b, selector(o[2]), y, x, y);
    unsigned mode = 0;
    if (ptx::is_signed(o[1].type)) mode |= video_signed_a;
    if (ptx::is_signed(o[2].type)) mode |= video_signed_b;
    if (ptx::is_signed(o[0].type)) mode |= video_signed_d;
    const ptx::Selector mask = selector(o[0]);
    for (unsigned n = 0; n < (mask.bytes ? mask.count : count); ++n)
        mode |= video_mask << (mask.bytes ? mask.element(n) : n);
    mode |= static_cast<unsigned>(function_of(i)) << video_function_shift;
    const OpName name = b.op({count == 2 ? OpPart("video.2") : OpPart("video.4"),
                              i.modifiers.has(Flag::Sat) ? OpPart("sat") : OpPart(""),
                              i.modifiers.operation == Operation::Add ? OpPart("add") : OpPart("")});
    b.emit(name, {b.destination(o[0])}, {p, q, z}).insn.mode = static_cast<std::uint16_t>(mode);
    b.finish_destinations();
}

}  // namespace

void lower_video(FunctionBuilder& b) {
    switch (ptx::name(b.instruction().opcode).back()) {
        case '2':
            return lower_simd(b, 2);
        case '4':
            return lower_simd(b, 4);
        default:
            return b.instruction().opcode == Opcode::Vmad ? lower_mad(b) : lower_scalar(b);
    }
}

}  // namespace cpu::exec
