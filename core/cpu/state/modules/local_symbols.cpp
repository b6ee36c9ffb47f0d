#include "state/modules/local_symbols.hpp"

#include "ptx/error.hpp"
#include "ptx/lexer.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace cpu::state {

namespace {

using ptx::Token;
using ptx::TokenKind;

/// Calls f with each token.
template <class F>
void for_tokens(std::string_view text, F f) try {
    ptx::Lexer lexer(text);
    for (Token token = lexer.next(); token.kind != TokenKind::End; token = lexer.next()) f(token);
} catch (const ptx::SyntaxError&) {  // the loader says what is wrong with it
}

/// Finds the names that a text declares outside of functions.
class Declarations {
public:
    explicit Declarations(std::string_view text) {
        for_tokens(text, [this](const Token& token) { read(token); });
    }

    std::set<std::string, std::less<>> own, others;

private:
    void read(const Token& token) {
        if (token.is('{') || token.is('(') || token.is('[')) ++depth_;
        if (token.is('}') || token.is(')') || token.is(']')) --depth_;
        if (depth_ > 0) return;
        if (token.is(';') || (token.is('}') && function_)) {
            *this = Declarations(std::move(own), std::move(others));
        } else if (token.kind == TokenKind::DotWord) {
            function_ = function_ || token.is_dot("func") || token.is_dot("entry");
            // Kernels are looked up by their names, whoever may refer to them.
            for (const std::string_view word : {"visible", "extern", "weak", "common", "entry"})
                is_own_ = is_own_ && !token.is_dot(word);
            awaits_name_ =
                awaits_name_ || function_ || token.is_dot("global") || token.is_dot("const") || token.is_dot("shared");
        } else if (token.kind == TokenKind::Word && awaits_name_) {
            (is_own_ ? own : others).emplace(token.text);
            awaits_name_ = false;
        } else if (token.is(',') && !function_) {
            awaits_name_ = true;
        } else if (token.is('=')) {
            awaits_name_ = false;
        }
    }

    Declarations(std::set<std::string, std::less<>> own_names, std::set<std::string, std::less<>> other_names)
        : own(std::move(own_names)), others(std::move(other_names)) {}

    int depth_ = 0;
    bool function_ = false, is_own_ = true, awaits_name_ = false;
};

std::string renamed(std::string_view text, const std::map<std::string, std::string, std::less<>>& names) {
    std::string result;
    std::size_t done = 0;
    for_tokens(text, [&](const Token& token) {
        if (token.kind != TokenKind::Word) return;
        const auto found = names.find(token.text);
        if (found == names.end()) return;
        const auto at = static_cast<std::size_t>(token.text.data() - text.data());
        result.append(text.substr(done, at - done)).append(found->second);
        done = at + token.text.size();
    });
    return result.append(text.substr(done));
}

}  // namespace

void separate_local_symbols(std::vector<std::string>& texts) {
    std::vector<Declarations> declared;
    std::map<std::string, int, std::less<>> texts_with;
    for (const std::string& text : texts) {
        declared.emplace_back(text);
        std::set<std::string, std::less<>> names = declared.back().own;
        names.insert(declared.back().others.begin(), declared.back().others.end());
        for (const std::string& name : names) ++texts_with[name];
    }
    for (std::size_t n = 0; n < texts.size(); ++n) {
        std::map<std::string, std::string, std::less<>> names;
        for (const std::string& name : declared[n].own) {
            if (texts_with[name] < 2 || declared[n].others.contains(name)) continue;
            std::string fresh = name + "$" + std::to_string(n + 1);
            while (texts_with.contains(fresh)) fresh += "$";
            texts_with[fresh] = 1;
            names.emplace(name, std::move(fresh));
        }
        if (!names.empty()) texts[n] = renamed(texts[n], names);
    }
}

}  // namespace cpu::state
