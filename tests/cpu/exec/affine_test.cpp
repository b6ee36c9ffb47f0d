// Code that keeps evenly spaced values gives the same results as the code for any warp: the same text, in blocks whose
// rows are of a shape for the one or for the other.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "exec/exec_test.hpp"

namespace {

using namespace exec_test;
using Dimensions = std::array<std::uint32_t, 3>;

constexpr std::uint32_t most_threads = 128;

/// Thread n has the index i, which is evenly spaced in both shapes; the second one's rows are too short for affine
/// code.
struct Shapes {
    std::uint32_t between_rows;  ///< of 16 threads
    Dimensions affine, affine_steps, affine_places;
    Dimensions any, any_steps, any_places;
};
std::array<Shapes, 3> shapes_of(std::uint32_t warps) {
    const Dimensions row{32 * warps, 1, 1}, short_rows{8, 4, warps};
    const Dimensions halves{16, 2 * warps, 1}, quarters{8, 2, 2 * warps};
    return {{{16, row, {1, 0, 0}, {1, 0, 0}, short_rows, {1, 8, 32}, {1, 8, 32}},
             {40, halves, {1, 40, 0}, {1, 16, 0}, quarters, {1, 8, 40}, {1, 8, 16}},
             {0, halves, {1, 0, 0}, {1, 16, 0}, quarters, {1, 8, 0}, {1, 8, 16}}}};
}

/// The snippet has %i, %a = a + i * step and %A, the same of 64 bits; %b, %B the same in all threads; %data; it leaves
/// its results in %d, %D and %p.
std::string kernel_of(const std::string& snippet) {
    return R"(
.version 8.4
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 data, .param .u32 a, .param .u32 step, .param .u32 b, .param .u64 wa,
                  .param .u64 wstep, .param .u64 wb, .param .u32 s0, .param .u32 s1, .param .u32 s2, .param .u32 p0,
                  .param .u32 p1, .param .u32 p2)
{
    .reg .b32 %i, %a, %b, %d, %e, %t, %u, %v, %x, %y, %z;
    .reg .b64 %A, %B, %D, %E, %T, %U, %data, %out;
    .reg .pred %p, %q;
    .shared .align 16 .b8 tile[4096];
    mov.u32 %x, %tid.x;
    mov.u32 %y, %tid.y;
    mov.u32 %z, %tid.z;
    ld.param.u32 %t, [s0];
    mul.lo.u32 %i, %x, %t;
    ld.param.u32 %t, [s1];
    mad.lo.u32 %i, %y, %t, %i;
    ld.param.u32 %t, [s2];
    mad.lo.u32 %i, %z, %t, %i;
    ld.param.u32 %a, [a];
    ld.param.u32 %t, [step];
    mad.lo.u32 %a, %i, %t, %a;
    ld.param.u32 %b, [b];
    ld.param.u64 %A, [wa];
    ld.param.u64 %U, [wstep];
    cvt.u64.u32 %T, %i;
    mad.lo.u64 %A, %T, %U, %A;
    ld.param.u64 %B, [wb];
    ld.param.u64 %data, [data];
    mov.u32 %d, 0;
    mov.u32 %e, 0;
    mov.u64 %D, 0;
    setp.ne.u32 %p, %b, %b;
)" + snippet +
           R"(
    selp.b32 %t, 1000003, 0, %p;
    add.u32 %e, %e, %t;
    add.u32 %d, %d, %e;
    cvt.u64.u32 %E, %d;
    xor.b64 %D, %D, %E;
    ld.param.u32 %t, [p0];
    mul.lo.u32 %x, %x, %t;
    ld.param.u32 %t, [p1];
    mad.lo.u32 %x, %y, %t, %x;
    ld.param.u32 %t, [p2];
    mad.lo.u32 %x, %z, %t, %x;
    ld.param.u64 %out, [out];
    mad.wide.u32 %out, %x, 8, %out;
    st.global.u64 [%out], %D;
    ret;
}
)";
}

struct Values {
    std::uint32_t a, step, b;
    std::uint64_t wide_a, wide_step, wide_b;
};

