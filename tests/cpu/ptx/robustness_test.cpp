#include <gtest/gtest.h>

#include <chrono>
#include <random>

#include "exec/image.hpp"
#include "exec/running/memory.hpp"
#include "processor_time.hpp"
#include "ptx/ptx_text.hpp"

using cpu::ptx::parse;
using ptx_text::error_of;
using ptx_text::kernel;

namespace {

std::string repeat(std::string_view text, std::size_t count) {
    std::string all;
    all.reserve(text.size() * count);
    while (count-- > 0) all += text;
    return all;
}

/// A program that touches most of the grammar.
std::string seed() {
    return ptx_text::module(R"(
.file 1 "a.cu"
.global .align 8 .b8 t[2][4] = {{1, 2}, {3}};
.extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);
.func (.param .b32 r) f(.param .b32 x) { .reg .b32 %r<3>; ld.param.b32 %r1, [x]; st.param.b32 [r], %r1; ret; }
.global .u64 u[2] = {generic(t)+4, f};
.global .b8 v[2] = {0xFF(u), 0xFF00(u)};
.visible .entry k(.param .u64 .ptr .global .align 4 p0, .param .align 4 .b8 p1[12]) .maxntid 128, 1, 1 {
.reg .pred %p<10>; .reg .b32 %r<100>; .reg .f32 %f<10>; .reg .b64 %rd<10>;
.shared .align 4 .b8 s[64];
.loc 1 3 4
ld.param.u64 %rd1, [p0]; cvta.to.global.u64 %rd2, %rd1; mov.u32 %r1, %tid.x;
setp.lt.and.s32 %p1|%p2, %r1, (1+2)*3, !%p3; @!%p1 bra L; ld.global.v2.u32 {%r2, _}, [%rd2+-8];
T: .branchtargets L, M; brx.idx %r1, T; L: fma.rn.ftz.f32 %f1, %f2, 0f3F800000, 1.5;
{ .param .b32 a; .param .b32 b; st.param.b32 [a+0], %r1; call.uni (b), f, (a); ld.param.b32 %r3, [b]; }
M: shfl.sync.idx.b32 %r1|%p1, %r2, 0, 31, -1; tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f5, %f6}];
bar.sync 0; atom.shared.add.u32 %r4, [s], 1; ret; })");
}

/// For any text, the parser ends within a time limit with a module or a SyntaxError.
void expect_an_end(const std::string& text) {
    const test::ProcessorTime time;
    try {
        parse(text);
    } catch (const cpu::ptx::SyntaxError&) {
    }
    EXPECT_LT(time.seconds(), 5) << text.substr(0, 60);
}

TEST(PtxRobustness, TheSeedItselfIsGood) {
    EXPECT_EQ(error_of(seed()), "");
}

TEST(PtxRobustness, EndsOnEveryPrefix) {
    const std::string text = seed();
    for (std::size_t length = 0; length < text.size(); ++length) expect_an_end(text.substr(0, length));
}

TEST(PtxRobustness, EndsOnRandomMutations) {
    const std::string good = seed();
    const std::string_view pieces[] = {"{",
                                       "}",
                                       "(",
                                       ")",
                                       "[",
                                       "]",
                                       ";",
                                       ",",
                                       "|",
                                       "!",
                                       "@",
                                       "_",
                                       "-",
                                       "+",
                                       "<",
                                       ">",
                                       "0x",
                                       "4294967296",
                                       "18446744073709551615",
                                       ".v4",
                                       ".b8",
                                       ".align",
                                       "%r1",
                                       "%p1",
                                       "%tid",
                                       "f",
                                       "generic(",
                                       "\"",
                                       "/*",
                                       "\0",
                                       "0f",
                                       "1e",
                                       ".f32",
                                       ".pred",
                                       ".reg",
                                       "L:",
                                       "="};
    std::mt19937 random(20261121);
    const auto pick = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
    const auto stop = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    while (std::chrono::steady_clock::now() < stop) {
        std::string text = good;
        for (std::size_t edits = 1 + pick(4); edits-- > 0;) {
            const std::size_t at = pick(text.size());
            switch (pick(5)) {
                case 0:
                    text[at] = static_cast<char>(pick(256));
                    break;
                case 1:
                    text.erase(at, 1 + pick(12));
                    break;
                case 2:
                    text.insert(at, pieces[pick(std::size(pieces))]);
                    break;
                case 3:
                    text.insert(at, text.substr(pick(text.size()), pick(40)));
                    break;
                default:
                    text.replace(at, 1 + pick(4), pieces[pick(std::size(pieces))]);
                    break;
            }
        }
        expect_an_end(text);
    }
}

