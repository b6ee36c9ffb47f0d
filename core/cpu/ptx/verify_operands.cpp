#include "ptx/immediate.hpp"
#include "ptx/verifier.hpp"

namespace cpu::ptx {
namespace {

Type doubled(Type type) {
    switch (type) {
        case Type::U16:
            return Type::U32;
        case Type::S16:
            return Type::S32;
        case Type::U32:
            return Type::U64;
        case Type::S32:
            return Type::S64;
        default:
            return type;
    }
}

Type bits_type(unsigned bits) {
    switch (bits) {
        case 8:
            return Type::B8;
        case 16:
            return Type::B16;
        case 32:
            return Type::B32;
        case 64:
            return Type::B64;
        default:
            return Type::None;
    }
}

/// True if a register of type `held` may be used as `wanted`. Integers and bits of one size agree; floats and packed
/// types agree only with themselves and with bits; predicates only with themselves.
bool agree(Type wanted, Type held, bool wider) {
    if (wanted == held) return true;
    if (wanted == Type::Pred || held == Type::Pred) return false;
    if (wider ? bits(held) < bits(wanted) : bits(held) != bits(wanted)) return false;
    if (info(wanted).kind == Kind::Bits || info(held).kind == Kind::Bits) return true;
    return is_integer(wanted) && is_integer(held) && info(wanted).lanes == 1 && info(held).lanes == 1;
}

/// Before PTX 2.0 the 32-bit special registers had 16 bits, and they may still be read as 16 bits.
bool special_fits(Type wanted, Type held) {
    return agree(wanted, held, false) || (bits(held) == 32 && bits(wanted) == 16 && is_integer(wanted));
}

/// True if the instruction's single result may be `_`. Elements of vectors always may.
bool may_discard(Opcode opcode) {
    return opcode == Opcode::Atom || opcode == Opcode::Setp || opcode == Opcode::ElectSync ||
           (opcode >= Opcode::MbarrierArrive && opcode <= Opcode::MbarrierDropNoComplete);
}

unsigned coordinates(Geometry geometry) {
    switch (geometry) {
        case Geometry::D1:
            return 1;
        case Geometry::D2:
        case Geometry::A1:
            return 2;
        case Geometry::Acube:
            return 4;
        default:
            return 3;
    }
}

bool is_array(Geometry geometry) {
    return geometry == Geometry::A1 || geometry == Geometry::A2 || geometry == Geometry::Acube ||
           geometry == Geometry::Ams2;
}

/// True if the slot accepts the selector: one part of a register; for a destination, a mask; for a source, as many
/// elements of two registers.
bool selects(const Slot& slot, Selector selector) {
    if (selector.bytes == 0) return true;
    if (slot.elements == 1) return selector.count == 1 && selector.element(0) < 4u / selector.bytes;
    if (slot.elements * selector.bytes != 4 || selector.count > slot.elements) return false;
    if (!slot.destination && selector.count != slot.elements) return false;
    const unsigned end = slot.destination ? slot.elements : 2u * slot.elements;
    for (unsigned n = 0; n < selector.count; ++n) {
        if (selector.element(n) >= end) return false;
        if (slot.destination && n > 0 && selector.element(n) <= selector.element(n - 1)) return false;
    }
    return true;
}

}  // namespace

bool Verifier::is_reference(const Operand& operand) const {
    return info(program_.variables[operand.index].type).kind == Kind::Opaque;
}

Type Verifier::type_of(const Slot& slot) const {
    if (slot.any_signed) {
        const bool either = is_signed(now_->types[0]) || is_signed(now_->types[1]);
        return either ? Type::S32 : Type::U32;
    }
    if (slot.fixed != Type::None) return slot.fixed;
    const Type type = now_->types[slot.type_index];
    return slot.doubled ? doubled(type) : type;
}

const char* Verifier::match(const Form& form) {
    std::size_t at = 0;
    const std::size_t count = now_->operand_count;
    extras_ = 0;
    bool pair_allowed = false;
    for (const Slot& slot : form.slots) {
        if (at == count) {
            if (slot.optional) continue;
            return "too few operands";
        }
        if (const char* why = match_slot(slot, at)) return why;
        if (slot.must_pair && !now_->paired) return "needs a second destination";
        if (slot.pair && now_->paired) {
            pair_allowed = true;
            if (at == count) return "too few operands";
            if (const char* why = value(operands_[at++], Type::Pred, Slot{.destination = true})) return why;
        }
    }
    if (at != count) return "too many operands";
    if (now_->paired && !pair_allowed) return "takes no second destination";
    return nullptr;
}

const char* Verifier::match_slot(const Slot& slot, std::size_t& at) {
    Operand& operand = operands_[at];
    switch (slot.kind) {
        case SlotKind::Value:
            ++at;
            return value_or_vector(operand, slot);
        case SlotKind::Memory:
            ++at;
            return memory(operand);
        case SlotKind::Address:
            ++at;
            return address(operand);
        case SlotKind::Immediate:
            ++at;
            return integer_literal(operand);
        case SlotKind::Texture:
        case SlotKind::Surface:
            return bracket(slot, at);
        case SlotKind::Tensor:
            return tensor(at);
        case SlotKind::Handle:
            ++at;
            return handle(operand, reference_type());
        case SlotKind::Extra:
            ++at;
            return extra(operand);
        case SlotKind::Sink:
            ++at;
            return operand.kind == OperandKind::Sink ? nullptr : "expects '_'";
        case SlotKind::Label:
            ++at;
            return operand.kind == OperandKind::Label ? nullptr : "expects a label";
        case SlotKind::BranchTable:
            ++at;
            return operand.kind == OperandKind::BranchTable ? nullptr : "expects a .branchtargets list";
        case SlotKind::Call:
            ++at;
            return operand.kind == OperandKind::Call ? nullptr : "expects a callee";
    }
    return "bad operand";
}

const char* Verifier::value_or_vector(Operand& operand, const Slot& slot) {
    const Type type = type_of(slot);
    const unsigned lanes = slot.registers > 1 ? slot.registers : slot.vector ? now_->modifiers.lanes() : 1;
    if (slot.registers == 1 && !operand.braces) return "expects a register in braces";
    if (operand.kind == OperandKind::Sink && !may_discard(now_->opcode)) return "the result cannot be discarded";
    if (operand.kind != OperandKind::Vector) return lanes > 1 ? "expects a vector" : value(operand, type, slot);
    Type element = type;
    if (lanes > 1) {
        if (operand.count != lanes) return "the vector has the wrong number of elements";
    } else if (slot.parts && bits(type) % operand.count == 0) {
        element = bits_type(bits(type) / operand.count);
        if (element == Type::None || operand.count == 1) return "the vector has the wrong number of elements";
    } else {
        return "takes no vector";
    }
    operand.type = element;
    for (unsigned i = 0; i < operand.count; ++i)
        if (const char* why = value(function_.elements[operand.index + i], element, slot)) return why;
    return nullptr;
}

const char* Verifier::value(Operand& operand, Type type, const Slot& slot) {
    if (operand.negated && (slot.destination || (type != Type::Pred && !slot.negatable)))
        return "an operand cannot be negated here";
    switch (operand.kind) {
        case OperandKind::Register:
            if (!selects(slot, operand.selector())) return "takes no such part of a register here";
            if (!agree(type, function_.registers[operand.index].type, slot.wider))
                return "a register has the wrong type";
            break;
        case OperandKind::Sink:
            if (!slot.destination) return "'_' is not a source";
            break;
        case OperandKind::Immediate:
            if (slot.in_register) return "a constant cannot stand here";
            return slot.destination ? "a constant is no destination" : immediate(operand, type);
        case OperandKind::Special:
            if (slot.destination) return "a special register cannot be written";
            if (now_->opcode != Opcode::Mov && now_->opcode != Opcode::Cvt)
                return "a special register can only be moved";
            if (!special_fits(type, info(operand.special()).type)) return "a special register has the wrong type";
            break;
        case OperandKind::Address:
        case OperandKind::FunctionAddress:
            if (slot.destination || !slot.symbol || bits(type) < 32 || bits(type) > 64 || is_float(type))
                return "an address cannot stand here";
            if (operand.kind == OperandKind::Address && is_reference(operand)) {
                const bool whole = type == Type::U64 && !now_->modifiers.has(Flag::To);
                if (!whole) return "a texture or surface variable is read into .u64 registers";
            }
            break;
        default:
            return "an operand is of the wrong kind";
    }
    operand.type = type;
    return nullptr;
}

const char* Verifier::immediate(Operand& operand, Type type) {
    has_immediate_ = true;
    const auto encoded = encode_immediate(type, operand.type, operand.bits);
    if (!encoded) return "a constant has the wrong type";
    if (commit_) operand.bits = *encoded, operand.type = type;
    return nullptr;
}

const char* Verifier::integer_literal(const Operand& operand) const {
    const bool fits = operand.kind == OperandKind::Immediate && !is_float(operand.type);
    return fits ? nullptr : "expects an integer constant";
}

const char* Verifier::address_register(const Operand& operand) const {
    if (operand.kind == OperandKind::Register && operand.bits != 0) return "an address is a whole register";
    const Type type = function_.registers[operand.index].type;
    const bool fits = is_integer(type) && (bits(type) == 32 || bits(type) == 64);
    return fits ? nullptr : "an address register must be an integer of 32 or 64 bits";
}

const char* Verifier::address(Operand& operand) const {
    operand.type = Type::U64;
    if (operand.kind == OperandKind::Address) return nullptr;
    if (operand.kind != OperandKind::Register) return "expects an address";
    operand.type = bits(function_.registers[operand.index].type) == 32 ? Type::U32 : Type::U64;
    return address_register(operand);
}

const char* Verifier::memory(Operand& operand) const {
    operand.type = Type::None;
    switch (operand.kind) {
        case OperandKind::Memory:
            return address_register(operand);
        case OperandKind::MemoryAbsolute:
            return nullptr;
        case OperandKind::MemoryVariable: {
            if (is_reference(operand)) return "a texture or surface variable is no memory";
            const Modifiers& modifiers = now_->modifiers;
            const Space held = program_.variables[operand.index].space;
            if (same_space(modifiers.space, held)) return nullptr;
            if (modifiers.source_space != Space::None && same_space(modifiers.source_space, held)) return nullptr;
            return "the variable lies in another state space";
        }
        default:
            return "expects an address in brackets";
    }
}

/// The type of the variable that the instruction refers to, apart from a separate sampler.
Type Verifier::reference_type() const {
    const Opcode opcode = now_->opcode;
    if (opcode == Opcode::Istypep) return now_->types[0];
    if (opcode == Opcode::Tex || opcode == Opcode::Tld4) return Type::Texref;
    if (opcode != Opcode::Txq) return Type::Surfref;
    const Query query = now_->modifiers.query;
    const bool of_sampler = query == Query::FilterMode || query == Query::AddrMode0 || query == Query::AddrMode1 ||
                            query == Query::AddrMode2;
    const bool of_separate = query == Query::ForceUnnormalizedCoords;
    return of_separate || (of_sampler && program_.independent_textures) ? Type::Samplerref : Type::Texref;
}

const char* Verifier::handle(Operand& operand, Type wanted) const {
    if (operand.bits != 0) return "expects a texture, surface or sampler";
    if (operand.kind == OperandKind::Memory) operand.kind = OperandKind::Register;
    if (operand.kind == OperandKind::MemoryVariable) operand.kind = OperandKind::Address;
    operand.type = Type::U64;
    if (operand.kind == OperandKind::Address) {
        const bool fits = program_.variables[operand.index].type == wanted && now_->opcode != Opcode::Istypep;
        return fits ? nullptr : "expects a texture, surface or sampler";
    }
    if (operand.kind != OperandKind::Register) return "expects a texture, surface or sampler";
    return bits(function_.registers[operand.index].type) == 64 ? nullptr : "a handle takes 64 bits";
}

const char* Verifier::bracket(const Slot& slot, std::size_t& at) {
    const bool texture = slot.kind == SlotKind::Texture;
    const std::size_t handles = now_->separate_sampler ? 2 : 1;
    if (!texture && now_->separate_sampler) return "too many operands in the brackets";
    if (texture && program_.independent_textures && !now_->separate_sampler)
        return "needs a sampler (.target texmode_independent)";
    if (at + handles + 1 > now_->operand_count) return "expects [handle, coordinates]";
    if (const char* why = handle(operands_[at++], reference_type())) return why;
    if (now_->separate_sampler)
        if (const char* why = handle(operands_[at++], Type::Samplerref)) return why;
    return coordinate(operands_[at++], texture ? now_->types[1] : Type::S32);
}

const char* Verifier::tensor(std::size_t& at) {
    if (now_->separate_sampler) return "too many operands in the brackets";
    if (at + 2 > now_->operand_count) return "expects [tensor map, coordinates]";
    Operand& map = operands_[at++];
    const bool address = map.kind == OperandKind::Register && bits(function_.registers[map.index].type) == 64;
    if (!address) return "expects the address of a tensor map in a register of 64 bits";
    map.type = Type::U64;
    Operand& coordinates = operands_[at++];
    const auto rank = static_cast<unsigned>(now_->modifiers.rank);
    if (coordinates.kind != OperandKind::Vector && (rank != 1 || !coordinates.braces)) return "too few coordinates";
    if (coordinates.kind == OperandKind::Vector && coordinates.count != rank) return "a coordinate for each dimension";
    return tuple(coordinates, Type::S32, rank);
}

const char* Verifier::coordinate(Operand& operand, Type type) {
    const Geometry geometry = now_->modifiers.geometry;
    const unsigned wanted = coordinates(geometry);
    if (type == Type::S32 && (geometry == Geometry::Cube || geometry == Geometry::Acube))
        return "a cube map takes floating-point coordinates";
    operand.type = type;
    if (operand.kind != OperandKind::Vector) return wanted == 1 ? scalar(operand, type) : "too few coordinates";
    if (operand.count < wanted) return "too few coordinates";
    for (unsigned i = 0; i < operand.count; ++i) {
        Operand& element = function_.elements[operand.index + i];
        if (i >= wanted && element.kind == OperandKind::Sink) continue;
        // The layer comes first and is an integer. After the last coordinate, padding of any type is permitted.
        const Type element_type = (is_array(geometry) && i == 0) || i >= wanted ? Type::B32 : type;
        if (const char* why = scalar(element, element_type)) return why;
    }
    return nullptr;
}

const char* Verifier::scalar(Operand& operand, Type type) {
    return value(operand, type, Slot{});
}

const char* Verifier::extra(Operand& operand) {
    const Modifiers& m = now_->modifiers;
    const unsigned index = extras_++;
    const unsigned leading = m.level == Level::Level ? 1 : m.level == Level::Grad ? 2 : 0;
    const bool integers = now_->types[1] == Type::S32;
    const unsigned dimensions = coordinates(m.geometry) - (is_array(m.geometry) ? 1 : 0);
    if (index < leading) {
        if (m.level == Level::Grad) {
            const bool vector = operand.kind == OperandKind::Vector || operand.braces;
            return vector ? tuple(operand, Type::F32, dimensions) : "expects gradients in braces";
        }
        return scalar(operand, integers ? Type::S32 : Type::F32);
    }
    // An untyped register is a depth.
    const Type held = operand.kind == OperandKind::Register ? function_.registers[operand.index].type : Type::None;
    const bool register_offset =
        dimensions == 1 && (info(held).kind == Kind::Signed || info(held).kind == Kind::Unsigned);
    const bool literal_offset = operand.kind == OperandKind::Immediate && !is_float(operand.type);
    if (operand.kind == OperandKind::Vector || register_offset || literal_offset) {
        if (index > leading) return "has two offsets";
        const bool cube = m.geometry == Geometry::Cube || m.geometry == Geometry::Acube;
        return cube ? "takes no offset of a cube map" : tuple(operand, Type::S32, dimensions);
    }
    if (integers || m.geometry == Geometry::D3) return "takes no depth to compare with here";
    return scalar(operand, Type::F32);
}

const char* Verifier::tuple(Operand& operand, Type type, unsigned count) {
    if (operand.kind != OperandKind::Vector) return count == 1 ? scalar(operand, type) : "has too few elements";
    operand.type = type;
    if (operand.count < count) return "has too few elements";
    for (unsigned i = 0; i < operand.count; ++i) {
        Operand& element = function_.elements[operand.index + i];
        if (i >= count && element.kind == OperandKind::Sink) continue;
        if (const char* why = scalar(element, i < count ? type : Type::B32)) return why;
    }
    return nullptr;
}

}  // namespace cpu::ptx
