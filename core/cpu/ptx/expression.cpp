#include "ptx/expression.hpp"

namespace cpu::ptx {
namespace {

// How deep parentheses and unary operators may be nested: the text is untrusted.
constexpr int max_depth = 64;

struct Operator {
    std::string_view spelling;
    int precedence;
};

constexpr Operator operators[] = {
    {"*", 10}, {"/", 10}, {"%", 10}, {"+", 9},  {"-", 9}, {"<<", 8}, {">>", 8}, {"<", 7},  {">", 7},
    {"<=", 7}, {">=", 7}, {"==", 6}, {"!=", 6}, {"&", 5}, {"^", 4},  {"|", 3},  {"&&", 2}, {"||", 1},
};

const Operator* binary_operator(const Token& token) {
    if (token.kind != TokenKind::Punct) return nullptr;
    if (token.is(',') || token.is(';') || token.is('}') || token.is(']') || token.is(')'))
        return nullptr;  // the usual case
    for (const Operator& op : operators)
        if (op.spelling == token.text) return &op;
    return nullptr;
}

struct Evaluator {
    TokenStream& tokens;
    int depth = 0;

    ConstantValue conditional() {
        if (++depth > max_depth) tokens.fail("constant expression is nested too deeply");
        ConstantValue value = binary(0);
        if (tokens.accept('?')) {
            const ConstantValue yes = conditional();
            tokens.expect(':');
            const ConstantValue no = conditional();
            value = integer(value) ? yes : no;
        }
        --depth;
        return value;
    }

    std::uint64_t integer(const ConstantValue& value) const {
        if (value.kind != TokenKind::Integer) tokens.fail("the only operator for floating-point constants is '-'");
        return value.bits;
    }

    ConstantValue binary(int floor) {
        ConstantValue left = unary();
        for (const Operator* op = binary_operator(tokens.peek()); op && op->precedence > floor;
             op = binary_operator(tokens.peek())) {
            tokens.next();
            const ConstantValue right = binary(op->precedence);
            left = apply(op->spelling, left, right);
        }
        return left;
    }

    ConstantValue unary() {
        const Token token = tokens.peek();
        if (token.kind == TokenKind::Integer || token.kind == TokenKind::Float32 || token.kind == TokenKind::Float64) {
            tokens.next();
            return {token.kind, token.is_unsigned, token.bits};
        }
        if (token.is('(')) {
            tokens.next();
            cast_or_nothing();
            const ConstantValue value = conditional();
            tokens.expect(')');
            return value;
        }
        if (token.is_word("WARP_SZ")) {
            tokens.next();
            return {TokenKind::Integer, false, 32};
        }
        if (!(token.is('-') || token.is('+') || token.is('~') || token.is('!')))
            tokens.fail("expected a constant before " + TokenStream::describe(token));
        if (++depth > max_depth) tokens.fail("constant expression is nested too deeply");
        tokens.next();
        const ConstantValue value = unary();
        --depth;
        return apply_unary(token.text[0], value);
    }

    /// `(.s64)` or `(.u64)` before a parenthesised expression, which only changes the signedness of the result.
    void cast_or_nothing() {
        if (tokens.peek().kind != TokenKind::DotWord) return;
        if (!tokens.accept_dot("s64") && !tokens.accept_dot("u64"))
            tokens.fail("constants can only be cast to .s64 and .u64");
        tokens.expect(')');
        tokens.expect('(');
    }

    ConstantValue apply_unary(char op, ConstantValue value) const {
        if (op == '-' && value.kind == TokenKind::Float32) return value.bits ^= 0x80000000u, value;
        if (op == '-' && value.kind == TokenKind::Float64) return value.bits ^= std::uint64_t{1} << 63, value;
        integer(value);
        if (op == '-') value.bits = 0 - value.bits;
        if (op == '~') value.bits = ~value.bits;
        if (op == '!') value.bits = !value.bits;
        if (op == '-') value.is_unsigned = false;
        return value;
    }

    ConstantValue apply(std::string_view op, const ConstantValue& left, const ConstantValue& right) const {
        const std::uint64_t a = integer(left), b = integer(right);
        const bool is_unsigned = left.is_unsigned || right.is_unsigned;
        const auto sa = static_cast<std::int64_t>(a), sb = static_cast<std::int64_t>(b);
        const auto make = [&](std::uint64_t bits) { return ConstantValue{TokenKind::Integer, is_unsigned, bits}; };
        if (op == "*") return make(a * b);
        if (op == "+") return make(a + b);
        if (op == "-") return make(a - b);
        if (op == "&") return make(a & b);
        if (op == "|") return make(a | b);
        if (op == "^") return make(a ^ b);
        if (op == "<<") return make(b < 64 ? a << b : 0);
        if (op == ">>" && left.is_unsigned) return make(b < 64 ? a >> b : 0);
        if (op == ">>") return make(static_cast<std::uint64_t>(sa >> (b < 63 ? b : 63)));
        if (op == "&&") return make(a && b);
        if (op == "||") return make(a || b);
        if (op == "==") return make(a == b);
        if (op == "!=") return make(a != b);
        if (op == "<") return make(is_unsigned ? a < b : sa < sb);
        if (op == ">") return make(is_unsigned ? a > b : sa > sb);
        if (op == "<=") return make(is_unsigned ? a <= b : sa <= sb);
        if (op == ">=") return make(is_unsigned ? a >= b : sa >= sb);
        return make(divide(op == "/", a, b, is_unsigned));
    }

    std::uint64_t divide(bool quotient, std::uint64_t a, std::uint64_t b, bool is_unsigned) const {
        if (b == 0) tokens.fail("division by zero in a constant expression");
        if (is_unsigned) return quotient ? a / b : a % b;
        if (b == ~std::uint64_t{0}) return quotient ? 0 - a : 0;  // INT64_MIN / -1 would trap
        const auto sa = static_cast<std::int64_t>(a), sb = static_cast<std::int64_t>(b);
        return static_cast<std::uint64_t>(quotient ? sa / sb : sa % sb);
    }
};

}  // namespace

ConstantValue parse_constant(TokenStream& tokens) {
    return Evaluator{tokens}.conditional();
}

std::uint64_t parse_integer(TokenStream& tokens, const char* what) {
    const ConstantValue value = parse_constant(tokens);
    if (value.kind != TokenKind::Integer) tokens.fail(std::string(what) + " must be an integer");
    return value.bits;
}

bool starts_constant(const Token& token) noexcept {
    return token.kind == TokenKind::Integer || token.kind == TokenKind::Float32 || token.kind == TokenKind::Float64 ||
           token.is('-') || token.is('+') || token.is('~') || token.is('(') || token.is_word("WARP_SZ");
}

}  // namespace cpu::ptx
