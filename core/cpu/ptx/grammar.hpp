#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/modifiers.hpp"
#include "ptx/opcode.hpp"
#include "ptx/types.hpp"

/// opcodes.def and modifiers.hpp as tables for the parser and the verifier.
namespace cpu::ptx {

enum class Group : std::uint8_t {
#define PTX_G(group, list, field) group,
    PTX_GROUPS(PTX_G)
#undef PTX_G
        Count
};
inline constexpr std::size_t group_count = static_cast<std::size_t>(Group::Count);

/// The field of `modifiers` that holds the group's value, as a number.
std::uint8_t& value_of(Modifiers& modifiers, Group group) noexcept;
std::uint8_t value_of(const Modifiers& modifiers, Group group) noexcept;
std::string_view spelling(Group group, std::uint8_t value) noexcept;
/// The spellings of a group's values. The first is that of None, and is empty.
std::span<const std::string_view> members_of(Group group) noexcept;
std::string_view spelling(Flag flag) noexcept;

/// What a dotted word can be: a type, a flag, or a member of some groups.
struct Word {
    struct Member {
        Group group;
        std::uint8_t value;
    };
    Type type = Type::None;
    Flag flag = Flag::Count;
    std::array<Member, 3> members{};
    std::uint8_t member_count = 0;
};

enum class SlotKind : std::uint8_t {
    Value,
    Memory,
    Address,
    Immediate,
    Texture,
    Surface,
    Handle,
    Tensor,  ///< a tensor map and coordinates
    Extra,
    Sink,  ///< "_"
    Label,
    BranchTable,
    Call
};

/// One operand of a form.
struct Slot {
    SlotKind kind = SlotKind::Value;
    bool destination = false;
    bool optional = false;
    bool vector = false;         ///< :v
    bool parts = false;          ///< :m
    bool wider = false;          ///< :x
    bool pair = false;           ///< :p, :P
    bool must_pair = false;      ///< :P
    bool symbol = false;         ///< :s
    bool doubled = false;        ///< "0w"
    bool any_signed = false;     ///< "i32"
    bool negatable = false;      ///< :n
    bool in_register = false;    ///< :r
    std::uint8_t elements = 0;   ///< :1, :2, :4
    std::uint8_t registers = 0;  ///< *n: exactly this many, in braces
    Type fixed = Type::None;     ///< None: types[type_index]
    std::uint8_t type_index = 0;
};

struct Form {
    std::array<std::uint64_t, 4> types{};  ///< one bit for each Type
    std::uint8_t type_count = 0;
    std::uint32_t flags_allowed = 0;
    std::uint32_t flags_required = 0;
    std::uint32_t groups_required = 0;                ///< one bit for each Group
    std::array<std::uint32_t, group_count> values{};  ///< one bit for each permitted value
    std::vector<Slot> slots;
};

struct OpcodeForms {
    std::vector<Form> forms;
    std::uint32_t groups = 0;  ///< those of all forms: they show to which group an ambiguous word belongs
    std::uint32_t flags = 0;
};

/// A mnemonic: the dotted words after the root that belong to it.
struct Mnemonic {
    std::vector<std::string_view> tail;
    Opcode opcode = Opcode::Count;  ///< Count: not supported
    std::string_view spelling;
};

struct Grammar {
    std::unordered_map<std::string_view, Word> words;
    std::unordered_map<std::string_view, std::vector<Mnemonic>> roots;  ///< longest tail first
    std::array<OpcodeForms, static_cast<std::size_t>(Opcode::Count)> opcodes;

    const OpcodeForms& forms(Opcode opcode) const { return opcodes[static_cast<std::size_t>(opcode)]; }
};

/// Built at first use.
const Grammar& grammar();

}  // namespace cpu::ptx
