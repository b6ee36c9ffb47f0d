// Blocks whose warps do, or do not, make groups that run affine code together: every thread's result, and which thread
// a fault names.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "exec/exec_test.hpp"

namespace {

using namespace exec_test;
using Dimensions = std::array<std::uint32_t, 3>;

/// Threads write their position, and read their neighbours' thread numbers from shared memory.
const std::string where = R"(
.version 8.4
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .b32 %x, %y, %z, %nx, %ny, %t, %n, %v, %next, %block, %i;
    .reg .b64 %T, %out;
    .shared .align 4 .b8 tile[4100];
    mov.u32 %x, %tid.x;
    mov.u32 %y, %tid.y;
    mov.u32 %z, %tid.z;
    mov.u32 %nx, %ntid.x;
    mov.u32 %ny, %ntid.y;
    mad.lo.u32 %t, %z, %ny, %y;
    mad.lo.u32 %t, %t, %nx, %x;
    mul.lo.u32 %n, %nx, %ny;
    mov.u32 %v, %ntid.z;
    mul.lo.u32 %n, %n, %v;
    mov.u32 %v, tile;
    mad.lo.u32 %v, %t, 4, %v;
    st.shared.u32 [%v], %t;
    bar.sync 0;
    ld.shared.u32 %next, [%v+4];
    mov.u32 %block, %ctaid.x;
    mov.u32 %i, %ctaid.y;
    mov.u32 %v, %nctaid.x;
    mad.lo.u32 %block, %i, %v, %block;
    mad.lo.u32 %i, %block, %n, %t;
    ld.param.u64 %out, [out];
    mul.wide.u32 %T, %i, 16;
    add.s64 %out, %out, %T;
    st.global.v4.u32 [%out], {%x, %y, %next, %block};
    ret;
}
)";

cpu::exec::GridLaunch launch_of(Device& device, const Dimensions& grid, const Dimensions& block,
                                const Arguments& arguments) {
    cpu::exec::GridLaunch launch;
    launch.kernel = device.image().kernel("k");
    launch.memory = &device.memory;
    launch.grid = grid;
    launch.block = block;
    launch.threads = 1;
    launch.parameters = arguments.bytes();
    return launch;
}

std::string fault_of(const std::string& body, const Dimensions& block, std::size_t words) {
    Device device(R"(
.version 8.4
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .b32 %x, %y, %t, %d;
    .reg .b64 %T, %U;
    .reg .pred %p;
    .shared .align 4 .b8 tile[400];
    mov.u32 %x, %tid.x;
    mov.u32 %y, %tid.y;
    ld.param.u64 %U, [out];
)" + body + "\nret;\n}\n");
    Buffer<std::uint32_t> out(device.memory, words);
    const Arguments arguments(out);
    const auto fault = cpu::exec::run(launch_of(device, {1, 1, 1}, block, arguments));
    return fault ? fault->report : "no fault";
}

bool names(const std::string& report, const std::string& what) {
    return report.find(what) != std::string::npos;
}

}  // namespace

TEST(WarpGroups, EveryThreadHasItsPlace) {
    Device device(where);
    for (const Dimensions& block : {Dimensions{32, 1, 1},
                                    {64, 1, 1},
                                    {256, 1, 1},
                                    {1024, 1, 1},
                                    {80, 1, 1},
                                    {1000, 1, 1},
                                    {16, 16, 1},
                                    {32, 9, 1},
                                    {48, 4, 1},
                                    {48, 5, 2},
                                    {16, 3, 5},
                                    {64, 2, 3},
                                    {96, 3, 1},
                                    {16, 1, 7},
                                    {8, 8, 4},
                                    {5, 7, 3}}) {
        const Dimensions grid{3, 2, 1};
        const std::uint32_t threads = block[0] * block[1] * block[2];
        Buffer<std::uint32_t> out(device.memory, std::size_t{24} * threads);
        const Arguments arguments(out);
        const auto launch = launch_of(device, grid, block, arguments);
        ASSERT_FALSE(cpu::exec::run(launch)) << block[0];
        for (std::uint32_t n = 0; n < 6 * threads; ++n) {
            const std::uint32_t t = n % threads;
            ASSERT_EQ(out[4 * n], t % block[0]) << block[0] << " " << block[1] << " " << n;
            ASSERT_EQ(out[4 * n + 1], t / block[0] % block[1]) << block[0] << " " << block[1] << " " << n;
            if (t + 1 < threads) {
                ASSERT_EQ(out[4 * n + 2], t + 1) << block[0] << " " << block[1] << " " << n;
            }
            ASSERT_EQ(out[4 * n + 3], n / threads);
        }
    }
}

