#include "ptx/ptx_forms.hpp"

#include <algorithm>

namespace ptx_forms {

using namespace cpu::ptx;

namespace {

using Kind = Dimension::Kind;

/// One instruction of a row, once all parts are chosen.
struct Chosen {
    std::vector<Type> types;
    Modifiers modifiers;
    bool paired = false;
    std::size_t optional_operands = 0;
};

std::uint8_t flag_count() {
    return static_cast<std::uint8_t>(Flag::Count);
}

Dimension group_dimension(std::size_t group, std::uint32_t mask, bool required) {
    Dimension d{Kind::Group, static_cast<std::uint8_t>(group), {}};
    if (!required) d.values.push_back(0);
    const std::size_t count = members_of(static_cast<Group>(group)).size();
    for (std::size_t value = 1; value < count; ++value)
        if (mask >> value & 1) d.values.push_back(static_cast<std::uint8_t>(value));
    return d;
}

void add_operand_dimensions(Row& row) {
    std::uint8_t optional = 0;
    bool pair = false, must = false;
    for (const Slot& slot : row.form->slots) optional += slot.optional, pair |= slot.pair, must |= slot.must_pair;
    if (pair && must)
        row.dimensions.push_back({Kind::Pair, 0, {1}});
    else if (pair)
        row.dimensions.push_back({Kind::Pair, 0, {0, 1}});
    if (!optional) return;
    row.dimensions.push_back({Kind::Operands, 0, {}});
    for (std::uint8_t n = 0; n <= optional; ++n) row.dimensions.back().values.push_back(n);
}

Chosen choose(const Row& row, const std::vector<std::size_t>& choice) {
    Chosen c;
    for (std::size_t n = 0; n < row.dimensions.size(); ++n) {
        const Dimension& d = row.dimensions[n];
        const std::uint8_t value = d.values[choice[n]];
        if (d.kind == Kind::Type) c.types.push_back(static_cast<Type>(value));
        if (d.kind == Kind::Group) value_of(c.modifiers, static_cast<Group>(d.index)) = value;
        if (d.kind == Kind::Flag && value) c.modifiers.flags |= 1u << d.index;
        if (d.kind == Kind::Pair) c.paired = value;
        if (d.kind == Kind::Operands) c.optional_operands = value;
    }
    return c;
}

std::string register_of(unsigned bits, unsigned number) {
    return (bits == 1     ? "%p"
            : bits <= 16  ? "%rs"
            : bits == 32  ? "%r"
            : bits == 128 ? "%q"
                          : "%rd") +
           std::to_string(number);
}

unsigned operand_bits(const Slot& slot, const Chosen& c) {
    if (slot.any_signed) return 32;
    if (slot.fixed != Type::None) return bits(slot.fixed);
    return bits(c.types[slot.type_index]) * (slot.doubled ? 2 : 1);
}

std::string address_in(Space space) {
    switch (space) {
        case Space::Global:
            return "[g]";
        case Space::Const:
            return "[c]";
        case Space::Local:
            return "[l]";
        case Space::Param:
        case Space::ParamEntry:
            return "[p0]";
        case Space::Shared:
        case Space::SharedCta:
            return "[s]";
        default:
            return "[%rd9]";
    }
}

/// Operand `number` of an instruction; a vector has a separate register for each element.
std::string operand(const Slot& slot, const Chosen& c, unsigned number, Space space, const std::string& constant) {
    switch (slot.kind) {
        case SlotKind::Memory:
            return address_in(space);
        case SlotKind::Address:
            return "%rd9";
        case SlotKind::Immediate:
            return constant;
        case SlotKind::Sink:
            return "_";
        default:
            break;
    }
    const unsigned size = operand_bits(slot, c);
    if (size == 8 && !slot.wider) return "%b" + std::to_string(number % 10);
    const unsigned lanes = slot.registers ? slot.registers : slot.vector ? c.modifiers.lanes() : 1;
    if (lanes == 1 && !slot.registers) return register_of(size, number % (size == 128 ? 4 : 10));
    std::string text = "{";
    for (unsigned lane = 0; lane < lanes; ++lane)
        text += (lane ? ", " : "") + register_of(size, (number * lanes + lane) % (size == 128 ? 4 : 10));
    return text + "}";
}

/// An integer constant that the opcode takes.
std::string constant_for(Opcode opcode) {
    return opcode == Opcode::Discard || opcode == Opcode::Applypriority ? "128"
           : opcode == Opcode::Pmevent                                  ? "7"
                                                                        : "16";
}

/// For an instruction's address number `n`.
Space space_of_address(Opcode opcode, const Chosen& c, unsigned n) {
    if (n == 0) return c.modifiers.space;
    const bool from_shared = opcode == Opcode::CpAsyncBulk && c.modifiers.space == Space::Global;
    const bool is_mbarrier = n == 2 || opcode == Opcode::StAsync || opcode == Opcode::RedAsync;
    return from_shared || is_mbarrier ? Space::Shared : Space::Global;
}

/// The assembler reads the words in any order, with a few exceptions.
std::string written(const Row& row, const Chosen& c) {
    std::string text(name(row.opcode));
    if (c.modifiers.has(Flag::Aligned) && text.starts_with("bar.")) text.replace(0, 3, "barrier");
    constexpr Flag before_groups[] = {Flag::To, Flag::Full, Flag::Proxy, Flag::Async};
    for (const Flag first : before_groups)
        if (c.modifiers.has(first)) text.append(".").append(spelling(first));
    for (std::size_t g = 0; g < group_count; ++g)
        if (const std::uint8_t value = value_of(c.modifiers, static_cast<Group>(g)))
            text.append(".").append(spelling(static_cast<Group>(g), value));
    if (row.opcode == Opcode::CpAsync) text += ".global";
    if (row.opcode == Opcode::CpAsyncBulk) text += c.modifiers.space == Space::Global ? ".shared::cta" : ".global";
    for (std::uint8_t f = 0; f < flag_count(); ++f)
        if (const Flag flag = static_cast<Flag>(f); c.modifiers.has(flag))
            if (flag != Flag::Unified && std::ranges::find(before_groups, flag) == std::end(before_groups))
                text.append(".").append(spelling(flag));
    for (const Type type : c.types) text.append(".").append(name(type));
    unsigned number = 0;
    std::size_t optional = 0;
    unsigned addresses = 0;
    for (const Slot& slot : row.form->slots) {
        if (slot.optional && ++optional > c.optional_operands) continue;
        text += number ? ", " : " ";
        text += operand(slot, c, number, space_of_address(row.opcode, c, addresses), constant_for(row.opcode));
        if (slot.kind == SlotKind::Memory && c.modifiers.has(Flag::Unified)) text += ".unified";
        addresses += slot.kind == SlotKind::Memory;
        if (slot.pair && c.paired) text += "|%p9";
        ++number;
    }
    return text + ";";
}

}  // namespace

std::vector<Row> rows(Opcode opcode) {
    std::vector<Row> out;
    for (const Form& form : grammar().forms(opcode).forms) {
        Row row{opcode, &form, {}};
        for (std::uint8_t t = 0; t < form.type_count; ++t) {
            row.dimensions.push_back({Kind::Type, t, {}});
            for (std::uint8_t type = 1; type < static_cast<std::uint8_t>(Type::Count); ++type)
                if (form.types[t] >> type & 1) row.dimensions.back().values.push_back(type);
        }
        for (std::size_t g = 0; g < group_count; ++g)
            if (form.values[g])
                row.dimensions.push_back(group_dimension(g, form.values[g], form.groups_required >> g & 1));
        for (std::uint8_t f = 0; f < flag_count(); ++f)
            if (form.flags_required >> f & 1)
                row.dimensions.push_back({Kind::Flag, f, {1}});
            else if (form.flags_allowed >> f & 1)
                row.dimensions.push_back({Kind::Flag, f, {0, 1}});
        add_operand_dimensions(row);
        out.push_back(std::move(row));
    }
    return out;
}

std::vector<Row> widened_rows(Opcode opcode) {
    std::vector<Row> out = rows(opcode);
    const auto move_first = [](std::vector<std::uint8_t>& values, std::uint8_t first) {
        std::erase(values, first);
        values.insert(values.begin(), first);
    };
    const OpcodeForms& all = grammar().forms(opcode);
    for (Row& row : out) {
        for (std::size_t g = 0; g < group_count; ++g) {
            std::uint32_t mask = 0;
            for (const Form& form : all.forms) mask |= form.values[g];
            if (!mask) continue;
            Dimension wide = group_dimension(g, mask, false);
            const auto same = [&](const Dimension& d) { return d.kind == Kind::Group && d.index == g; };
            const auto own = std::find_if(row.dimensions.begin(), row.dimensions.end(), same);
            if (own == row.dimensions.end()) {
                row.dimensions.push_back(std::move(wide));
            } else {
                move_first(wide.values, own->values[0]);
                *own = std::move(wide);
            }
        }
        for (std::uint8_t f = 0; f < flag_count(); ++f) {
            if (!(all.flags >> f & 1)) continue;
            const auto same = [&](const Dimension& d) { return d.kind == Kind::Flag && d.index == f; };
            const auto own = std::find_if(row.dimensions.begin(), row.dimensions.end(), same);
            const std::uint8_t first = own == row.dimensions.end() ? 0 : own->values[0];
            if (own != row.dimensions.end()) row.dimensions.erase(own);
            row.dimensions.push_back({Kind::Flag, f, {first, static_cast<std::uint8_t>(!first)}});
        }
        for (Dimension& d : row.dimensions) {
            if (d.kind != Kind::Type) continue;
            const std::uint8_t first = d.values[0];
            d.values.clear();
            for (std::uint8_t type = 1; type < static_cast<std::uint8_t>(Type::Texref); ++type)
                d.values.push_back(type);
            move_first(d.values, first);
        }
    }
    return out;
}

std::vector<std::string> instructions(const Row& row, std::size_t limit) {
    std::vector<std::string> out;
    std::size_t combinations = 1;
    for (const Dimension& d : row.dimensions) combinations = std::min(combinations * d.values.size(), limit + 1);
    std::vector<std::size_t> choice(row.dimensions.size());
    if (combinations <= limit) {
        for (std::size_t at = 0; at < choice.size() || choice.empty();) {
            out.push_back(written(row, choose(row, choice)));
            for (at = 0; at < choice.size() && ++choice[at] == row.dimensions[at].values.size(); ++at) choice[at] = 0;
            if (at == choice.size()) break;
        }
        return out;
    }
    out.push_back(written(row, choose(row, choice)));
    // Matrix instructions have many rows with many parts: there, one part at a time.
    const bool pairs = family(row.opcode) != Family::Matrix;
    for (std::size_t a = 0; a < choice.size(); ++a)
        for (std::size_t i = 1; i < row.dimensions[a].values.size(); ++i) {
            choice[a] = i;
            out.push_back(written(row, choose(row, choice)));
            for (std::size_t b = a + 1; pairs && b < choice.size(); ++b) {
                for (std::size_t k = 1; k < row.dimensions[b].values.size(); ++k) {
                    choice[b] = k;
                    out.push_back(written(row, choose(row, choice)));
                }
                choice[b] = 0;
            }
            choice[a] = 0;
        }
    return out;
}

bool writable(const Form& form) {
    return std::all_of(form.slots.begin(), form.slots.end(), [](const Slot& slot) {
        return slot.kind == SlotKind::Value || slot.kind == SlotKind::Memory || slot.kind == SlotKind::Address ||
               slot.kind == SlotKind::Immediate || slot.kind == SlotKind::Sink;
    });
}

}  // namespace ptx_forms