class Affine : public testing::Test {
protected:
    /// `words`: the data's size; %data is its middle. One warp where the order of several would show.
    static void compare(const std::string& snippet, const std::vector<Values>& many, std::size_t words = 128,
                        std::uint32_t warps = 4) {
        SCOPED_TRACE(snippet);
        Device device(kernel_of(snippet));
        for (const Values& values : many)
            for (const Shapes& s : shapes_of(warps)) {
                const auto got = run(device, values, words, s.affine, s.affine_steps, s.affine_places);
                const auto expected = run(device, values, words, s.any, s.any_steps, s.any_places);
                ASSERT_EQ(got, expected) << "rows " << s.between_rows << " apart; a " << values.a << ", step "
                                         << values.step << ", b " << values.b << "; " << values.wide_a << ", "
                                         << values.wide_step << ", " << values.wide_b;
            }
    }

private:
    /// The threads' results, and then the data.
    static std::vector<std::uint64_t> run(Device& device, const Values& v, std::size_t words, const Dimensions& block,
                                          const Dimensions& steps, const Dimensions& places) {
        Buffer<std::uint64_t> out(device.memory, most_threads);
        Buffer<std::uint32_t> data(device.memory, words);
        for (std::size_t n = 0; n < words; ++n) data[n] = static_cast<std::uint32_t>(n * 2654435761u);
        const Arguments arguments(out, data.address() + 2 * words, v.a, v.step, v.b, v.wide_a, v.wide_step, v.wide_b,
                                  steps[0], steps[1], steps[2], places[0], places[1], places[2]);
        cpu::exec::GridLaunch launch;
        launch.kernel = device.image().kernel("k");
        launch.memory = &device.memory;
        launch.block = block;
        launch.threads = 1;
        launch.parameters = arguments.bytes();
        EXPECT_TRUE(succeeds(cpu::exec::run(launch)));
        std::vector<std::uint64_t> result(out.begin(), out.end());
        result.insert(result.end(), data.begin(), data.end());
        return result;
    }
};

/// Indices, steps down, and numbers that wrap around as signed or as unsigned ones on the way.
std::vector<Values> all_values() {
    std::vector<Values> result;
    const std::uint32_t starts[] = {0, 5, 0x7ffffff0u, 0xfffffff0u, 0x80000000u, 0x3fffffffu};
    const std::uint32_t steps[] = {0, 1, 4, ~0u, 0x01000000u, 0x10000000u, 0x80000000u};
    const std::uint32_t others[] = {0, 17, 31, 0xffffffffu, 0x80000001u};
    std::size_t n = 0;
    for (const std::uint32_t a : starts)
        for (const std::uint32_t step : steps)
            for (const std::uint32_t b : others) {
                const std::uint64_t high = n++ % 3 == 0 ? 0 : n % 3 == 1 ? 0x7fffffff00000000u : 0xffffffff00000000u;
                const std::uint64_t wide_step = n % 2 ? std::uint64_t{step} << (n % 5 * 7) : 0 - std::uint64_t{step};
                result.push_back({a, step, b, high | a, wide_step, n % 4 ? b : high | b});
            }
    return result;
}

}  // namespace

TEST_F(Affine, Arithmetic) {
    for (const char* snippet : {"add.u32 %d, %a, %b;",
                                "sub.u32 %d, %b, %a;",
                                "mul.lo.u32 %d, %a, %b;",
                                "mul.lo.u32 %d, %a, %a;",
                                "mad.lo.s32 %d, %b, %a, %i;",
                                "neg.s32 %d, %a;",
                                "shl.b32 %d, %a, %b;",
                                "shl.b32 %d, %b, %a;",
                                "mov.u32 %d, %a;",
                                "add.u64 %D, %A, %B;",
                                "sub.u64 %D, %B, %A;",
                                "mul.lo.u64 %D, %A, %B;",
                                "mad.lo.u64 %D, %A, %B, %A;",
                                "neg.s64 %D, %A;",
                                "shl.b64 %D, %A, %b;",
                                "mul.wide.s32 %D, %a, %b;",
                                "mul.wide.u32 %D, %a, %b;",
                                "mad.wide.s32 %D, %b, %a, %A;",
                                "mad.wide.u32 %D, %a, 12, %A;",
                                "cvt.u64.u32 %D, %a;",
                                "cvt.s64.s32 %D, %a;",
                                "cvt.u32.u64 %d, %A;",
                                "mov.u32 %d, %laneid;",
                                "mul.wide.s32 %D, %a, %b; add.s64 %D, %D, %A; mul.lo.s64 %D, %D, 3;"})
        compare(snippet, all_values());
}