TEST(WarpGroups, AFaultNamesTheThread) {
    const std::string store = "mad.wide.u32 %T, %x, 4, %U; st.global.u32 [%T], %x;";
    std::string report = fault_of(store, {256, 1, 1}, 200);
    EXPECT_TRUE(names(report, "thread (200, 0, 0)") && names(report, "illegal write of 4 bytes")) << report;
    report = fault_of("mad.wide.u32 %T, %x, 4, %U; ld.u32 %d, [%T+4];", {128, 1, 1}, 128);
    EXPECT_TRUE(names(report, "thread (127, 0, 0)") && names(report, "illegal read of 4 bytes")) << report;
    report = fault_of("mov.u32 %t, tile; mad.lo.u32 %t, %x, 4, %t; st.shared.u32 [%t], %x;", {256, 1, 1}, 1);
    EXPECT_TRUE(names(report, "thread (100, 0, 0)") && names(report, "of 400 bytes of shared memory")) << report;
    report =
        fault_of("mad.wide.u32 %T, %y, 34, %U; mad.wide.u32 %T, %x, 4, %T; ld.global.u32 %d, [%T];", {32, 8, 1}, 1024);
    EXPECT_TRUE(names(report, "thread (0, 1, 0)") && names(report, "misaligned")) << report;
    report = fault_of("setp.lt.u32 %p, %y, 5; @%p bra end;" + store + "end:", {32, 8, 1}, 16);
    EXPECT_TRUE(names(report, "thread (16, 5, 0)")) << report;
    report = fault_of("mad.wide.u32 %T, %x, 4, %U; red.global.add.u32 [%T], %x;", {256, 1, 1}, 200);
    EXPECT_TRUE(names(report, "thread (200, 0, 0)")) << report;
    EXPECT_EQ(fault_of(store, {256, 1, 1}, 256), "no fault");
}

/// The last warp uses the first one's address again, those between are far away; and 32-bit addresses that wrap around.
TEST(WarpGroups, PlacesThatWrapAround) {
    const std::string report = fault_of(
        "mov.u32 %d, 0x20000000; mul.wide.u32 %T, %y, %d; shl.b64 %T, %T, 32; mad.wide.u32 %T, %x, 4, %T; "
        "add.s64 %T, %T, %U; st.global.u32 [%T], %x;",
        {32, 9, 1}, 64);
    EXPECT_TRUE(names(report, "thread (0, 1, 0)") && names(report, "illegal write")) << report;
    const std::string shared = fault_of(
        "mov.u32 %t, tile; mad.lo.u32 %t, %y, 0x40000000, %t; mad.lo.u32 %t, %x, 4, %t; st.shared.u32 [%t], %x;",
        {32, 5, 1}, 64);
    EXPECT_TRUE(names(shared, "thread (0, 1, 0)") && names(shared, "illegal write")) << shared;
    // Backwards from the end, the first warp the last one.
    EXPECT_EQ(fault_of("mov.u32 %t, tile; sub.u32 %t, %t, 0; mad.lo.u32 %t, %y, -128, %t; mad.lo.u32 %t, %x, 4, %t; "
                       "st.shared.u32 [%t+256], %x;",
                       {32, 3, 1}, 64),
              "no fault");
}
