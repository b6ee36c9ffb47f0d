#include "ptx/lexer.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>

#include "ptx/error.hpp"

namespace cpu::ptx {
namespace {

enum CharClass : std::uint8_t { Other = 0, WordChar = 1, Digit = 2, Blank = 4 };

constexpr std::array<std::uint8_t, 256> make_classes() {
    std::array<std::uint8_t, 256> classes{};
    for (unsigned c = 'a'; c <= 'z'; ++c) classes[c] = WordChar;
    for (unsigned c = 'A'; c <= 'Z'; ++c) classes[c] = WordChar;
    for (unsigned c = '0'; c <= '9'; ++c) classes[c] = WordChar | Digit;
    classes['_'] = classes['$'] = WordChar;
    classes[' '] = classes['\t'] = classes['\r'] = classes['\n'] = classes['\f'] = classes['\v'] = Blank;
    return classes;
}

constexpr auto classes = make_classes();

bool has_class(char c, CharClass wanted) {
    return classes[static_cast<unsigned char>(c)] & wanted;
}

int digit_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return 99;
}

bool pairs(char first, char second) {
    switch (first) {
        case '<':
            return second == '<' || second == '=';
        case '>':
            return second == '>' || second == '=';
        case '=':
        case '!':
            return second == '=';
        case '&':
            return second == '&';
        case '|':
            return second == '|';
        default:
            return false;
    }
}

}  // namespace

/// Text ends at its first NUL, even if the caller gives a greater length.
Lexer::Lexer(std::string_view text) : at_(text.data()), end_(at_ + std::min(text.find('\0'), text.size())) {
    require_ascii();
}

void Lexer::require_ascii() const {
    std::uint32_t line = line_;
    for (const char* scan = at_; scan < end_; ++scan) {
        line += *scan == '\n';
        if (static_cast<unsigned char>(*scan) > 127)
            throw SyntaxError(static_cast<int>(line),
                              "PTX must be ASCII, including comments: this line has another character");
    }
}

void Lexer::fail(const char* message) const {
    throw SyntaxError(static_cast<int>(line_), message);
}

void Lexer::skip_blanks() {
    while (at_ < end_) {
        if (has_class(*at_, Blank)) {
            line_ += *at_ == '\n';
            ++at_;
        } else if (*at_ == '/' && end_ - at_ > 1 && at_[1] == '/') {
            while (at_ < end_ && *at_ != '\n') ++at_;
        } else if (*at_ == '/' && end_ - at_ > 1 && at_[1] == '*') {
            at_ += 2;
            while (end_ - at_ > 1 && !(at_[0] == '*' && at_[1] == '/')) line_ += *at_++ == '\n';
            if (end_ - at_ < 2) fail("unterminated comment");
            at_ += 2;
        } else if (*at_ == '#') {  // line markers from a preprocessor
            while (at_ < end_ && *at_ != '\n') ++at_;
        } else {
            return;
        }
    }
}

std::string_view Lexer::word(const char* from) {
    while (at_ < end_ && has_class(*at_, WordChar)) ++at_;
    return {from, static_cast<std::size_t>(at_ - from)};
}

/// True for .5, which is a number; .2d and .f32 are words.
bool Lexer::starts_fraction() const {
    const char* scan = at_ + 1;
    while (scan < end_ && has_class(*scan, Digit)) ++scan;
    return scan > at_ + 1 && (scan == end_ || !has_class(*scan, WordChar) || *scan == 'e' || *scan == 'E');
}

Token Lexer::next() {
    skip_blanks();
    if (at_ == end_) return {TokenKind::End, false, line_, {}, 0};
    const char c = *at_;
    if (has_class(c, Digit)) return number();
    if (has_class(c, WordChar)) return {TokenKind::Word, false, line_, word(at_), 0};
    // % starts the name of a register; before anything but a name it is an operator.
    if (c == '%' && end_ - at_ > 1 && has_class(at_[1], WordChar) && !has_class(at_[1], Digit)) {
        const char* from = at_++;
        return {TokenKind::Word, false, line_, word(from), 0};
    }
    if (c == '.' && starts_fraction()) return decimal_float();
    if (c == '.' && end_ - at_ > 1 && has_class(at_[1], WordChar)) {
        const char* from = ++at_;
        word(from);
        while (end_ - at_ > 2 && at_[0] == ':' && at_[1] == ':' && has_class(at_[2], WordChar)) {
            at_ += 2;
            word(at_);
        }
        return {TokenKind::DotWord, false, line_, {from, static_cast<std::size_t>(at_ - from)}, 0};
    }
    if (c == '"') return string();
    return punct();
}