TEST_F(Affine, WhatAllThreadsShare) {
    for (const char* name : {"and.b32", "or.b32", "xor.b32", "shr.u32", "shr.s32", "min.s32", "max.u32", "div.u32",
                             "div.s32", "rem.u32", "rem.s32", "mul.hi.u32", "mul.hi.s32"})
        compare(std::string("mov.u32 %t, %ntid.z; mul.lo.u32 %t, %t, 0; add.u32 %t, %t, %b; ") + name +
                    " %u, %t, 77; " + name +
                    " %v, 1000, %t; add.u32 %v, %v, %u; mul.lo.u32 %d, %v, %i; and.b32 %e, %v, %i;",
                all_values());
    compare(
        "not.b32 %t, %b; popc.b32 %u, %t; clz.b32 %v, %t; bfe.s32 %t, %t, %u, %v; add.u32 %t, %t, %u; "
        "mad.lo.u32 %d, %t, %i, %v;",
        all_values());
    compare(
        "shr.u64 %T, %B, 3; div.s64 %U, %T, 7; rem.u64 %E, %B, 1000; add.u64 %U, %U, %E; cvt.u64.u32 %E, %i; "
        "mul.lo.u64 %D, %U, %E;",
        all_values());
}

TEST_F(Affine, Comparisons) {
    for (const std::string compared : {"eq", "ne", "lt", "le", "gt", "ge"})
        for (const std::string type : {"s32", "u32", "s64", "u64"}) {
            const bool wide = type[1] == '6';
            const std::string a = wide ? "%A" : "%a", b = wide ? "%B" : "%b";
            const std::string test = "setp." + compared + "." + type + " %p, ";
            compare(test + a + ", " + b + ";", all_values());
            compare(test + b + ", " + a + "; @%p add.u32 %d, %i, 3;", all_values());
            compare(test + (wide ? "%A, %A;" : "%a, %i;"), all_values());
        }
}

TEST_F(Affine, LoadsAndStores) {
    const std::vector<Values> one = {{0, 1, 0, 0, 1, 0}};
    constexpr std::size_t words = 8192;
    for (const int step : {0, 4, 8, 16, 32, 12, -4, -16, 20})
        for (const std::string type : {"u32", "u64", "v2.u32", "v4.u32", "v2.u64", "u8", "s16"}) {
            const int bytes = type == "u64" || type == "v2.u32" ? 8 : type.front() == 'v' ? 16 : 4;
            if (step % bytes) continue;
            const std::string address = "mul.wide.s32 %T, %i, " + std::to_string(step) + "; add.s64 %T, %T, %data; ";
            const std::string registers = type == "v2.u32"   ? "{%d, %e}"
                                          : type == "v4.u32" ? "{%d, %e, %t, %u}"
                                          : type == "v2.u64" ? "{%D, %E}"
                                          : type == "u64"    ? "%D"
                                                             : "%d";
            compare(address + "ld.global." + type + " " + registers + ", [%T+16];", one, words);
            compare(address + "ld." + type + " " + registers + ", [%T+16];", one, words);
            // When threads of a warp write to the same place, the last one wins.
            const std::string values =
                "mov.u32 %d, %i; mov.u32 %e, %a; mov.u32 %t, 5; mov.u32 %u, %i; mov.u64 %D, %A; mov.u64 %E, 9; ";
            compare(values + address + "st.global." + type + " [%T], " + registers + ";", one, words);
            compare(values + address + "setp.lt.u32 %q, %i, 9; @%q st.global." + type + " [%T], " + registers + ";",
                    one, words);
        }
    for (const int step : {0, 4, 8, 12})
        compare("mov.u32 %v, tile; mad.lo.u32 %v, %i, " + std::to_string(step) +
                    ", %v; st.shared.u32 [%v], %i; bar.sync 0; ld.shared.u32 %d, [%v]; "
                    "mov.u64 %T, tile; cvta.shared.u64 %T, %T; mad.wide.u32 %T, %i, " +
                    std::to_string(step) +
                    ", %T; ld.u32 %e, [%T]; st.u32 [%T], %a; ld.shared.u32 %t, [%v]; "
                    "add.u32 %e, %e, %t;",
                one, 128, 1);
}

