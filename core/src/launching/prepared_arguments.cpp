#include "pycuda/launching/prepared_arguments.hpp"

#include <cctype>
#include <charconv>
#include <cstdint>
#include <stdexcept>

#include "pycuda/errors/error.hpp"
#include "text/text.hpp"

namespace pycuda {
namespace {

struct CharacterType {
    char character;
    SlotKind kind;
    std::size_t size, alignment;
};

template <class T>
constexpr CharacterType type_of(char character, SlotKind kind) {
    return {character, kind, sizeof(T), alignof(T)};
}

constexpr CharacterType character_types[] = {
    {'x', SlotKind::Bytes, 0, 1},
    type_of<char>('s', SlotKind::Bytes),
    type_of<char>('c', SlotKind::Bytes),
    type_of<signed char>('b', SlotKind::Signed),
    type_of<unsigned char>('B', SlotKind::Unsigned),
    type_of<bool>('?', SlotKind::Bool),
    type_of<short>('h', SlotKind::Signed),
    type_of<unsigned short>('H', SlotKind::Unsigned),
    type_of<int>('i', SlotKind::Signed),
    type_of<unsigned>('I', SlotKind::Unsigned),
    type_of<long>('l', SlotKind::Signed),
    type_of<unsigned long>('L', SlotKind::Unsigned),
    type_of<long long>('q', SlotKind::Signed),
    type_of<unsigned long long>('Q', SlotKind::Unsigned),
    type_of<std::ptrdiff_t>('n', SlotKind::Signed),
    type_of<std::size_t>('N', SlotKind::Unsigned),
    {'e', SlotKind::Float, 2, 2},
    type_of<float>('f', SlotKind::Float),
    type_of<double>('d', SlotKind::Float),
    {'F', SlotKind::Complex, 8, alignof(float)},
    {'D', SlotKind::Complex, 16, alignof(double)},
    {'T', SlotKind::Bytes, 128, 64},  // a tensor map
    type_of<std::uint64_t>('P', SlotKind::Pointer),
};

/// The first character of UTF-8 text, as messages show it.
std::string first_character(std::string_view text) {
    const auto first = static_cast<unsigned char>(text.front());
    if (first < ' ' || first == 0x7f) {
        constexpr char digits[] = "0123456789abcdef";
        return std::string("\\x") + digits[first / 16] + digits[first % 16];
    }
    std::size_t size = 1;
    while (first >= 0x80 && size < text.size() && (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80) ++size;
    return std::string(text.substr(0, size));
}

const CharacterType& find_character(std::string_view types) {
    for (const CharacterType& type : character_types)
        if (type.character == types.front()) return type;
    std::string known;
    for (const CharacterType& type : character_types) known += type.character;
    throw std::invalid_argument("prepare: '" + first_character(types) + "' is not an argument type; the types are " +
                                known);
}

/// Remove the repeat count in front of a character, if any, from `types` and return it.
std::size_t take_count(std::string_view& types) {
    if (!std::isdigit(static_cast<unsigned char>(types.front()))) return 1;
    std::size_t count = 0;
    const auto [end, error] = std::from_chars(types.data(), types.data() + types.size(), count);
    types.remove_prefix(static_cast<std::size_t>(end - types.data()));
    if (error != std::errc{} || count > max_parameter_bytes)
        throw std::invalid_argument("prepare: a repeat count may be at most " + std::to_string(max_parameter_bytes));
    if (types.empty()) throw std::invalid_argument("prepare: a repeat count must be followed by an argument type");
    return count;
}

void lay_out_by_kernel(std::vector<Slot>& slots, const ParameterLayout& layout) {
    const std::string who = "prepare: kernel '" + layout.kernel + "' ";
    const std::size_t wanted = layout.parameters.size();
    if (slots.size() != wanted)
        throw ArgumentTypeError(who + "takes " + std::to_string(wanted) + (wanted == 1 ? " argument" : " arguments") +
                                ", but " + std::to_string(slots.size()) +
                                (slots.size() == 1 ? " type was given" : " types were given"));
    for (std::size_t i = 0; i < slots.size(); ++i) {
        const KernelParameter& parameter = layout.parameters[i];
        if (slots[i].size != parameter.size)
            throw ArgumentTypeError(who + "takes " + bytes_text(parameter.size) + " as argument " + std::to_string(i) +
                                    ", counted from 0, but its type '" + slot_character(slots[i]) + "' has " +
                                    bytes_text(slots[i].size));
        slots[i].offset = parameter.offset;
    }
}

void lay_out_naturally(std::vector<Slot>& slots) {
    std::size_t end = 0;
    for (Slot& slot : slots) {
        if (slot.alignment > c_alignment)
            throw ArgumentTypeError(
                "prepare: only drivers of CUDA 12.4 and newer report the offset of an argument that is aligned to " +
                std::to_string(slot.alignment) + " bytes; update the driver");
        slot.offset = natural_offset(end, slot.alignment);
        end = slot.offset + slot.size;
        if (end > max_parameter_bytes)
            throw ArgumentTypeError("prepare: the arguments take more than " + std::to_string(max_parameter_bytes) +
                                    " bytes, the most that a kernel can have");
    }
}

}  // namespace

void append_slots(std::string_view types, std::vector<Slot>& slots) {
    while (!types.empty()) {
        if (std::isspace(static_cast<unsigned char>(types.front())) || types.front() == '@') {
            types.remove_prefix(1);
            continue;
        }
        const std::size_t count = take_count(types);
        const CharacterType& type = find_character(types);
        types.remove_prefix(1);
        if (type.character == 'x') continue;  // the kernel's layout, or C's alignment, determines the gaps
        if (type.character == 's')
            slots.push_back({SlotKind::Bytes, count, 1});
        else
            slots.insert(slots.end(), count, Slot{type.kind, type.size, type.alignment});
    }
}

std::size_t lay_out(std::vector<Slot>& slots, const ParameterLayout& layout) {
    if (layout.known)
        lay_out_by_kernel(slots, layout);
    else
        lay_out_naturally(slots);
    return slots.empty() ? 0 : slots.back().offset + slots.back().size;
}

char slot_character(const Slot& slot) noexcept {
    if (slot.kind == SlotKind::Bytes) return 's';
    for (const CharacterType& type : character_types)
        if (type.kind == slot.kind && type.size == slot.size) return type.character;
    return 's';
}

}  // namespace pycuda