Token Lexer::punct() {
    const std::size_t length = end_ - at_ > 1 && pairs(at_[0], at_[1]) ? 2 : 1;
    const Token token{TokenKind::Punct, false, line_, {at_, length}, 0};
    at_ += length;
    return token;
}

Token Lexer::string() {
    const std::uint32_t line = line_;
    const char* from = ++at_;
    while (at_ < end_ && *at_ != '"') {
        if (*at_ == '\\' && end_ - at_ > 1) ++at_;
        line_ += *at_++ == '\n';
    }
    if (at_ == end_) fail("unterminated string");
    const Token token{TokenKind::String, false, line, {from, static_cast<std::size_t>(at_ - from)}, 0};
    ++at_;
    return token;
}

Token Lexer::number() {
    if (*at_ == '0' && end_ - at_ > 1) {
        const char c = at_[1];
        if (c == 'f' || c == 'F') return hex_pattern(TokenKind::Float32, 8);
        if (c == 'd' || c == 'D') return hex_pattern(TokenKind::Float64, 16);
        if (c == 'x' || c == 'X' || c == 'b' || c == 'B') return integer();
    }
    const char* scan = at_;
    while (scan < end_ && has_class(*scan, Digit)) ++scan;
    const bool point = scan < end_ && *scan == '.';
    const bool exponent = end_ - scan > 1 && (*scan == 'e' || *scan == 'E');
    return point || exponent ? decimal_float() : integer();
}

Token Lexer::hex_pattern(TokenKind kind, unsigned digits) {
    Token token{kind, false, line_, {}, 0};
    at_ += 2;
    for (unsigned i = 0; i < digits; ++i, ++at_) {
        if (at_ == end_ || digit_value(*at_) > 15) fail("malformed floating-point constant");
        token.bits = token.bits << 4 | static_cast<unsigned>(digit_value(*at_));
    }
    if (at_ < end_ && has_class(*at_, WordChar)) fail("malformed floating-point constant");
    return token;
}

Token Lexer::decimal_float() {
    double value = 0;
    const auto [stop, error] = std::from_chars(at_, end_, value);
    if (error == std::errc::invalid_argument || (stop < end_ && has_class(*stop, WordChar)))
        fail("malformed floating-point constant");
    if (error == std::errc::result_out_of_range) fail("floating-point constant out of range");
    at_ = stop;
    return {TokenKind::Float64, false, line_, {}, std::bit_cast<std::uint64_t>(value)};
}

Token Lexer::integer() {
    Token token{TokenKind::Integer, false, line_, {}, 0};
    int base = 10;
    if (*at_ == '0' && end_ - at_ > 1) {
        const char c = at_[1];
        base = c == 'x' || c == 'X' ? 16 : c == 'b' || c == 'B' ? 2 : 8;
        at_ += base == 8 ? 1 : 2;
        if (base != 8 && (at_ == end_ || digit_value(*at_) >= base)) fail("malformed integer constant");
    }
    for (; at_ < end_ && digit_value(*at_) < base; ++at_) {
        const auto digit = static_cast<std::uint64_t>(digit_value(*at_));
        if (__builtin_mul_overflow(token.bits, static_cast<std::uint64_t>(base), &token.bits) ||
            __builtin_add_overflow(token.bits, digit, &token.bits))
            fail("integer constant does not fit 64 bits");
    }
    token.is_unsigned = token.bits >> 63;
    if (at_ < end_ && (*at_ == 'U' || *at_ == 'u')) {
        token.is_unsigned = true;
        ++at_;
    }
    if (at_ < end_ && has_class(*at_, WordChar)) fail("malformed integer constant");
    return token;
}

}  // namespace cpu::ptx