TEST(PtxRobustness, DeepNestingIsRefused) {
    const std::size_t deep = 200000;
    EXPECT_NE(error_of(kernel(repeat("{", deep))), "");
    EXPECT_NE(error_of(kernel("mov.u32 %r1, " + repeat("(", deep))), "");
    EXPECT_NE(error_of(kernel("mov.u32 %r1, " + repeat("-", deep) + "1;")), "");
    EXPECT_NE(error_of(kernel("st.v4.u32 [%rd1], " + repeat("{", deep))), "");
    EXPECT_NE(error_of(ptx_text::module(".global .u32 x[4] = " + repeat("{", deep))), "");
    EXPECT_NE(error_of(ptx_text::module(".global .u32 x" + repeat("[1]", deep) + ";")), "");
    EXPECT_NE(error_of(ptx_text::module(".section .debug_x " + repeat("{", deep))), "");
}

TEST(PtxRobustness, LongThingsTakeLinearTime) {
    expect_an_end(kernel("add" + repeat(".sat", 200000) + " %r1, %r2, %r3;"));
    expect_an_end(kernel("add.s32 %r1" + repeat(", %r2", 200000) + ";"));
    expect_an_end(kernel("call (%r1), f, (%r1" + repeat(", %r2", 200000) + ");"));
    expect_an_end(kernel(repeat("{ bra X; }\n", 100000) + "X:"));
    expect_an_end(kernel(repeat("{ .reg .b32 t; mov.u32 t, 1; }\n", 100000)));
    expect_an_end(kernel("mov.u32 %r1, 1" + repeat("+1", 200000) + ";"));
    expect_an_end(ptx_text::module(".global .b8 x[] = {" + repeat("1,", 500000) + "1};"));
    expect_an_end(kernel("mov.u32 " + repeat("x", 1000000) + ", 1;"));
    std::string functions, targets;
    for (int i = 0; i < 5000; ++i) {
        functions += ".func f" + std::to_string(i) + "() { ret; }\n";
        targets += (i ? ", f" : "f") + std::to_string(i);
    }
    expect_an_end(ptx_text::module(functions + ".entry k() { .reg .b64 %rd<2>; list: .calltargets " + targets + ";\n" +
                                   repeat("call %rd1, list;\n", 50000) + "ret; }"));
    std::string ranges;
    for (int i = 0; i < 3000; ++i) ranges += ".reg .b32 %q" + std::to_string(i) + "_<4>;\n";
    expect_an_end(kernel(ranges + repeat("mov.u32 %q2999_1, %zz;\n", 1)));
}

/// Valid text of any length is lowered within a time limit, and its kernels are there.
void expect_image(const std::string& text, std::size_t kernels = 1) {
    const test::ProcessorTime time;
    cpu::exec::Memory memory;
    EXPECT_EQ(cpu::exec::Image::load(text, memory)->kernels().size(), kernels);
    EXPECT_LT(time.seconds(), 20) << text.substr(0, 100);
}

