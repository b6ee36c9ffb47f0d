#pragma once

#include <string>
#include <string_view>

#include "ptx/error.hpp"
#include "ptx/lexer.hpp"

namespace cpu::ptx {

/// The lexer with two tokens of look-ahead, and common steps of the parser.
class TokenStream {
public:
    explicit TokenStream(std::string_view text) : lexer_(text), now_(lexer_.next()), ahead_(lexer_.next()) {}

    const Token& peek() const noexcept { return now_; }
    const Token& peek_second() const noexcept { return ahead_; }
    std::uint32_t line() const noexcept { return now_.line; }

    Token next() {
        const Token token = now_;
        now_ = ahead_;
        if (ahead_.kind != TokenKind::End) ahead_ = lexer_.next();
        return token;
    }
    bool accept(char punct) {
        if (!now_.is(punct)) return false;
        next();
        return true;
    }
    bool accept_dot(std::string_view word) {
        if (!now_.is_dot(word)) return false;
        next();
        return true;
    }
    void expect(char punct) {
        if (!accept(punct)) fail(std::string("expected '") + punct + "' before " + describe(now_));
    }
    std::string_view expect_word(const char* what) {
        if (now_.kind != TokenKind::Word) fail(std::string("expected ") + what + " before " + describe(now_));
        return next().text;
    }
    void expect_keyword(std::string_view word) {
        if (now_.kind != TokenKind::Word || now_.text != word)
            fail("expected '" + std::string(word) + "' before " + describe(now_));
        next();
    }
    std::uint64_t expect_integer(const char* what) {
        if (now_.kind != TokenKind::Integer) fail(std::string("expected ") + what + " before " + describe(now_));
        return next().bits;
    }
    std::uint32_t expect_u32(const char* what) {
        const std::uint64_t value = expect_integer(what);
        if (value > 0xffffffffu) fail(std::string(what) + " is too large");
        return static_cast<std::uint32_t>(value);
    }

    [[noreturn]] void fail(const std::string& message) const { throw SyntaxError(static_cast<int>(line()), message); }

    static std::string describe(const Token& token) {
        switch (token.kind) {
            case TokenKind::End:
                return "the end of the text";
            case TokenKind::Integer:
            case TokenKind::Float32:
            case TokenKind::Float64:
                return "a number";
            case TokenKind::String:
                return "a string";
            case TokenKind::DotWord:
                return "'." + shorten(token.text) + "'";
            default:
                return "'" + shorten(token.text) + "'";
        }
    }
    /// Shortens an untrusted name for a message.
    static std::string shorten(std::string_view text) {
        return text.size() <= 80 ? std::string(text) : std::string(text.substr(0, 77)) + "...";
    }

private:
    Lexer lexer_;
    Token now_;
    Token ahead_;
};

}  // namespace cpu::ptx
