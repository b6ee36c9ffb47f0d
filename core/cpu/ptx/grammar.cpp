#include "ptx/grammar.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace cpu::ptx {
namespace {

#define PTX_X(id, spelling) spelling,
#define PTX_G(group, list, field) constexpr std::string_view group##_names[] = {"", list(PTX_X)};
PTX_GROUPS(PTX_G)
#undef PTX_G
constexpr std::string_view flag_names[] = {PTX_FLAGS(PTX_X)};
#undef PTX_X

constexpr std::string_view group_names[] = {
#define PTX_G(group, list, field) #group,
    PTX_GROUPS(PTX_G)
#undef PTX_G
};

// A malformed row is a bug in opcodes.def, so it must fail at the first use.
[[noreturn]] void bad_row(std::string_view what) {
    throw std::logic_error("opcodes.def: " + std::string(what));
}

template <typename Function>
void for_each_part(std::string_view text, char separator, Function&& function) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(separator), text.size());
        if (end > 0) function(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

Type type_named(std::string_view spelling) {
    for (std::size_t i = 1; i < type_table.size(); ++i)
        if (type_table[i].name == spelling) return static_cast<Type>(i);
    return Type::None;
}

void read_types(Form& form, std::string_view text) {
    for_each_part(text, '|', [&](std::string_view set) {
        for_each_part(set, ' ', [&](std::string_view spelling) {
            const Type type = type_named(spelling);
            if (type == Type::None) bad_row(spelling);
            form.types[form.type_count] |= std::uint64_t{1} << static_cast<unsigned>(type);
        });
        ++form.type_count;
    });
}

/// One bit for each member of `group` named in "a/b/c"; 0 if one of the names is not in the group.
std::uint32_t members_mask(Group group, std::string_view alternatives) {
    std::uint32_t mask = 0;
    bool all = true;
    const auto names = members_of(group);
    for_each_part(alternatives, '/', [&](std::string_view member) {
        const auto found = std::find(names.begin() + 1, names.end(), member);
        if (found == names.end())
            all = false;
        else
            mask |= 1u << (found - names.begin());
    });
    return all ? mask : 0;
}

bool read_flags(Form& form, std::string_view alternatives, bool required) {
    std::uint32_t mask = 0;
    bool all = true;
    for_each_part(alternatives, '/', [&](std::string_view flag) {
        const auto found = std::find(std::begin(flag_names), std::end(flag_names), flag);
        if (found == std::end(flag_names))
            all = false;
        else
            mask |= 1u << (found - std::begin(flag_names));
    });
    if (!all) return false;
    form.flags_allowed |= mask;
    if (required && (mask & (mask - 1)) == 0) form.flags_required |= mask;
    return true;
}

void read_modifier(Form& form, std::string_view text) {
    const bool required = text.back() != '?';
    if (!required) text.remove_suffix(1);
    auto allow = [&](std::size_t group, std::uint32_t mask) {
        form.values[group] |= mask;
        if (required) form.groups_required |= 1u << group;
    };
    for (std::size_t g = 0; g < group_count; ++g)
        if (text == group_names[g]) return allow(g, ~0u);
    const std::size_t colon = text.find(':');
    if (colon != text.npos && text[colon + 1] != ':') {
        std::string group(text.substr(0, colon));
        group[0] = static_cast<char>(group[0] - 'a' + 'A');
        for (std::size_t g = 0; g < group_count; ++g) {
            const std::uint32_t mask = members_mask(static_cast<Group>(g), text.substr(colon + 1));
            if (group == group_names[g] && mask) return allow(g, mask);
        }
        bad_row(text);
    }
    if (read_flags(form, text, required)) return;
    for (std::size_t g = 0; g < group_count; ++g)
        if (const std::uint32_t mask = members_mask(static_cast<Group>(g), text)) return allow(g, mask);
    bad_row(text);
}

void read_slot_value(Slot& slot, std::string_view text) {
    static constexpr std::pair<std::string_view, SlotKind> kinds[] = {
        {"[]", SlotKind::Memory},   {"addr", SlotKind::Address}, {"imm", SlotKind::Immediate},
        {"tex", SlotKind::Texture}, {"surf", SlotKind::Surface}, {"handle", SlotKind::Handle},
        {"x", SlotKind::Extra},     {"label", SlotKind::Label},  {"table", SlotKind::BranchTable},
        {"call", SlotKind::Call},   {"_", SlotKind::Sink},       {"tensor", SlotKind::Tensor},
    };
    for (const auto& [spelling, kind] : kinds)
        if (text == spelling) {
            slot.kind = kind;
            return;
        }
    if (text[0] >= '0' && text[0] <= '3') {
        slot.type_index = static_cast<std::uint8_t>(text[0] - '0');
        slot.doubled = text.ends_with('w');
    } else if (text == "i32") {
        slot.fixed = Type::S32;
        slot.any_signed = true;
    } else {
        slot.fixed = type_named(text);
        if (slot.fixed == Type::None) bad_row(text);
    }
}

void read_slot(Form& form, std::string_view text) {
    Slot slot;
    if (text[0] == '?') slot.optional = true, text.remove_prefix(1);
    if (text[0] == '=') slot.destination = true, text.remove_prefix(1);
    if (const std::size_t star = text.find('*'); star != text.npos) {
        slot.registers = static_cast<std::uint8_t>(text[star + 1] - '0');
        text = text.substr(0, star);
    }
    const std::size_t colon = std::min(text.find(':'), text.size());
    for (const char suffix : text.substr(colon)) {
        switch (suffix) {
            case 'v':
                slot.vector = true;
                break;
            case 'm':
                slot.parts = slot.symbol = true;
                break;
            case 'x':
                slot.wider = true;
                break;
            case 'p':
                slot.pair = true;
                break;
            case 'P':
                slot.pair = slot.must_pair = true;
                break;
            case 's':
                slot.symbol = true;
                break;
            case 'n':
                slot.negatable = true;
                break;
            case 'r':
                slot.in_register = true;
                break;
            case '1':
            case '2':
            case '4':
                slot.elements = static_cast<std::uint8_t>(suffix - '0');
                break;
            default:
                break;
        }
    }
    read_slot_value(slot, text.substr(0, colon));
    form.slots.push_back(slot);
}

void add_form(Grammar& grammar, Opcode opcode, std::string_view types, std::string_view modifiers,
              std::string_view operands) {
    Form form;
    read_types(form, types);
    for_each_part(modifiers, ' ', [&](std::string_view text) { read_modifier(form, text); });
    for_each_part(operands, ' ', [&](std::string_view text) { read_slot(form, text); });
    OpcodeForms& all = grammar.opcodes[static_cast<std::size_t>(opcode)];
    all.flags |= form.flags_allowed;
    for (std::size_t g = 0; g < group_count; ++g)
        if (form.values[g]) all.groups |= 1u << g;
    all.forms.push_back(std::move(form));
}

void add_mnemonic(Grammar& grammar, Opcode opcode, std::string_view spelling) {
    Mnemonic mnemonic{{}, opcode, spelling};
    std::string_view root;
    for_each_part(spelling, '.', [&](std::string_view part) {
        if (root.empty())
            root = part;
        else
            mnemonic.tail.push_back(part);
    });
    auto& all = grammar.roots[root];
    // Among mnemonics of equal length, unsupported ones come first, so that cp.async.bulk.commit_group does not match
    // cp.async.commit_group.
    const auto later = [&](const Mnemonic& other) {
        const std::size_t words = mnemonic.tail.size(), others = other.tail.size();
        return others < words || (others == words && opcode == Opcode::Count);
    };
    all.insert(std::find_if(all.begin(), all.end(), later), std::move(mnemonic));
}

void add_words(Grammar& grammar) {
    for (std::size_t i = 1; i < type_table.size(); ++i) grammar.words[type_table[i].name].type = static_cast<Type>(i);
    for (std::size_t i = 0; i < std::size(flag_names); ++i) grammar.words[flag_names[i]].flag = static_cast<Flag>(i);
    for (std::size_t g = 0; g < group_count; ++g) {
        const auto names = members_of(static_cast<Group>(g));
        for (std::size_t value = 1; value < names.size(); ++value) {
            Word& word = grammar.words[names[value]];
            if (word.member_count == word.members.size()) bad_row(names[value]);
            word.members[word.member_count++] = {static_cast<Group>(g), static_cast<std::uint8_t>(value)};
        }
    }
}

}  // namespace

