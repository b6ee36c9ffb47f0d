#pragma once

#include <cstddef>
#include <string_view>

namespace pycuda {

/// What stands for a byte that is not UTF-8.
inline constexpr char32_t replacement_character = 0xFFFD;

/// Decode the code point at `position`, which must lie in `text`, and step over it. A malformed byte counts as one
/// replacement character.
inline char32_t next_code_point(std::string_view text, std::size_t& position) noexcept {
    const auto first = static_cast<unsigned char>(text[position++]);
    if (first < 0x80) return first;
    const int trailing = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
    if (first < 0xC2 || first > 0xF4) return replacement_character;
    char32_t point = first & (0x3F >> trailing);
    for (std::size_t i = 0; i < static_cast<std::size_t>(trailing); ++i) {
        if (position + i >= text.size()) return replacement_character;
        const auto byte = static_cast<unsigned char>(text[position + i]);
        if ((byte & 0xC0) != 0x80) return replacement_character;
        point = point << 6 | (byte & 0x3F);
    }
    constexpr char32_t smallest[] = {0, 0x80, 0x800, 0x10000};
    if (point < smallest[trailing] || point > 0x10FFFF || (point >= 0xD800 && point < 0xE000))
        return replacement_character;
    position += static_cast<std::size_t>(trailing);
    return point;
}

}  // namespace pycuda
