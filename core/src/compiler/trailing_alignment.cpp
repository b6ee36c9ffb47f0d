#include "compiler/trailing_alignment.hpp"

#include <cctype>
#include <string_view>

namespace pycuda {

namespace {

std::string_view word_at(std::string_view text, std::size_t at) {
    while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at]))) ++at;
    std::size_t end = at;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_')) ++end;
    return text.substr(at, end - at);
}

bool names_attribute(std::string_view text) {
    return text.find("__align__") != text.npos || text.find("__attribute__") != text.npos;
}

/// True if `source` defines `name` as a macro for an attribute.
bool is_attribute_macro(std::string_view source, std::string_view name) {
    constexpr std::string_view define = "define";
    for (std::size_t at = 0; (at = source.find(define, at)) != source.npos;) {
        at += define.size();
        if (word_at(source, at) == name && names_attribute(source.substr(at, source.find('\n', at) - at))) return true;
    }
    return false;
}

}  // namespace

bool has_trailing_alignment(const std::string& source) {
    if (!names_attribute(source)) return false;
    for (std::size_t at = 0; (at = source.find('}', at)) != source.npos; ++at) {
        const std::string_view word = word_at(source, at + 1);
        if (!word.empty() && (names_attribute(word) || is_attribute_macro(source, word))) return true;
    }
    return false;
}

}  // namespace pycuda