static_assert(sizeof(Space) == 1 && offsetof(Modifiers, source_space) == group_count,
              "value_of reads the groups' fields as an array of bytes");

std::uint8_t& value_of(Modifiers& modifiers, Group group) noexcept {
    return reinterpret_cast<std::uint8_t*>(&modifiers)[static_cast<std::size_t>(group)];
}

std::uint8_t value_of(const Modifiers& modifiers, Group group) noexcept {
    return reinterpret_cast<const std::uint8_t*>(&modifiers)[static_cast<std::size_t>(group)];
}

std::span<const std::string_view> members_of(Group group) noexcept {
    switch (group) {
#define PTX_G(name, list, field) \
    case Group::name:            \
        return name##_names;
        PTX_GROUPS(PTX_G)
#undef PTX_G
        case Group::Count:
            break;
    }
    return {};
}

std::string_view spelling(Group group, std::uint8_t value) noexcept {
    return members_of(group)[value];
}
std::string_view spelling(Flag flag) noexcept {
    return flag_names[static_cast<std::size_t>(flag)];
}

const Grammar& grammar() {
    static const Grammar* const instance = [] {
        auto* built = new Grammar;  // leaked: modules may be loaded while the process ends
        add_words(*built);
#define PTX_OPCODE(id, spelling, family) add_mnemonic(*built, Opcode::id, spelling);
#define PTX_SPELLING(id, spelling) add_mnemonic(*built, Opcode::id, spelling);
#define PTX_FORM(id, types, modifiers, operands) add_form(*built, Opcode::id, types, modifiers, operands);
#define PTX_REFUSED(spelling) add_mnemonic(*built, Opcode::Count, spelling);
#include "ptx/opcodes.def"
        return built;
    }();
    return *instance;
}

}  // namespace cpu::ptx