TEST_F(Affine, LanesThatPartAndMeetAgain) {
    compare("setp.lt.u32 %q, %i, 7; @%q mul.wide.s32 %D, %a, %b; @!%q cvt.u64.u32 %D, %a; add.u32 %d, %a, %b;",
            all_values());
    compare("setp.ne.u32 %q, %b, 17; @%q mul.wide.u32 %D, %a, %b; add.u32 %d, %a, %b;", all_values());
    compare(
        "mov.u32 %t, 0; loop: add.u32 %d, %d, %a; add.u32 %t, %t, 1; and.b32 %u, %i, 3; add.u32 %u, %u, 2; "
        "setp.lt.u32 %q, %t, %u; @%q bra loop; add.u32 %d, %d, %t;",
        all_values());
    compare(
        "mov.u32 %t, 0; loop: mad.lo.u32 %d, %t, %b, %d; add.u32 %t, %t, 1; setp.lt.u32 %q, %t, 5; @%q bra loop; "
        "mul.wide.s32 %D, %d, 4; shfl.sync.bfly.b32 %e, %a, 1, 31, 0xffffffff;",
        all_values());
}

TEST_F(Affine, Atomics) {
    constexpr std::size_t words = 4096;
    const std::vector<Values> some = {{0, 1, 7, 0, 1, 9}, {3, 4, 0x7fffffff, 1, 5, ~0ull}};
    for (const std::string place :
         {"mov.u64 %T, %data;", "and.b32 %t, %i, 3; mad.wide.u32 %T, %t, 8, %data;", "mad.wide.u32 %T, %i, 8, %data;",
          "mov.u64 %T, tile; cvta.shared.u64 %T, %T; st.u64 [%T], %B; bar.sync 0;"}) {
        for (const std::string operation :
             {"add.u32", "min.s32", "max.u32", "and.b32", "xor.b32", "exch.b32", "inc.u32"}) {
            compare(place + "atom." + operation + " %d, [%T], %a;", some, words, 1);
            compare(place + "setp.lt.u32 %q, %i, 21; @%q atom." + operation + " %d, [%T], %a;", some, words, 1);
        }
        compare(place + "atom.add.u64 %D, [%T], %A;", some, words, 1);
        compare(place + "red.add.u32 [%T], %a; bar.sync 0; ld.u32 %d, [%T];", some, words, 1);
        compare(place + "cvt.rn.f32.u32 %v, %i; atom.add.f32 %d, [%T], %v;", some, words, 1);
        compare(place + "cvt.rn.f64.u32 %U, %i; atom.add.f64 %D, [%T], %U;", some, words, 1);
    }
}

