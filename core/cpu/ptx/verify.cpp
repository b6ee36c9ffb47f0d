#include "ptx/verify.hpp"

#include <algorithm>

#include "ptx/error.hpp"
#include "ptx/verifier.hpp"

namespace cpu::ptx {

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

void Verifier::run() {
    for (Instruction& instruction : function_.instructions) check(instruction);
}

void Verifier::check(Instruction& instruction) {
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
    fail(modifiers_fit ? why : "this combination of modifiers and types does not exist");
}

void Verifier::fail(const std::string& why) const {
    throw SyntaxError(static_cast<int>(now_->line), "'" + full_name() + "': " + why);
}

std::string Verifier::full_name() const {
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

bool Verifier::takes(const Form& form) const {
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

void Verifier::check_rest() {
    const Modifiers& modifiers = now_->modifiers;
    const bool access = now_->opcode == Opcode::Ld || now_->opcode == Opcode::Ldu || now_->opcode == Opcode::St ||
                        now_->opcode == Opcode::StAsync;
    if (modifiers.has(Flag::Unified) && modifiers.space != Space::None) fail("only a generic address can be .unified");
    if (access && bits(now_->types[0]) * modifiers.lanes() > 128) fail("a vector can have at most 128 bits");
    if (modifiers.semantics == Semantics::Volatile && modifiers.space == Space::Local && program_.version < 91)
        fail("needs PTX 9.1 for local memory");
    if (now_->opcode == Opcode::St && operands_[0].kind == OperandKind::MemoryVariable)
        if (std::binary_search(function_.parameters.begin(), function_.parameters.end(), operands_[0].index))
            fail("a function cannot write its own parameters");
    if (now_->opcode == Opcode::CpAsync) {
        const std::uint64_t size = operands_[2].bits;
        const bool small = modifiers.cache == Cache::Ca && (size == 4 || size == 8);
        if (size != 16 && !small) fail("can copy 16 bytes, and with .ca also 4 or 8");
        if (!same_space(modifiers.space, Space::Shared) || modifiers.source_space != Space::Global)
            fail("can only copy from .global to .shared");
    } else if (now_->opcode == Opcode::CpAsyncBulkTensor) {
        const Space source = modifiers.space == Space::Global ? Space::SharedCta : Space::Global;
        if (modifiers.source_space != source) fail("cannot copy between these state spaces");
    } else if (now_->opcode == Opcode::CpAsyncBulk) {
        const bool within_cluster = modifiers.space == Space::SharedCluster && !modifiers.has(Flag::Multicast) &&
                                    !modifiers.has(Flag::CacheHint) && modifiers.source_space == Space::SharedCta;
        const Space source = modifiers.space == Space::Global ? Space::SharedCta : Space::Global;
        if (modifiers.source_space != source && !within_cluster) fail("cannot copy between these state spaces");
        const auto lies_in = [&](std::size_t n, Space wanted) {
            return operands_[n].kind != OperandKind::MemoryVariable ||
                   same_space(wanted, program_.variables[operands_[n].index].space);
        };
        const bool tells = modifiers.has(Flag::CompletesBytes);
        if (!lies_in(0, modifiers.space) || !lies_in(1, modifiers.source_space) ||
            (tells && !lies_in(3, Space::Shared)))
            fail("a variable lies in another state space");
    } else if (modifiers.source_space != Space::None) {
        fail("can have only one state space");
    }
    if (now_->opcode == Opcode::Vmad && operands_[1].negated != operands_[2].negated && operands_[3].negated)
        fail("can negate either the product or the third operand, not both");
    if (now_->opcode == Opcode::Suq) {
        const Query q = modifiers.query;
        const bool of_surface = q == Query::Width || q == Query::Height || q == Query::Depth || q == Query::ArraySize ||
                                q == Query::ChannelDataType || q == Query::ChannelOrder || q == Query::MemoryLayout;
        if (!of_surface) fail("queries a property that only textures have");
    }
    if ((now_->opcode == Opcode::Shfl || now_->opcode == Opcode::Vote) && program_.version >= 64 &&
        program_.target >= 70)
        fail("needs .sync from PTX 6.4 and sm_70 on");
    check_call();
}

void verify(const Program& program, Function& function) {
    Verifier(program, function).run();
}

}  // namespace cpu::ptx
