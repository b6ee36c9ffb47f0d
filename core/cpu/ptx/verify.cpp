#include "ptx/verify.hpp"

#include <string>
#include <vector>

#include "ptx/error.hpp"
#include "ptx/grammar.hpp"
#include "ptx/immediate.hpp"

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

/// Integers and bits of one size agree; floats and packed types only with themselves and bits; predicates with nothing
/// else.
bool agree(Type wanted, Type held, bool wider) {
    if (wanted == held) return true;
    if (wanted == Type::Pred || held == Type::Pred) return false;
    if (wider ? bits(held) < bits(wanted) : bits(held) != bits(wanted)) return false;
    if (info(wanted).kind == Kind::Bits || info(held).kind == Kind::Bits) return true;
    return is_integer(wanted) && is_integer(held) && info(wanted).lanes == 1 && info(held).lanes == 1;
}

/// Before PTX 2.0 the 32-bit special registers had 16 bits, and may be read so still.
bool special_fits(Type wanted, Type held) {
    return agree(wanted, held, false) || (bits(held) == 32 && bits(wanted) == 16 && is_integer(wanted));
}

bool same_space(Space wanted, Space held) {
    switch (wanted) {
        case Space::None:
            return held != Space::Param && held != Space::Const;  // generic
        case Space::SharedCta:
        case Space::SharedCluster:
            return held == Space::Shared;
        case Space::ParamEntry:
        case Space::ParamFunc:
            return held == Space::Param;
        default:
            return wanted == held;
    }
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

class Verifier {
public:
    Verifier(const Module& module, Function& function) : module_(module), function_(function) {}

    void run() {
        for (Instruction& instruction : function_.instructions) check(instruction);
    }

    void check(Instruction& instruction) {
        now_ = &instruction;
        operands_ = function_.operands.data() + instruction.first_operand;
        const OpcodeForms& forms = grammar().forms(instruction.opcode);
        const char* why = nullptr;
        bool modifiers_fit = false;
        for (const Form& form : forms.forms) {
            if (!takes(form)) continue;
            modifiers_fit = true;
            commit_ = has_immediate_ = false;
            why = match(form);
            if (why) continue;
            commit_ = true;
            if (has_immediate_) match(form);
            return check_rest();
        }
        fail(modifiers_fit ? why : "no such combination of modifiers and types");
    }

private:
    [[noreturn]] void fail(const std::string& why) const {
        throw SyntaxError(static_cast<int>(now_->line), "'" + full_name() + "': " + why);
    }

    std::string full_name() const {
        std::string full(name(now_->opcode));
        for (std::size_t g = 0; g < group_count; ++g)
            if (const std::uint8_t value = value_of(now_->modifiers, static_cast<Group>(g)))
                full.append(".").append(spelling(static_cast<Group>(g), value));
        for (std::size_t f = 0; f < static_cast<std::size_t>(Flag::Count); ++f)
            if (now_->modifiers.has(static_cast<Flag>(f))) full.append(".").append(spelling(static_cast<Flag>(f)));
        for (const Type type : now_->types)
            if (type != Type::None) full.append(".").append(name(type));
        return full;
    }

    bool takes(const Form& form) const {
        for (std::size_t i = 0; i < now_->types.size(); ++i) {
            const Type type = now_->types[i];
            if ((type != Type::None) != (i < form.type_count)) return false;
            if (type != Type::None && !(form.types[i] >> static_cast<unsigned>(type) & 1)) return false;
        }
        const std::uint32_t flags = now_->modifiers.flags;
        if ((flags & ~form.flags_allowed) || (form.flags_required & ~flags)) return false;
        for (std::size_t g = 0; g < group_count; ++g) {
            const std::uint8_t value = value_of(now_->modifiers, static_cast<Group>(g));
            if (value ? !(form.values[g] >> value & 1) : form.groups_required >> g & 1) return false;
        }
        return true;
    }

    Type type_of(const Slot& slot) const {
        if (slot.any_signed) {
            const bool either = is_signed(now_->types[0]) || is_signed(now_->types[1]);
            return either ? Type::S32 : Type::U32;
        }
        if (slot.fixed != Type::None) return slot.fixed;
        const Type type = now_->types[slot.type_index];
        return slot.doubled ? doubled(type) : type;
    }

    /// nullptr when the operands fit; else what is wrong.
    const char* match(const Form& form) {
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

    const char* match_slot(const Slot& slot, std::size_t& at) {
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
            case SlotKind::Handle:
                ++at;
                return handle(operand);
            case SlotKind::Extra:
                ++at;
                return extra(operand);
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

    const char* value_or_vector(Operand& operand, const Slot& slot) {
        const Type type = type_of(slot);
        const unsigned lanes = slot.vector ? now_->modifiers.lanes() : 1;
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

    const char* value(Operand& operand, Type type, const Slot& slot) {
        if (operand.negated && (slot.destination || type != Type::Pred)) return "an operand cannot be negated here";
        switch (operand.kind) {
            case OperandKind::Register:
                if (!agree(type, function_.registers[operand.index].type, slot.wider))
                    return "a register has the wrong type";
                break;
            case OperandKind::Sink:
                if (!slot.destination) return "'_' is not a source";
                break;
            case OperandKind::Immediate:
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
                break;
            default:
                return "an operand is of the wrong kind";
        }
        operand.type = type;
        return nullptr;
    }

    /// A literal is encoded only once its form is known to fit: until then it keeps its own type.
    const char* immediate(Operand& operand, Type type) {
        has_immediate_ = true;
        const auto encoded = encode_immediate(type, operand.type, operand.bits);
        if (!encoded) return "a constant has the wrong type";
        if (commit_) operand.bits = *encoded, operand.type = type;
        return nullptr;
    }

    const char* integer_literal(const Operand& operand) const {
        const bool fits = operand.kind == OperandKind::Immediate && !is_float(operand.type);
        return fits ? nullptr : "expects an integer constant";
    }

    const char* address_register(const Operand& operand) const {
        const Type type = function_.registers[operand.index].type;
        const bool fits = is_integer(type) && (bits(type) == 32 || bits(type) == 64);
        return fits ? nullptr : "an address register must be an integer of 32 or 64 bits";
    }

    const char* address(Operand& operand) const {
        operand.type = Type::U64;
        if (operand.kind == OperandKind::Address) return nullptr;
        if (operand.kind != OperandKind::Register) return "expects an address";
        operand.type = bits(function_.registers[operand.index].type) == 32 ? Type::U32 : Type::U64;
        return address_register(operand);
    }

    const char* memory(Operand& operand) const {
        operand.type = Type::None;
        switch (operand.kind) {
            case OperandKind::Memory:
                return address_register(operand);
            case OperandKind::MemoryAbsolute:
                return nullptr;
            case OperandKind::MemoryVariable: {
                const Modifiers& modifiers = now_->modifiers;
                const Space held = module_.variables[operand.index].space;
                if (same_space(modifiers.space, held)) return nullptr;
                if (modifiers.source_space != Space::None && same_space(modifiers.source_space, held)) return nullptr;
                return "the variable lies in another state space";
            }
            default:
                return "expects an address in brackets";
        }
    }

    /// A texture, sampler or surface: a reference variable or a register that holds a handle.
    const char* handle(Operand& operand) const {
        if (operand.bits != 0) return "expects a texture, surface or sampler";
        if (operand.kind == OperandKind::Memory) operand.kind = OperandKind::Register;
        if (operand.kind == OperandKind::MemoryVariable) operand.kind = OperandKind::Address;
        operand.type = Type::U64;
        if (operand.kind == OperandKind::Address) {
            const Variable& variable = module_.variables[operand.index];
            if (info(variable.type).kind == Kind::Opaque) return nullptr;
            const bool parameter = variable.space == Space::Param && bytes(variable.type) == 8;
            return parameter ? nullptr : "expects a texture, surface or sampler";
        }
        if (operand.kind != OperandKind::Register) return "expects a texture, surface or sampler";
        return bits(function_.registers[operand.index].type) == 64 ? nullptr : "a handle takes 64 bits";
    }

    const char* bracket(const Slot& slot, std::size_t& at) {
        const std::size_t handles = now_->separate_sampler ? 2 : 1;
        if (slot.kind == SlotKind::Surface && now_->separate_sampler) return "too many operands in the brackets";
        if (at + handles + 1 > now_->operand_count) return "expects [handle, coordinates]";
        for (std::size_t i = 0; i < handles; ++i)
            if (const char* why = handle(operands_[at++])) return why;
        return coordinate(operands_[at++], slot.kind == SlotKind::Surface ? Type::S32 : now_->types[1]);
    }

    const char* coordinate(Operand& operand, Type type) {
        if (type == Type::F16 || type == Type::F16x2) return "half-precision coordinates are not supported";
        const Geometry geometry = now_->modifiers.geometry;
        const unsigned wanted = coordinates(geometry);
        operand.type = type;
        if (operand.kind != OperandKind::Vector) return wanted == 1 ? scalar(operand, type) : "too few coordinates";
        if (operand.count < wanted) return "too few coordinates";
        for (unsigned i = 0; i < operand.count; ++i) {
            Operand& element = function_.elements[operand.index + i];
            if (i >= wanted && element.kind == OperandKind::Sink) continue;
            // The index of a layer stands first and is an integer; beyond the last one, padding of any kind.
            const Type element_type = (is_array(geometry) && i == 0) || i >= wanted ? Type::B32 : type;
            if (const char* why = scalar(element, element_type)) return why;
        }
        return nullptr;
    }

    const char* scalar(Operand& operand, Type type) { return value(operand, type, Slot{}); }

    /// What follows the coordinates of tex and tld4: level of detail or two gradients, offsets, depth to compare with.
    const char* extra(Operand& operand) {
        const Level level = now_->modifiers.level;
        const unsigned leading = level == Level::Level ? 1 : level == Level::Grad ? 2 : 0;
        const bool offsets = extras_ >= leading && operand.kind == OperandKind::Vector;
        ++extras_;
        const Type type = offsets ? Type::S32 : Type::F32;
        operand.type = type;
        if (operand.kind != OperandKind::Vector) return scalar(operand, type);
        for (unsigned i = 0; i < operand.count; ++i) {
            Operand& element = function_.elements[operand.index + i];
            if (element.kind == OperandKind::Sink) continue;
            if (const char* why = scalar(element, i < 3 ? type : Type::B32)) return why;
        }
        return nullptr;
    }

    /// Rules that a row of the table cannot say.
    void check_rest() {
        const Modifiers& modifiers = now_->modifiers;
        const bool ordered = modifiers.semantics == Semantics::Relaxed || modifiers.semantics == Semantics::Acquire ||
                             modifiers.semantics == Semantics::Release;
        const bool access = now_->opcode == Opcode::Ld || now_->opcode == Opcode::St;
        if (access && ordered && modifiers.scope == Scope::None) fail("needs a scope");
        if (now_->opcode == Opcode::CpAsync) {
            const std::uint64_t size = operands_[2].bits;
            const bool small = modifiers.cache == Cache::Ca && (size == 4 || size == 8);
            if (size != 16 && !small) fail("copies 16 bytes, and with .ca also 4 or 8");
            if (!same_space(modifiers.space, Space::Shared) || modifiers.source_space != Space::Global)
                fail("copies from .global to .shared");
        } else if (modifiers.source_space != Space::None) {
            fail("has two state spaces");
        }
        check_call();
    }

    void check_call() {
        if (now_->opcode != Opcode::Call) return;
        Call& call = function_.calls[operands_[0].index];
        if (call.callee.kind == OperandKind::FunctionAddress) {
            const Function& callee = module_.functions[call.callee.index];
            if (callee.entry) fail("an .entry cannot be called");
            check_list(call.results, shapes(callee, callee.results, callee.register_results), true);
            check_list(call.arguments, shapes(callee, callee.parameters, callee.register_parameters), false);
            return;
        }
        if (bits(function_.registers[call.callee.index].type) != 64) fail("the address of a function takes 64 bits");
        call.callee.type = Type::U64;
        if (call.prototype != none) {
            const Prototype& prototype = function_.prototypes[call.prototype];
            check_list(call.results, prototype.results, true);
            check_list(call.arguments, prototype.parameters, false);
        } else if (call.targets.empty()) {
            fail("a call through a register needs a prototype or a list of targets");
        }
        for (const FunctionId target : call.targets) {
            const Function& callee = module_.functions[target];
            check_list(call.results, shapes(callee, callee.results, callee.register_results), true);
            check_list(call.arguments, shapes(callee, callee.parameters, callee.register_parameters), false);
        }
    }

    std::vector<ParameterShape> shapes(const Function& callee, const std::vector<VariableId>& variables,
                                       const std::vector<RegisterId>& registers) const {
        std::vector<ParameterShape> out;
        for (const VariableId id : variables) {
            const Variable& variable = module_.variables[id];
            out.push_back({variable.type, variable.count, variable.alignment, false});
        }
        for (const RegisterId id : registers) out.push_back({callee.registers[id].type, 1, 1, true});
        return out;
    }

    void check_list(std::vector<Operand>& given, const std::vector<ParameterShape>& wanted, bool results) {
        const char* const what = results ? "results" : "arguments";
        if (given.size() != wanted.size())
            fail("the callee has " + std::to_string(wanted.size()) + " " + what + ", not " +
                 std::to_string(given.size()));
        for (std::size_t i = 0; i < given.size(); ++i) {
            Operand& operand = given[i];
            const ParameterShape& shape = wanted[i];
            if (operand.kind == OperandKind::Address) {
                const Variable& variable = module_.variables[operand.index];
                if (variable.space != Space::Param || operand.bits != 0 || variable.size() != shape.size())
                    fail(std::string("one of the ") + what + " does not have the size that the callee wants");
                operand.type = shape.type;
                continue;
            }
            Slot slot;
            slot.destination = results;
            slot.wider = true;
            if (shape.count != 1 || operand.kind == OperandKind::Vector)
                fail(std::string("one of the ") + what + " must be a .param variable");
            commit_ = true;
            if (const char* why = value(operand, shape.type, slot)) fail(why);
        }
    }

    const Module& module_;
    Function& function_;
    Instruction* now_ = nullptr;
    Operand* operands_ = nullptr;
    unsigned extras_ = 0;
    bool has_immediate_ = false;
    bool commit_ = false;
};

}  // namespace

void verify(const Module& module, Function& function) {
    Verifier(module, function).run();
}

}  // namespace cpu::ptx
