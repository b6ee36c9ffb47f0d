#pragma once

#include <cstdint>

#include "ptx/token_stream.hpp"

namespace cpu::ptx {

/// The value of a constant expression: an integer, or a float with its exact bits.
struct ConstantValue {
    TokenKind kind = TokenKind::Integer;  ///< Integer, Float32 or Float64
    bool is_unsigned = false;
    std::uint64_t bits = 0;

    std::int64_t as_signed() const noexcept { return static_cast<std::int64_t>(bits); }
};

/// Reads a constant expression with C's operators; floats may only be negated. Throws SyntaxError.
ConstantValue parse_constant(TokenStream& tokens);
/// The same, but the constant must be an integer.
std::uint64_t parse_integer(TokenStream& tokens, const char* what);
/// True if the token can start a constant.
bool starts_constant(const Token& token) noexcept;

}  // namespace cpu::ptx
