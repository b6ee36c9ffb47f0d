#include "compiler/trailing_alignment.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>
#include <vector>

namespace pycuda {

namespace {

bool is_space(char c) {
    return std::isspace(static_cast<unsigned char>(c)) != 0;
}

bool is_of_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::size_t without_spaces(std::string_view text, std::size_t at) {
    while (at < text.size() && is_space(text[at])) ++at;
    return at;
}

std::string_view word_at(std::string_view text, std::size_t at) {
    at = without_spaces(text, at);
    std::size_t end = at;
    while (end < text.size() && is_of_word(text[end])) ++end;
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

/// The end of the comment, literal or directive that begins at `at`; `at` itself if none does.
std::size_t end_of_other_text(std::string_view source, std::size_t at, bool begins_line) {
    const auto behind = [&](std::string_view end) {
        const std::size_t found = source.find(end, at + 1);
        return found == source.npos ? source.size() : found + end.size();
    };
    if (source.substr(at, 2) == "/*") return behind("*/");
    if (source.substr(at, 2) == "//") return std::min(source.find('\n', at), source.size());
    if (begins_line && source[at] == '#') {
        std::size_t end = behind("\n");
        while (end < source.size() && end >= 2 && source[end - 2] == '\\')
            end = std::min(source.find('\n', end), source.size() - 1) + 1;
        return end;
    }
    if (source[at] != '"' && source[at] != '\'') return at;
    std::size_t end = at + 1;
    while (end < source.size() && source[end] != source[at] && source[end] != '\n') end += source[end] == '\\' ? 2 : 1;
    return std::min(end + 1, source.size());
}

/// The attributes behind the closing brace at `brace`, with spaces before each; empty if there are none.
std::string_view attributes_behind(std::string_view source, std::size_t brace) {
    std::size_t end = brace + 1;
    for (;;) {
        const std::string_view word = word_at(source, end);
        if (word.empty() || !(names_attribute(word) || is_attribute_macro(source, word))) break;
        end = without_spaces(source, end) + word.size();
        const std::size_t open = without_spaces(source, end);
        if (open >= source.size() || source[open] != '(') continue;
        std::size_t depth = 0;
        for (end = open; end < source.size(); ++end) {
            depth += source[end] == '(';
            if (source[end] == ')' && --depth == 0) break;
        }
        end = std::min(end + 1, source.size());
    }
    return source.substr(brace + 1, end - brace - 1);
}

/// What an opening brace begins.
struct Opening {
    enum { Type, Function, Unknown } what = Unknown;
    std::size_t behind_keyword = 0;  ///< of a type
};

Opening opening_at(std::string_view source, std::size_t brace) {
    std::size_t begin = brace;
    while (begin > 0 && is_space(source[begin - 1])) --begin;
    if (begin > 0 && (source[begin - 1] == ')' || source[begin - 1] == ';')) return {Opening::Function, 0};
    while (begin > 0 && (is_of_word(source[begin - 1]) || is_space(source[begin - 1]) ||
                         std::string_view(":,<>").find(source[begin - 1]) != std::string_view::npos))
        --begin;
    Opening found;
    for (std::size_t at = begin; at < brace; ++at) {
        if (!is_of_word(source[at])) continue;
        const std::string_view word = word_at(source, at);
        at += word.size();
        if (word == "struct" || word == "union" || word == "class") found = {Opening::Type, at};
    }
    return found;
}

}  // namespace

LeadingAlignments with_leading_alignments(const std::string& source) {
    LeadingAlignments result{source, true};
    if (!names_attribute(source)) return result;
    std::vector<Opening> open;
    std::vector<std::pair<std::size_t, std::string>> heads;  // what is inserted, and where
    bool begins_line = true;
    for (std::size_t at = 0; at < source.size();) {
        if (const std::size_t end = end_of_other_text(source, at, begins_line); end != at) {
            begins_line = source[end - 1] == '\n';
            at = end;
            continue;
        }
        begins_line = source[at] == '\n' || (begins_line && is_space(source[at]));
        if (source[at] == '{') open.push_back(opening_at(source, at));
        if (source[at] == '}') {
            const Opening opening = open.empty() ? Opening{} : open.back();
            if (!open.empty()) open.pop_back();
            const std::string_view attributes = attributes_behind(source, at);
            if (!attributes.empty() && opening.what == Opening::Type) {
                std::string moved;
                for (std::size_t k = 0; k < attributes.size(); ++k) {
                    moved += is_space(attributes[k]) ? ' ' : attributes[k];
                    if (!is_space(attributes[k])) result.source[at + 1 + k] = ' ';
                }
                heads.emplace_back(opening.behind_keyword, " " + moved + " ");
            }
            result.complete &= attributes.empty() || opening.what != Opening::Unknown;
        }
        ++at;
    }
    // From the end, so that earlier positions stay. Heads are in the order of their closing braces.
    std::sort(heads.begin(), heads.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    for (const auto& [at, text] : heads) result.source.insert(at, text);
    return result;
}

}  // namespace pycuda