// Warps run affine code as a group, whose first one keeps what is affine for all of them.
TEST_F(Affine, WarpsThatPartAndMeetAgain) {
    const std::string meet = " past: bar.sync 0; ";
    for (const std::string which : {"lt.u32 %q, %x, 2", "ne.u32 %q, %x, 2", "lt.u32 %q, %x, 1", "lt.u32 %q, %i, 64"}) {
        const std::string apart = "mov.u32 %x, %warpid; setp." + which + "; mov.u32 %x, %tid.x; @%q bra past; ";
        // Values computed earlier, and values that only some warps change: those are not evenly spaced in all of them.
        compare("mul.lo.u32 %t, %a, 3; " + apart + "add.u32 %d, %t, 9;" + meet +
                    "mad.lo.u32 %d, %t, %b, %d; mul.wide.s32 %D, %t, 4;",
                all_values());
        compare("mov.u32 %t, %a; mov.u64 %T, %A; " + apart + "add.u32 %t, %t, 100; add.s64 %T, %T, %B;" + meet +
                    "mul.wide.s32 %D, %t, 4; add.s64 %D, %D, %T; mul.lo.u32 %d, %t, %b;",
                all_values());
        // The same in all threads of a warp, but not in all warps: a product with it is not evenly spaced.
        compare("mov.u32 %t, %b; " + apart + "add.u32 %t, %t, 5;" + meet +
                    "mul.lo.u32 %d, %t, %a; mul.lo.u32 %e, %t, %t; shl.b32 %u, %a, %t; add.u32 %e, %e, %u;",
                all_values());
    }
    compare(
        "mov.u32 %v, %warpid; mov.u32 %t, 0; loop: add.u32 %t, %t, 1; setp.le.u32 %q, %t, %v; @%q bra loop; "
        "bar.sync 0; mul.lo.u32 %d, %t, %a; mul.lo.u32 %e, %t, %t;",
        all_values());
    compare(
        "mov.u32 %t, %warpid; setp.eq.u32 %q, %t, 0; @%q bra first; bar.sync 1, 96; bra.uni both; first: bar.sync 2, "
        "32; "
        "both: mul.lo.u32 %d, %a, 5; bar.sync 0; mul.lo.u32 %e, %a, %t;",
        all_values());
    compare(
        "mov.u32 %t, 0; loop: add.u32 %d, %d, %a; add.u32 %t, %t, 1; setp.lt.u32 %q, %t, 9000; @%q bra loop; "
        "add.u32 %e, %a, %t;",
        {{3, 1, 7, 0, 1, 9}});
}

TEST_F(Affine, WhatDiffersBetweenWarps) {
    compare("mov.u32 %t, %warpid; mul.lo.u32 %d, %t, %a; mul.lo.u32 %e, %t, %t;", all_values());
    compare("mov.u32 %t, %warpid; mad.lo.u32 %t, %t, 64, %b; mul.wide.s32 %D, %t, 3; setp.lt.s32 %p, %t, 100;",
            all_values());
    compare("mov.u32 %t, %warpid; setp.eq.u32 %q, %t, 2; @%q add.u32 %d, %a, 7; add.u32 %e, %t, %a;", all_values());
}

TEST_F(Affine, AccessesOfSeveralWarps) {
    constexpr std::size_t words = 8192;
    const std::vector<Values> some = {{0, 1, 7, 0, 1, 9}, {3, 4, 0x7fffffff, 1, 5, ~0ull}};
    for (const int step : {0, 4, 8, 36, -4, -8}) {
        const std::string address = "mul.wide.s32 %T, %i, " + std::to_string(step) + "; add.s64 %T, %T, %data; ";
        compare(address + "ld.u32 %d, [%T]; ld.global.u32 %e, [%T+64];", some, words);
        compare(address + "red.add.u32 [%T], %a;", some, words);
        compare(address + "atom.add.u32 %d, [%T], %a; add.u32 %e, %i, 3;", some, words);
        // All threads that write to the same place write the same value.
        if (step) compare(address + "st.u32 [%T], %a; ld.u32 %d, [%T];", some, words);
    }
    for (const std::string between_rows : {"0", "64", "100"})
        compare(
            "mov.u32 %v, tile; shr.u32 %t, %i, 4; mov.u32 %u, %tid.x; mad.lo.u32 %v, %u, 4, %v; mov.u32 %u, %tid.y; "
            "mad.lo.u32 %v, %u, " +
                between_rows +
                ", %v; mov.u32 %u, 5; st.shared.u32 [%v], %u; bar.sync 0; ld.shared.u32 %d, [%v]; "
                "cvt.u64.u32 %T, %v; cvta.shared.u64 %T, %T; ld.u32 %e, [%T];",
            some, words);
}
