// Textures and surfaces: coordinates and other inputs are passed in "operands", six at a time.
#include <algorithm>
#include <string>
#include <vector>

#include "exec/lowering/function_builder.hpp"

namespace cpu::exec {

using ptx::Opcode;
using ptx::OperandKind;
using ptx::Query;
using ptx::Type;

namespace {

std::string name(const FunctionBuilder& b) {
    return std::string(ptx::name(b.instruction().opcode));
}

TextureAccess common(FunctionBuilder& b, TextureAccess::Kind kind) {
    const ptx::Modifiers& m = b.instruction().modifiers;
    TextureAccess access;
    access.kind = kind;
    access.geometry = m.geometry;
    access.level = m.level;
    access.border = m.border;
    access.query = m.query;
    access.operation = m.operation;
    access.type = b.instruction().types[0];
    if (m.geometry != ptx::Geometry::None && dimensions(m.geometry) == 0)
        b.unsupported(name(b) + " of multisampled textures");
    return access;
}

/// Reads the first `count` elements, for the instruction's operands.
void read(FunctionBuilder& b, const ptx::Operand& o, std::size_t count, std::vector<Value>& values) {
    if (b.elements(o).size() < count) b.unsupported(name(b) + " with too few operands");
    for (const ptx::Operand& element : b.elements(o).first(count)) values.push_back(b.source(element));
}

void read_coordinates(FunctionBuilder& b, const ptx::Operand& o, TextureAccess& access, std::vector<Value>& values) {
    access.coordinates = static_cast<std::uint8_t>(dimensions(access.geometry) + (is_layered(access.geometry) ? 1 : 0));
    read(b, o, access.coordinates, values);
}

/// `results`: the destinations, in the order of the channels; `resident`: a predicate, or no_operand.
void emit(FunctionBuilder& b, OpName row, TextureAccess access, const std::vector<Value>& values, Value object,
          const std::vector<Value>& results, Value resident = no_operand) {
    access.operands = static_cast<std::uint8_t>(values.size());
    b.carry(values, &Node::uses);
    Node& node = b.emit(row, {}, {});
    for (std::size_t n = 0; n < results.size(); ++n) node.add(n, results[n], &Node::defs);
    node.add(4, object, &Node::uses);
    if (resident != no_operand) node.add(5, resident, &Node::defs);
    using Kind = TextureAccess::Kind;
    const bool reduces = access.kind == Kind::Reduce, formats = access.kind == Kind::StoreFormatted;
    node.access = {.reads = access.kind == Kind::Load || reduces,
                   .writes = access.kind == Kind::Store || formats || reduces};
    // The size of a texel is known only at run time: assume the largest.
    node.insn.access_bytes = static_cast<std::uint16_t>(formats ? 16 : access.elements * access.element_bytes);
    node.insn.texture = b.add_texture(access);
    b.finish_destinations();
}

/// The results, at most four.
std::vector<Value> results_of(FunctionBuilder& b, const ptx::Operand& o) {
    if (b.elements(o).size() > 4) b.unsupported(name(b) + " of more than four elements");
    return b.destinations(o);
}

/// The operands after the coordinates of tex and tld4: level of detail or two gradients, an offset, a depth to compare
/// with.
void read_extras(FunctionBuilder& b, std::span<const ptx::Operand> extras, TextureAccess& access,
                 std::vector<Value>& values) {
    const unsigned count = dimensions(access.geometry);
    const std::size_t leading = access.level == ptx::Level::Level ? 1 : access.level == ptx::Level::Grad ? 2 : 0;
    for (std::size_t n = 0; n < leading; ++n) read(b, extras[n], access.level == ptx::Level::Grad ? count : 1, values);
    for (const ptx::Operand& extra : extras.subspan(leading)) {
        if (extra.type != Type::S32) continue;  // CUDA has no comparing textures: the fetch ignores the depth
        access.offset = true;
        read(b, extra, count, values);
    }
}

/// With a separate sampler, integer coordinates and levels are converted to floats.
void sample_at_integers(FunctionBuilder& b, TextureAccess& access, std::vector<Value>& values) {
    const std::size_t end = access.coordinates + (access.level == ptx::Level::Level ? 1u : 0u);
    for (std::size_t n = is_layered(access.geometry) ? 1 : 0; n < end; ++n) {
        const Value real = b.new_register(4);
        b.emit("cvt.f32.s32", {real}, {values[n]});
        values[n] = real;
    }
    access.integer_coordinates = false;
}

/// tex and tld4: d{|p}, [texture{, sampler}, coordinates]{, extras}
void lower_fetch(FunctionBuilder& b, TextureAccess::Kind kind) {
    const ptx::Instruction& i = b.instruction();
    const auto o = b.operands();
    // With a unified sampler, the GPU would interpret the sampler's handle as a coordinate.
    if (i.separate_sampler && !b.program().independent_textures) b.unsupported(name(b) + " with a separate sampler");
    TextureAccess access = common(b, kind);
    // With gradients, the bits of integer coordinates are reinterpreted as floats; in one dimension they are ignored.
    const bool row = access.geometry == ptx::Geometry::D1;
    access.integer_coordinates = i.types[1] == Type::S32 && (access.level != ptx::Level::Grad || row);
    access.component = static_cast<std::uint8_t>(std::max(1, static_cast<int>(i.modifiers.component)) - 1);
    // A texture object contains its own sampler, and the named one is ignored.
    const std::size_t at = i.paired ? 2 : 1, coordinates = at + (i.separate_sampler ? 2 : 1);
    const Value object = b.source(o[at], 8);
    std::vector<Value> values;
    read_coordinates(b, o[coordinates], access, values);
    read_extras(b, o.subspan(coordinates + 1), access, values);
    if (i.separate_sampler && access.integer_coordinates) sample_at_integers(b, access, values);
    const std::vector<Value> results = results_of(b, o[0]);
    access.elements = static_cast<std::uint8_t>(results.size());
    const bool resident = i.paired && o[1].kind == OperandKind::Register;
    emit(b, "texture", access, values, object, results, resident ? b.destination(o[1]) : no_operand);
}

/// suld.b d, [surface, coordinates]
void load_from_surface(FunctionBuilder& b) {
    const auto o = b.operands();
    TextureAccess access = common(b, TextureAccess::Kind::Load);
    access.element_bytes = static_cast<std::uint8_t>(ptx::bytes(access.type));
    const Value object = b.source(o[1], 8);
    std::vector<Value> values;
    read_coordinates(b, o[2], access, values);
    const std::vector<Value> results = results_of(b, o[0]);
    access.elements = static_cast<std::uint8_t>(results.size());
    emit(b, "surface", access, values, object, results);
}

/// sust and sured: [surface, coordinates], a
void lower_store(FunctionBuilder& b, TextureAccess::Kind kind, bool formatted) {
    const auto o = b.operands();
    TextureAccess access = common(b, kind);
    access.formatted = formatted;
    access.element_bytes = static_cast<std::uint8_t>(ptx::bytes(access.type));
    const Value object = b.source(o[0], 8);
    std::vector<Value> values;
    read_coordinates(b, o[1], access, values);
    if (b.elements(o[2]).size() > 4) b.unsupported(name(b) + " of more than four elements");
    access.elements = static_cast<std::uint8_t>(b.elements(o[2]).size());
    read(b, o[2], access.elements, values);
    emit(b, "surface", access, values, object, {});
}

void lower_query(FunctionBuilder& b) {
    const auto o = b.operands();
    TextureAccess access = common(b, TextureAccess::Kind::Query);
    access.surface = b.instruction().opcode == Opcode::Suq;
    const Query q = access.query;
    const bool of_image = q == Query::Width || q == Query::Height || q == Query::Depth || q == Query::ArraySize;
    const bool of_texture = q == Query::NormalizedCoords || q == Query::NumMipmapLevels;
    if (!of_image && (access.surface || !of_texture)) b.unsupported(name(b) + " of this property");
    const Value object = b.source(o[1], 8);
    std::vector<Value> values;
    if (o.size() > 2) values.push_back(b.source(o[2], 4));
    emit(b, "texture.query", access, values, object, {b.destination(o[0])});
}

/// istypep p, a: tests bits of a handle that are never set on an H200.
void lower_type_test(FunctionBuilder& b) {
    const auto o = b.operands();
    b.source(o[1], 8);
    b.emit("mov.pred", {b.destination(o[0])}, {b.immediate(0, 1), b.immediate(0, 1)});
}

}  // namespace

void lower_texture(FunctionBuilder& b) {
    switch (b.instruction().opcode) {
        case Opcode::Tex:
            return lower_fetch(b, TextureAccess::Kind::Sample);
        case Opcode::Tld4:
            return lower_fetch(b, TextureAccess::Kind::Gather);
        case Opcode::SuldB:
            return load_from_surface(b);
        case Opcode::SustB:
            return lower_store(b, TextureAccess::Kind::Store, false);
        case Opcode::SustP:
            return lower_store(b, TextureAccess::Kind::StoreFormatted, true);
        case Opcode::SuredB:
            return lower_store(b, TextureAccess::Kind::Reduce, false);
        case Opcode::SuredP:
            return lower_store(b, TextureAccess::Kind::Reduce, true);
        case Opcode::Txq:
        case Opcode::Suq:
            return lower_query(b);
        case Opcode::Istypep:
            return lower_type_test(b);
        default:
            b.unsupported(name(b));
    }
}

}  // namespace cpu::exec
