// What the lowering leaves out.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "exec/code.hpp"
#include "exec/exec_test.hpp"

namespace {

using namespace exec_test;

std::string kernel_of(const std::string& body) {
    return ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u32 n) {\n"
           ".reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>;\nld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x;\n" +
           body + "\nret; }\n";
}

struct Lowered {
    Memory memory;
    std::shared_ptr<const Image> image;
    const Kernel& kernel;
    explicit Lowered(const std::string& body)
        : image(Image::load(kernel_of(body), memory)), kernel(*image->kernel("k")) {}
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
        Device device(kernel_of("mov.b64 %rd2, out; ld.param.u32 %r2, [" + place + "];"));
        Buffer<std::uint32_t> out(device.memory, 1);
        const auto fault = device.run("k", {}, Arguments(out.address(), 1u));
        ASSERT_TRUE(fault) << place;
        EXPECT_NE(fault->report.find("illegal read"), std::string::npos) << fault->report;
    }
}

}  // namespace
