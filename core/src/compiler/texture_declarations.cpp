#include "compiler/texture_declarations.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <utility>
#include <vector>

namespace pycuda {
namespace {

constexpr std::string_view marker = "PYCUDA_REFERENCE ";

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// Splits C++ text into tokens: words, quoted texts and single characters. Comments and blanks are skipped.
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
    /// The first character of the next token; 0 at the end.
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

/// Skips a list of template arguments, including its closing bracket. False if that is missing.
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

/// True if a type after `previous` is not part of the declaration of a variable.
bool is_no_declaration(std::string_view previous) {
    constexpr std::array<std::string_view, 15> words = {
        "typedef", "=", "<",          ",",      ":",      "return",   "__device__",      "__constant__",
        "(",       ".", "__shared__", "sizeof", "friend", "typename", "PYCUDA_REFERENCE"};
    return std::find(words.begin(), words.end(), previous) != words.end();
}

/// Finds where a text declares variables of such types, and the aliases that it declares for them.
class Search {
public:
    Search(std::string_view text, TextureDeclarations::Aliases& aliases) : tokens_(text), aliases_(aliases) {}

    void run() {
        for (std::string_view token = tokens_.next(); !token.empty() && !has_its_own; token = tokens_.next()) {
            count(token);
            if ((token == "texture" || token == "surface") && !look_at_template(token)) return;
            if (is_outermost() && aliases_.contains(token)) look_at_alias(token);
            before_ = {token, before_[0], before_[1]};
        }
    }

    std::vector<std::size_t> offsets;  ///< of declarations
    bool found = false, has_its_own = false;

private:
    void count(std::string_view token) {
        if (token == "(") ++brackets_;
        if (token == ")") --brackets_;
        // extern "C" and namespaces do not count as scopes here.
        if (token == "{")
            scopes_.push_back(!before_[0].starts_with('"') && before_[0] != "namespace" && before_[1] != "namespace");
        if (token == "}" && !scopes_.empty()) scopes_.pop_back();
    }
    bool is_outermost() const {
        return brackets_ == 0 && std::find(scopes_.begin(), scopes_.end(), true) == scopes_.end();
    }

    /// False if the text cannot be parsed.
    bool look_at_template(std::string_view token) {
        has_its_own = before_[0] == "struct" || before_[0] == "class";
        if (has_its_own || tokens_.peek() != '<') return true;
        if (!skip_arguments(tokens_)) return false;
        found = true;
        look_behind_type(token);
        return true;
    }
    /// If a '(' follows the next word, that is a function, whose result may be a template parameter of the same name.
    void look_at_alias(std::string_view token) {
        if (tokens_.peek() == '<' && !skip_arguments(tokens_)) return;
        Tokens ahead = tokens_;
        ahead.next();
        if (ahead.peek() != '(') look_behind_type(token);
    }
    void look_behind_type(std::string_view token) {
        if (before_[0] == "typedef" && is_outermost())
            take_names();
        else if (before_[0] == "=" && before_[2] == "using" && is_outermost())
            aliases_.emplace(before_[1]);
        else if (brackets_ == 0 && !is_no_declaration(before_[0]) && is_word(tokens_.peek()))
            offsets.push_back(tokens_.offset_of(token));
    }
    /// The names that a typedef declares, except those of pointers to such types.
    void take_names() {
        std::string_view last;
        for (std::string_view name = tokens_.next(); !name.empty() && name != ";"; name = tokens_.next()) {
            if (is_word(name[0]) && (last.empty() || last == ",")) aliases_.emplace(name);
            last = name;
        }
    }

    Tokens tokens_;
    TextureDeclarations::Aliases& aliases_;
    std::array<std::string_view, 3> before_;  ///< the preceding tokens, the last one first
    int brackets_ = 0;
    std::vector<bool> scopes_;
};

}  // namespace

TextureDeclarations::TextureDeclarations(const std::string& text, Aliases known)
    : source_(text), aliases_(std::move(known)) {
    if (aliases_.empty() && text.find("texture") == std::string::npos && text.find("surface") == std::string::npos)
        return;
    Search search(text, aliases_);
    search.run();
    has_its_own_ = search.has_its_own;
    if (has_its_own_) return;
    found_ = search.found;
    for (auto offset = search.offsets.rbegin(); offset != search.offsets.rend(); ++offset)
        source_.insert(*offset, marker);
}

}  // namespace pycuda
