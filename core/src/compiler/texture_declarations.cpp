#include "compiler/texture_declarations.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <vector>

namespace pycuda {
namespace {

constexpr std::string_view marker = "PYCUDA_REFERENCE ";

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// Walks over C++ text token by token: words, quoted text as a whole, and single signs. Comments and blanks are
/// skipped.
class Tokens {
public:
    explicit Tokens(std::string_view text) : text_(text) {}

    /// The next token; empty at the end.
    std::string_view next() {
        skip_blanks();
        const std::size_t begin = at_;
        if (at_ >= text_.size()) return {};
        if (is_word(text_[at_])) {
            while (at_ < text_.size() && is_word(text_[at_])) ++at_;
            const std::string_view word = text_.substr(begin, at_ - begin);
            if (word.ends_with('R') && at_ < text_.size() && text_[at_] == '"') skip_raw_string();
        } else if (text_[at_] == '"' || text_[at_] == '\'') {
            skip_quoted(text_[at_]);
        } else {
            ++at_;
        }
        return text_.substr(begin, at_ - begin);
    }
    /// What the next token starts with; 0 at the end.
    char peek() {
        skip_blanks();
        return at_ < text_.size() ? text_[at_] : '\0';
    }
    std::size_t offset_of(std::string_view token) const {
        return static_cast<std::size_t>(token.data() - text_.data());
    }

private:
    void skip_blanks() {
        while (at_ < text_.size()) {
            if (std::isspace(static_cast<unsigned char>(text_[at_])) || text_[at_] == '\\')
                ++at_;
            else if (text_.substr(at_).starts_with("//"))
                at_ = std::min(text_.find('\n', at_), text_.size());
            else if (text_.substr(at_).starts_with("/*"))
                at_ = end_after("*/", at_ + 2);
            else
                return;
        }
    }
    void skip_quoted(char quote) {
        for (++at_; at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n'; ++at_)
            if (text_[at_] == '\\') ++at_;
        at_ = std::min(at_ + 1, text_.size());
    }
    void skip_raw_string() {
        const std::size_t open = text_.find('(', at_);
        if (open == std::string_view::npos) return skip_quoted('"');
        const std::string close = ")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"";
        at_ = end_after(close, open);
    }
    std::size_t end_after(std::string_view what, std::size_t from) const {
        const std::size_t found = text_.find(what, from);
        return found == std::string_view::npos ? text_.size() : found + what.size();
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

/// Reads a list of template arguments to its closing sign. False when there is none.
bool skip_arguments(Tokens& tokens) {
    int angles = 0, brackets = 0;
    for (std::string_view token = tokens.next(); !token.empty(); token = tokens.next()) {
        if (token == "(") ++brackets;
        if (token == ")") --brackets;
        if (brackets == 0 && token == "<") ++angles;
        if (brackets == 0 && token == ">" && --angles == 0) return true;
        if (brackets < 0 || token == ";" || token == "{") return false;
    }
    return false;
}

/// Whether a type after `previous` belongs to something else than the declaration of a variable.
bool is_no_declaration(std::string_view previous) {
    constexpr std::array<std::string_view, 15> words = {
        "typedef", "=", "<",          ",",      ":",      "return",   "__device__",      "__constant__",
        "(",       ".", "__shared__", "sizeof", "friend", "typename", "PYCUDA_REFERENCE"};
    return std::find(words.begin(), words.end(), previous) != words.end();
}

}  // namespace

TextureDeclarations::TextureDeclarations(const std::string& text) : source_(text) {
    if (text.find("texture") == std::string::npos && text.find("surface") == std::string::npos) return;
    std::vector<std::size_t> places;
    Tokens tokens(text);
    int brackets = 0;
    std::string_view previous;
    for (std::string_view token = tokens.next(); !token.empty(); token = tokens.next()) {
        if (token == "(") ++brackets;
        if (token == ")") --brackets;
        if (token == "texture" || token == "surface") {
            if (previous == "struct" || previous == "class") {  // the program's own
                found_ = false;
                has_its_own_ = true;
                return;
            }
            if (tokens.peek() == '<') {
                const std::size_t place = tokens.offset_of(token);
                if (!skip_arguments(tokens)) return;
                found_ = true;
                const char after = tokens.peek();
                if (brackets == 0 && !is_no_declaration(previous) && is_word(after)) places.push_back(place);
                token = ">";
            }
        }
        previous = token;
    }
    std::for_each(places.rbegin(), places.rend(), [&](std::size_t place) { source_.insert(place, marker); });
}

}  // namespace pycuda
