#include "ptx/expression.hpp"

#include <gtest/gtest.h>

#include <string>

using namespace cpu::ptx;

namespace {

std::int64_t value(std::string_view text) {
    TokenStream tokens(text);
    return parse_constant(tokens).as_signed();
}

TEST(PtxExpression, FollowsTheOperatorsOfC) {
    EXPECT_EQ(value("1+2*3"), 7);
    EXPECT_EQ(value("(1+2)*3"), 9);
    EXPECT_EQ(value("10-4-3"), 3);
    EXPECT_EQ(value("-7/2"), -3);
    EXPECT_EQ(value("-7%4"), -3);
    EXPECT_EQ(value("1<<4|3"), 19);
    EXPECT_EQ(value("0xff & ~0xf ^ 1"), 0xf1);
    EXPECT_EQ(value("-8>>1"), -4);
    EXPECT_EQ(value("3<4 && 4>=4"), 1);
    EXPECT_EQ(value("!3 || 0"), 0);
    EXPECT_EQ(value("1==1 ? 5 : 6"), 5);
    EXPECT_EQ(value("0 ? 5 : 0 ? 6 : 7"), 7);
    EXPECT_EQ(value("WARP_SZ*2"), 64);
    EXPECT_EQ(value("1<<64"), 0);
    EXPECT_EQ(value("-1>>70"), -1);
}

TEST(PtxExpression, TreatsASuffixOrALargeValueAsUnsigned) {
    EXPECT_EQ(value("0-1 < 1"), 1);
    EXPECT_EQ(value("0-1 < 1U"), 0);
    EXPECT_EQ(value("0xffffffffffffffff >> 63"), 1);
    EXPECT_EQ(value("18446744073709551615 / 2"), 0x7fffffffffffffff);
}

TEST(PtxExpression, NegatesFloatsByTheirSignBit) {
    TokenStream single("-0f3F800000"), both("-1.0");
    EXPECT_EQ(parse_constant(single).bits, 0xbf800000u);
    EXPECT_EQ(parse_constant(both).bits, 0xbff0000000000000u);
}

TEST(PtxExpression, TrapsNothing) {
    EXPECT_THROW(value("1/0"), SyntaxError);
    EXPECT_THROW(value("1%0"), SyntaxError);
    EXPECT_EQ(value("(-9223372036854775807-1)/-1"), std::numeric_limits<std::int64_t>::min());
    EXPECT_EQ(value("(-9223372036854775807-1)%-1"), 0);
    EXPECT_EQ(value("9223372036854775807+1"), std::numeric_limits<std::int64_t>::min());
}

TEST(PtxExpression, RefusesWhatIsNotAConstant) {
    for (const char* text : {"", "x", "1+", "(1", "1.0+2", "!1.0", "1?2", "1?2:"})
        EXPECT_THROW(value(text), SyntaxError) << text;
}

TEST(PtxExpression, LimitsNesting) {
    EXPECT_EQ(value(std::string(50, '(') + "1" + std::string(50, ')')), 1);
    EXPECT_THROW(value(std::string(100000, '(')), SyntaxError);
    EXPECT_THROW(value(std::string(100000, '-') + "1"), SyntaxError);
    std::string ternaries;
    for (int i = 0; i < 100000; ++i) ternaries += "0?1:";
    EXPECT_THROW(value(ternaries + "1"), SyntaxError);
}

}  // namespace
