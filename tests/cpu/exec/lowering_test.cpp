// Instructions that the lowering leaves out.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "exec/code.hpp"
#include "exec/exec_test.hpp"

namespace {

using namespace exec_test;

std::string kernel_with(const std::string& body) {
    return ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u32 n) {\n"
           ".reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>;\nld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x;\n" +
           body + "\nret; }\n";
}

struct Lowered {
    Memory memory;
    std::shared_ptr<const Image> image;
    const Kernel& kernel;
    explicit Lowered(const std::string& body)
        : image(Image::load(kernel_with(body), memory)), kernel(*image->kernel("k")) {}
    bool branches() const {
        return std::ranges::any_of(kernel.insns, [](const Insn& i) { return i.control == Control::BranchIf; });
    }
};

TEST(Lowering, BranchesAroundAFewValuesAreSelections) {
    const std::string compare = "setp.lt.u32 %p1, %r1, 3; mov.u32 %r2, 1; @%p1 bra X;\n",
                      end = "X: st.global.u32 [%rd1], %r2;";
    EXPECT_FALSE(Lowered(compare + "add.u32 %r2, %r1, 7;" + end).branches());
    EXPECT_FALSE(Lowered(compare + "mov.u32 %r2, 5; fma.rn.f32 %r2, %r2, %r2, %r1;" + end).branches());
    for (const std::string stays : {"st.global.u32 [%rd1], %r1;", "ld.global.u32 %r2, [%rd1];", "bar.sync 0;",
                                    "div.u32 %r2, %r2, %r1;", "@%p2 add.u32 %r2, %r1, 7;", "setp.eq.u32 %p1, %r1, 4;",
                                    "add.cc.u32 %r2, %r1, 7;", "INSIDE: add.u32 %r2, %r1, 7;", "trap;", "ret;"})
        EXPECT_TRUE(Lowered("@%p3 bra INSIDE;" + compare + stays + end + (stays[0] == 'I' ? "" : "INSIDE:")).branches())
            << stays;
}

TEST(Lowering, ParametersReadThroughARegisterAreConstants) {
    EXPECT_EQ(Lowered("mov.b64 %rd2, out; add.s64 %rd2, %rd2, 8; ld.param.u32 %r2, [%rd2];").kernel.cached_accesses,
              1u);
    EXPECT_EQ(Lowered("mov.b64 %rd2, out; add.s64 %rd3, %rd2, 4; ld.param.u32 %r2, [%rd3+4];").kernel.cached_accesses,
              0u);
    EXPECT_EQ(Lowered("mov.b64 %rd2, out; ld.param.v2.u32 {%r2, %r3}, [%rd2];").kernel.cached_accesses, 0u);
}

TEST(Lowering, WhatIsNoParameterIsReported) {
    for (const std::string place : {"%rd2+12", "%rd2+9", "%rd2+1000000", "%rd2+-4"}) {
        Device device(kernel_with("mov.b64 %rd2, out; ld.param.u32 %r2, [" + place + "];"));
        Buffer<std::uint32_t> out(device.memory, 1);
        const auto fault = device.run("k", {}, Arguments(out.address(), 1u));
        ASSERT_TRUE(fault) << place;
        EXPECT_NE(fault->report.find("illegal read"), std::string::npos) << fault->report;
    }
}

TEST(Lowering, FunctionsReadTheNumberOfTheirBlock) {
    Device device(
        ".version 8.5\n.target sm_90\n.address_size 64\n"
        ".func (.reg .u32 r) number() { mov.u32 r, %ctaid.x; ret; }\n"
        ".visible .entry k(.param .u64 out) { .reg .b32 %a, %b; .reg .b64 %o;\n"
        "ld.param.u64 %o, [out]; mov.u32 %a, %tid.x; add.u32 %a, %a, 5; call (%b), number, ();\n"
        "mad.wide.u32 %o, %b, 4, %o; st.global.u32 [%o], %b; ret; }");
    Buffer<std::uint32_t> out(device.memory, 8, 99);
    EXPECT_TRUE(succeeds(device.run("k", {8, 64}, Arguments(out))));
    EXPECT_EQ(out.values(), (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7}));
}

/// Rows and columns of threads, which affine code computes once for several warps where it can.
TEST(Lowering, PartsOfAThreadsNumberAndSelections) {
    const std::string body = R"(
mov.u32 %r2, %tid.x; mul.wide.u32 %rd2, %r2, 48; add.s64 %rd2, %rd2, %rd1; ld.param.u32 %r8, [n];
and.b32 %r3, %r2, 15; st.global.u32 [%rd2], %r3;
shr.u32 %r3, %r2, 4; mad.lo.u32 %r3, %r3, 10, 1; st.global.u32 [%rd2+4], %r3;
and.b32 %r3, %r2, 31; st.global.u32 [%rd2+8], %r3;
shr.s32 %r3, %r2, 5; cvt.u64.u32 %rd3, %r3; st.global.u32 [%rd2+12], %rd3;
and.b32 %r3, %r2, 63; st.global.u32 [%rd2+16], %r3;
shr.u32 %r3, %r2, 6; st.global.u32 [%rd2+20], %r3;
setp.ne.u32 %p1, %r8, 0; and.b32 %r4, %r2, 127; shr.u32 %r5, %r2, 7; selp.b32 %r3, %r4, %r5, %p1;
st.global.u32 [%rd2+24], %r3;
selp.b32 %r3, %r2, %r8, %p1; mul.lo.u32 %r3, %r3, 3; st.global.u32 [%rd2+28], %r3;
shr.u32 %r4, %r2, 5; and.b32 %r4, %r4, 1; setp.eq.u32 %p2, %r4, 1; selp.b32 %r3, %r2, 7, %p2;
st.global.u32 [%rd2+32], %r3;
setp.lt.u32 %p3, %r2, 40; @%p3 bra LOW; setp.ne.u32 %p1, %r8, 1; bra MEET; LOW: setp.ne.u32 %p1, %r8, 2; MEET:
selp.b32 %r3, %r2, 9, %p1; st.global.u32 [%rd2+36], %r3;
and.b32 %r3, %r2, 12; st.global.u32 [%rd2+40], %r3; shr.u32 %r3, %r2, 3; st.global.u32 [%rd2+44], %r3;)";
    Device device(kernel_with(body));
    for (const unsigned threads : {16u, 32u, 40u, 64u, 96u, 100u, 256u, 1024u}) {
        for (const std::uint32_t n : {0u, 1u, 2u}) {
            Buffer<std::uint32_t> out(device.memory, 12 * threads, 99);
            ASSERT_TRUE(succeeds(device.run("k", {2, threads}, Arguments(out, n))));
            std::vector<std::uint32_t> expected;
            for (std::uint32_t t = 0; t < threads; ++t)
                for (const std::uint32_t value :
                     {t & 15, (t >> 4) * 10 + 1, t & 31, t >> 5, t & 63, t >> 6, n ? t & 127 : t >> 7, 3 * (n ? t : n),
                      (t >> 5 & 1) ? t : 7, n != (t < 40 ? 2u : 1u) ? t : 9, t & 12, t >> 3})
                    expected.push_back(value);
            EXPECT_EQ(out.values(), expected) << threads << " threads, n = " << n;
        }
    }
}

}  // namespace
