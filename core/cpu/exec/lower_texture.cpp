// Textures and surfaces: the coordinates and what else is read go into "texture.operands", six at a time.
#include <algorithm>
#include <string>
#include <vector>

#include "exec/function_builder.hpp"

namespace cpu::exec {

using ptx::Opcode;
using ptx::OperandKind;
using ptx::Query;
using ptx::Type;

namespace {

std::span<const ptx::Operand> elements(const FunctionBuilder& b, const ptx::Operand& o) {
    return o.kind == OperandKind::Vector ? b.function().elements_of(o) : std::span<const ptx::Operand>(&o, 1);
}

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
    if (m.geometry != ptx::Geometry::None && dimensions(m.geometry) == 0)
        b.unsupported(name(b) + " of multisampled textures");
    return access;
}

/// Two coordinates on an image, a layer or a face: what four texels can be gathered from.
bool is_planar(ptx::Geometry g) {
    return g == ptx::Geometry::D2 || g == ptx::Geometry::A2 || is_cube(g);
}

/// The first `count` elements, as they are read by the instruction.
void read(FunctionBuilder& b, const ptx::Operand& o, std::size_t count, std::vector<Value>& values) {
    if (elements(b, o).size() < count) b.unsupported(name(b) + " with so few operands");
    for (const ptx::Operand& element : elements(b, o).first(count)) values.push_back(b.source(element));
}

void read_coordinates(FunctionBuilder& b, const ptx::Operand& o, TextureAccess& access, std::vector<Value>& values) {
    access.coordinates = static_cast<std::uint8_t>(dimensions(access.geometry) + (is_layered(access.geometry) ? 1 : 0));
    read(b, o, access.coordinates, values);
}

/// `results`: the destinations, in the order of the channels; `resident`: a predicate, or no_operand.
void emit(FunctionBuilder& b, std::string_view key, TextureAccess access, const std::vector<Value>& values,
          Value object, const std::vector<Value>& results, Value resident = no_operand) {
    access.operands = static_cast<std::uint8_t>(values.size());
    for (std::size_t first = 0; first < values.size(); first += 6) {
        Node& node = b.emit("texture.operands", {}, {});
        for (std::size_t n = 0; n < 6 && first + n < values.size(); ++n) {
            node.insn.op[n] = values[first + n];
            node.uses = static_cast<std::uint8_t>(node.uses | 1u << n);
        }
    }
    Node& node = b.emit(key, {}, {});
    for (std::size_t n = 0; n < results.size(); ++n) {
        node.insn.op[n] = results[n];
        node.defs = static_cast<std::uint8_t>(node.defs | 1u << n);
    }
    node.insn.op[4] = object;
    node.uses = 1u << 4;
    if (resident != no_operand) {
        node.insn.op[5] = resident;
        node.defs |= 1u << 5;
    }
    node.access = {.reads = access.kind == TextureAccess::Kind::Load,
                   .writes = access.kind == TextureAccess::Kind::Store};
    node.insn.size = static_cast<std::uint16_t>(access.elements * access.element_bytes);
    node.insn.target = b.add_texture(access);
    b.finish_destinations();
}

std::vector<Value> destinations(FunctionBuilder& b, const ptx::Operand& o) {
    std::vector<Value> result;
    if (elements(b, o).size() > 4) b.unsupported(name(b) + " of more than four elements");
    for (const ptx::Operand& element : elements(b, o)) result.push_back(b.destination(element));
    return result;
}

/// tex and tld4: d{|p}, [texture, coordinates]{, level | dx, dy}
void lower_fetch(FunctionBuilder& b, TextureAccess::Kind kind) {
    const ptx::Instruction& i = b.instruction();
    const auto o = b.operands();
    if (i.separate_sampler) b.unsupported(name(b) + " with a separate sampler");
    if (i.types[0] == Type::F16x2) b.unsupported(name(b) + " of half-precision results");
    TextureAccess access = common(b, kind);
    access.integer_coordinates = i.types[1] == Type::S32;
    if (access.integer_coordinates && is_cube(access.geometry)) b.unsupported("tex of cube maps at integers");
    if (access.integer_coordinates && access.level != ptx::Level::None && access.level != ptx::Level::Base)
        b.unsupported("tex with a level of detail at integers");
    if (kind == TextureAccess::Kind::Gather && (access.integer_coordinates || !is_planar(access.geometry)))
        b.unsupported("tld4 of this geometry");
    access.component = static_cast<std::uint8_t>(std::max(1, static_cast<int>(i.modifiers.component)) - 1);
    const std::size_t at = i.paired ? 2 : 1;
    const std::size_t extras = access.level == ptx::Level::Level ? 1 : access.level == ptx::Level::Grad ? 2 : 0;
    if (o.size() > at + 2 + extras) b.unsupported(name(b) + " with an offset or a depth to compare with");
    const Value object = b.source(o[at], 8);
    std::vector<Value> values;
    read_coordinates(b, o[at + 1], access, values);
    for (std::size_t n = 0; n < extras; ++n)
        read(b, o[at + 2 + n], access.level == ptx::Level::Grad ? dimensions(access.geometry) : 1, values);
    const std::vector<Value> results = destinations(b, o[0]);
    access.elements = static_cast<std::uint8_t>(results.size());
    const bool resident = i.paired && o[1].kind == OperandKind::Register;
    emit(b, "texture", access, values, object, results, resident ? b.destination(o[1]) : no_operand);
}

/// suld.b d, [surface, coordinates] and sust.b [surface, coordinates], a
void lower_surface(FunctionBuilder& b, bool stores) {
    const auto o = b.operands();
    TextureAccess access = common(b, stores ? TextureAccess::Kind::Store : TextureAccess::Kind::Load);
    if (is_cube(access.geometry)) b.unsupported(name(b) + " of a cube by direction");
    access.element_bytes = static_cast<std::uint8_t>(ptx::bytes(b.instruction().types[0]));
    const Value object = b.source(o[stores ? 0 : 1], 8);
    std::vector<Value> values, results;
    read_coordinates(b, o[stores ? 1 : 2], access, values);
    const ptx::Operand& data = o[stores ? 2 : 0];
    if (elements(b, data).size() > 4) b.unsupported(name(b) + " of more than four elements");
    access.elements = static_cast<std::uint8_t>(elements(b, data).size());
    if (stores)
        read(b, data, access.elements, values);
    else
        results = destinations(b, data);
    emit(b, "surface", access, values, object, results);
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

}  // namespace

void lower_texture(FunctionBuilder& b) {
    switch (b.instruction().opcode) {
        case Opcode::Tex:
            return lower_fetch(b, TextureAccess::Kind::Sample);
        case Opcode::Tld4:
            return lower_fetch(b, TextureAccess::Kind::Gather);
        case Opcode::SuldB:
            return lower_surface(b, false);
        case Opcode::SustB:
            return lower_surface(b, true);
        case Opcode::Txq:
        case Opcode::Suq:
            return lower_query(b);
        default:
            b.unsupported(name(b));
    }
}

}  // namespace cpu::exec