TEST(PtxRobustness, DeepChainsOfCallsAreLowered) {
    const int depth = 50000;
    std::string functions = ".func f0() { ret; }\n";
    for (int i = 1; i < depth; ++i)
        functions += ".func f" + std::to_string(i) + "() { call f" + std::to_string(i - 1) + "; ret; }\n";
    expect_image(ptx_text::module(functions + ".entry k() { call f" + std::to_string(depth - 1) + "; ret; }"));
}

TEST(PtxRobustness, LongThingsAreLoweredInLinearTime) {
    expect_image(ptx_text::module(".func g() { ret; }\n.entry k() { .reg .b64 %rd<2>; P: .callprototype _ ();\n" +
                                  repeat("mov.u64 %rd1, g;\n", 20000) + repeat("call %rd1, (), P;\n", 20000) +
                                  "ret; }"));
    std::string immediates, located;
    for (int i = 0; i < 50000; ++i) immediates += "add.s32 %r1, %r1, " + std::to_string(i + 7) + ";\n";
    expect_image(ptx_text::module(".entry k() { .reg .b32 %r<2>;\n" + immediates + "ret; }"));
    for (int i = 0; i < 5000; ++i)
        located += ".entry k" + std::to_string(i) + "() { .loc 1 " + std::to_string(i + 1) + " 3\nret; }\n";
    expect_image(ptx_text::module(".file 1 \"a.cu\"\n" + located), 5000);
}

TEST(PtxRobustness, NestedLoopsAreLoweredInTime) {
    const int depth = 50000;
    std::string begin, end;
    for (int i = 0; i < depth; ++i) {
        begin += "L" + std::to_string(i) + ": add.u32 %r1, %r1, 1;\n";
        end += "setp.lt.u32 %p1, %r1, %r2; @%p1 bra L" + std::to_string(depth - 1 - i) + ";\n";
    }
    expect_image(ptx_text::module(".entry k() { .reg .pred %p<2>; .reg .b32 %r<3>;\n" + begin + end + "ret; }"));
}

TEST(PtxRobustness, ManyLoopsWithRegistersOfTheirOwnAreLoweredInTime) {
    const int loops = 200000;
    std::string body;
    for (int i = 0; i < loops; ++i) {
        const std::string n = std::to_string(i);
        body += "mov.u32 %a" + n + ", %r1; L" + n + ": add.u32 %r1, %r1, %a" + n + "; @%p1 bra L" + n + ";\n";
    }
    expect_image(ptx_text::module(".entry k() { .reg .pred %p<2>; .reg .b32 %r<2>, %a<" + std::to_string(loops) +
                                  ">;\n" + body + "ret; }"));
}

TEST(PtxRobustness, BranchTablesAreNotCutOff) {
    const auto table = [](std::size_t labels) {
        return ptx_text::module(".entry k() { .reg .b32 %r<2>; T: .branchtargets L" + repeat(", L", labels - 1) +
                                "; brx.idx %r1, T; L: ret; }");
    };
    expect_image(table(65535));
    cpu::exec::Memory memory;
    EXPECT_THROW(cpu::exec::Image::load(table(65536), memory), cpu::exec::LoadError);
}

TEST(PtxRobustness, HugeNumbersCostNoMemory) {
    EXPECT_EQ(error_of(kernel(".reg .b32 %big<4294967295>; mov.u32 %big4294967294, 1;")), "");
    EXPECT_NE(error_of(kernel(".reg .b32 %big<4294967295>; mov.u32 %big4294967295, 1;")), "");
    EXPECT_NE(error_of(ptx_text::module(".global .b8 x[18446744073709551615];")), "");
    EXPECT_EQ(parse(ptx_text::module(".global .b8 x[2][1<<40] = {{1}, {2}};")).variables[0].data.size(), 2u);
    EXPECT_EQ(error_of(ptx_text::module(".global .b8 x[1<<40] = {1};")), "");
    EXPECT_NE(error_of(ptx_text::module(".func f(.param .align 1048576 .b8 x[1099511627776]);")), "");
}

}  // namespace
