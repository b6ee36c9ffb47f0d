#include "ptx/lexer.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ptx/error.hpp"

using namespace cpu::ptx;

namespace {

std::vector<Token> tokens(std::string_view text) {
    Lexer lexer(text);
    std::vector<Token> all;
    for (Token token = lexer.next(); token.kind != TokenKind::End; token = lexer.next()) all.push_back(token);
    return all;
}

TEST(PtxLexer, CutsAnInstructionIntoWordsAndDottedParts) {
    const auto all = tokens("@%p1 ld.global.L2::128B.v2.f32 {%f1, _}, [%rd1+-4];");
    std::string spelled;
    for (const Token& token : all)
        spelled += (token.kind == TokenKind::DotWord ? "." : "") + std::string(token.text) + " ";
    EXPECT_EQ(spelled, "@ %p1 ld .global .L2::128B .v2 .f32 { %f1 , _ } , [ %rd1 + -  ] ; ");
}

TEST(PtxLexer, ReadsIntegersOfEveryBase) {
    const auto all = tokens("0 42 0x1F 0b101 017 7U 18446744073709551615");
    const std::uint64_t expected[] = {0, 42, 31, 5, 15, 7, ~std::uint64_t{0}};
    ASSERT_EQ(all.size(), std::size(expected));
    for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i].bits, expected[i]) << i;
    EXPECT_FALSE(all[1].is_unsigned);
    EXPECT_TRUE(all[5].is_unsigned);
    EXPECT_TRUE(all[6].is_unsigned);
}

TEST(PtxLexer, ReadsFloatsWithTheirExactBits) {
    const auto all = tokens("0f3F800000 0FBF800000 0d3FF0000000000001 0D7ff8000000000000 1.5 2e3 8.5");
    ASSERT_EQ(all.size(), 7u);
    EXPECT_EQ(all[0].kind, TokenKind::Float32);
    EXPECT_EQ(all[0].bits, 0x3f800000u);
    EXPECT_EQ(all[1].bits, 0xbf800000u);
    EXPECT_EQ(all[2].kind, TokenKind::Float64);
    EXPECT_EQ(all[2].bits, 0x3ff0000000000001u);
    EXPECT_EQ(all[3].bits, 0x7ff8000000000000u);
    EXPECT_EQ(all[4].bits, 0x3ff8000000000000u);
    EXPECT_EQ(all[5].bits, 0x409f400000000000u);
}

TEST(PtxLexer, SkipsCommentsAndCountsLines) {
    const auto all = tokens("a // x\n/* y\n z */ b\n# 1 \"file\"\nc");
    ASSERT_EQ(all.size(), 3u);
    EXPECT_EQ(all[0].line, 1u);
    EXPECT_EQ(all[1].line, 3u);
    EXPECT_EQ(all[2].line, 5u);
}

TEST(PtxLexer, ToleratesTrailingNuls) {
    EXPECT_EQ(tokens(std::string_view("a\0\0", 3)).size(), 1u);
}

TEST(PtxLexer, RefusesMalformedNumbersStringsAndComments) {
    for (const char* text : {"0x", "0b2", "08", "18446744073709551616", "0f3F80", "0f3F8000000", "0d3FF0", "12ab",
                             "1e999", "\"open", "/* open", "1.5x", "0xffffffffffffffffff"})
        EXPECT_THROW(tokens(text), SyntaxError) << text;
}

TEST(PtxLexer, ReportsTheLineOfAnError) {
    try {
        tokens("a\nb\n  0x;");
        FAIL();
    } catch (const SyntaxError& error) {
        EXPECT_EQ(error.line(), 3);
    }
}

}  // namespace
