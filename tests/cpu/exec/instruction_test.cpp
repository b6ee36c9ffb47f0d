// Instructions that need more than one value in and one out.

#include "exec/exec_test.hpp"
#include "processor_time.hpp"

namespace exec_test {
namespace {

/// A kernel with one parameter, `out`, of which each thread gets 32 bytes at %out; %t is the thread's number.
std::string kernel_of(const std::string& body, const std::string& before = "") {
    return ".version 8.5\n.target sm_90\n.address_size 64\n.global .align 16 .b8 bytes[64] = {1, 2, 3, 4, 5, 6, 7, 8, "
           "9, 10, 11, "
           "12, 13, 14, 15, 16};\n" +
           before +
           "\n.visible .entry k(.param .u64 p) {\n"
           ".reg .b64 %out, %rd<10>; .reg .b32 %t, %r<20>; .reg .f32 %f<10>; .reg .pred %p<4>; .reg .b128 %q<4>;\n"
           ".shared .align 16 .b8 s[64];\n"
           "ld.param.u64 %out, [p]; mov.u32 %t, %tid.x; mad.wide.u32 %out, %t, 32, %out;\n" +
           body + "\nret;\n}\n";
}

std::vector<unsigned> run(const std::string& text, unsigned threads = 32) {
    Device device(text);
    Buffer<unsigned> out(device.memory, threads * 8, 0u);
    EXPECT_TRUE(succeeds(device.run("k", {1, threads}, Arguments(out))));
    return out.values();
}

TEST(Instructions, Alloca) {
    const auto out = run(kernel_of(R"(
        add.u32 %r1, %t, 1; mul.wide.u32 %rd1, %r1, 8;
        stacksave.u64 %rd5;
        alloca.u64 %rd2, %rd1, 16;
        alloca.u64 %rd3, 16;
        mad.wide.u32 %rd4, %t, 8, %rd2;
        st.local.u32 [%rd4], %t; st.local.u32 [%rd3], 7;
        ld.local.u32 %r2, [%rd4]; ld.local.u32 %r3, [%rd3];
        stackrestore.u64 %rd5; stacksave.u64 %rd6; sub.u64 %rd6, %rd6, %rd5; cvt.u32.u64 %r4, %rd6;
        and.b64 %rd2, %rd2, 15; cvt.u32.u64 %r5, %rd2;
        st.global.v4.u32 [%out], {%r2, %r3, %r4, %r5};)"));
    for (unsigned t = 0; t < 32; ++t) {
        EXPECT_EQ(out[8 * t], t);
        EXPECT_EQ(out[8 * t + 1], 7u);
        EXPECT_EQ(out[8 * t + 2], 0u);
        EXPECT_EQ(out[8 * t + 3], 0u);
    }
}

TEST(Instructions, WideRegisters) {
    const auto out = run(kernel_of(R"(
        ld.global.b128 %q1, [bytes];
        mov.b128 {%rd1, %rd2}, %q1;
        mov.b128 %q2, {%rd2, %rd1};
        mov.b128 %q3, %q2;
        st.global.b128 [%out], %q3;)"));
    EXPECT_EQ(out[0], 0x0c0b0a09u);
    EXPECT_EQ(out[1], 0x100f0e0du);
    EXPECT_EQ(out[8 * 31 + 2], 0x04030201u);
    EXPECT_EQ(out[8 * 31 + 3], 0x08070605u);
}

TEST(Instructions, AsynchronousCopyFillsWithZeros) {
    const auto out = run(kernel_of(R"(
        mov.u32 %r1, 6; setp.eq.u32 %p1, %t, 0;
        cp.async.ca.shared.global [s], [bytes], 8, %r1;
        cp.async.cg.shared.global [s+16], [bytes], 16;
        cp.async.ca.shared.global [s+32], [bytes+4], 4, 0;
        cp.async.commit_group; cp.async.wait_group 0;
        ld.shared.v2.u32 {%r2, %r3}, [s]; ld.shared.u32 %r4, [s+28]; ld.shared.u32 %r5, [s+32];
        st.global.v4.u32 [%out], {%r2, %r3, %r4, %r5};)"),
                         1);
    EXPECT_EQ(out[0], 0x04030201u);
    EXPECT_EQ(out[1], 0x0605u);
    EXPECT_EQ(out[2], 0x100f0e0du);
    EXPECT_EQ(out[3], 0u);
}

TEST(Instructions, VectorAtomics) {
    const auto out = run(kernel_of(R"(
        mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f40000000;
        mul.wide.u32 %rd1, %t, 32; sub.u64 %rd1, %out, %rd1;
        red.global.add.v2.f32 [%rd1], {%f1, %f2};)"));
    EXPECT_EQ(out[0], 0x42000000u);  // 32
    EXPECT_EQ(out[1], 0x42800000u);  // 64
}

TEST(Instructions, RegistersLiveAcrossRecursion) {
    const std::string function = R"(
.func (.param .b32 r) f(.param .b32 n) {
    .reg .b32 %n, %a, %b, %c; .reg .pred %p; .reg .b64 %w;
    ld.param.u32 %n, [n]; setp.eq.u32 %p, %n, 0; mov.u32 %c, 1; mul.wide.u32 %w, %n, 3;
    @%p bra DONE;
    { .param .b32 x; .param .b32 y; sub.u32 %a, %n, 1; st.param.b32 [x], %a; call (y), f, (x); ld.param.b32 %b, [y]; }
    mad.lo.u32 %c, %n, %b, %n;
    cvt.u32.u64 %a, %w; add.u32 %c, %c, %a;
    @!%p add.u32 %c, %c, 1;
DONE:
    st.param.b32 [r], %c; ret;
})";
    const auto out = run(kernel_of(R"(
        rem.u32 %r1, %t, 6;
        { .param .b32 x; .param .b32 y; st.param.b32 [x], %r1; call (y), f, (x); ld.param.b32 %r2, [y]; }
        st.global.u32 [%out], %r2;)",
                                   function));
    for (unsigned t = 0; t < 32; ++t) {
        unsigned expected = 1;
        for (unsigned n = 1; n <= t % 6; ++n) expected = n * expected + n + 3 * n + 1;
        EXPECT_EQ(out[8 * t], expected) << t;
    }
}

/// As many branches as registers, all of them live from end to end: loading takes seconds at most.
TEST(Instructions, ManyBranchesAndRegisters) {
    constexpr int count = 20000;
    std::string body =
        ".reg .b32 %x<" + std::to_string(count) + ">; .reg .pred %never; setp.gt.u32 %never, %t, 5000;\n";
    for (int n = 0; n < count; ++n) {
        const std::string k = std::to_string(n);
        body += "add.u32 %x" + k + ", %t, " + k + ";\nL" + k + ":\n@%never bra L" + std::to_string(n * 7919 % (n + 1)) +
                ";\n";
    }
    body += "mov.u32 %r1, 0;\n";
    for (int n = 0; n < count; ++n) body += "add.u32 %r1, %r1, %x" + std::to_string(n) + ";\n";
    const test::ProcessorTime time;
    Device device(kernel_of(body + "st.global.u32 [%out], %r1;"));
    EXPECT_LT(time.seconds(), 20);  // with sanitizers too
    Buffer<unsigned> out(device.memory, 32 * 8, 0u);
    EXPECT_TRUE(succeeds(device.run("k", {1, 32}, Arguments(out))));
    for (unsigned t = 0; t < 32; ++t) EXPECT_EQ(out[8 * t], count * t + count / 2 * (count - 1u));
}

/// The forms of textures and surfaces that are not executed.
TEST(Instructions, RareTextureFormsAreRefusedByName) {
    const std::pair<const char*, const char*> forms[] = {
        {"tex.2dms.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1, %r2, %r3, %r3}];", "multisampled"},
        {"tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, %rd2, {%f1}];", "separate sampler"},
        {"txq.channel_order.b32 %r1, [%rd1];", "txq of this property"},
    };
    for (const auto& [text, name] : forms) {
        try {
            Device device(kernel_of(text));
            ADD_FAILURE() << "accepted: " << text;
        } catch (const LoadError& e) {
            EXPECT_NE(std::string(e.what()).find(name), std::string::npos) << e.what();
            EXPECT_GT(e.line(), 0);
        }
    }
}

}  // namespace
}  // namespace exec_test
