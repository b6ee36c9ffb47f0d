#pragma once

#include <cstdint>
#include <string_view>

namespace cpu::ptx {

enum class TokenKind : std::uint8_t {
    End,
    Word,     ///< identifier, with its leading % or $
    DotWord,  ///< .word; `text` excludes the dot, and may contain "::"
    Integer,  ///< bits: the value
    Float32,  ///< 0f...: bits is the f32 pattern
    Float64,  ///< 0d... or decimal: bits is the f64 pattern
    String,   ///< `text` excludes the quotes
    Punct,    ///< one or two characters
};

struct Token {
    TokenKind kind = TokenKind::End;
    bool is_unsigned = false;  ///< Integer with suffix U, or too large for a signed one
    std::uint32_t line = 1;
    std::string_view text;
    std::uint64_t bits = 0;

    bool is(char c) const noexcept { return kind == TokenKind::Punct && text.size() == 1 && text[0] == c; }
    bool is(std::string_view punct) const noexcept { return kind == TokenKind::Punct && text == punct; }
    bool is_word(std::string_view word) const noexcept { return kind == TokenKind::Word && text == word; }
    bool is_dot(std::string_view word) const noexcept { return kind == TokenKind::DotWord && text == word; }
};

/// Splits PTX text into tokens on demand. Tokens refer to the text, which must outlive them. Throws SyntaxError.
class Lexer {
public:
    explicit Lexer(std::string_view text);
    Token next();

private:
    void require_ascii() const;
    void skip_blanks();
    bool starts_fraction() const;
    Token number();
    Token hex_pattern(TokenKind kind, unsigned digits);
    Token decimal_float();
    Token integer();
    Token string();
    Token punct();
    std::string_view word(const char* from);
    [[noreturn]] void fail(const char* message) const;

    const char* at_;
    const char* end_;
    std::uint32_t line_ = 1;
};

}  // namespace cpu::ptx
