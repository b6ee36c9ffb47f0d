#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pycuda {

/// The parts of a text that white space separates.
inline std::vector<std::string> words_of(std::string_view text) {
    constexpr std::string_view space = " \t\n\v\f\r";
    std::vector<std::string> words;
    for (std::size_t begin = text.find_first_not_of(space); begin != text.npos;) {
        const std::size_t end = std::min(text.find_first_of(space, begin), text.size());
        words.emplace_back(text.substr(begin, end - begin));
        begin = text.find_first_not_of(space, end);
    }
    return words;
}

/// The parts of a text between the separators, without empty ones.
inline std::vector<std::string> parts_of(std::string_view text, char separator) {
    std::vector<std::string> parts;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(separator, begin), text.size());
        if (end > begin) parts.emplace_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

}  // namespace pycuda
