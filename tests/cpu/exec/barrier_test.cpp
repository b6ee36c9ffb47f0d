// Barriers for a given number of threads: the count does not depend on which threads arrive or leave first.
#include <string>

#include "exec/exec_test.hpp"

namespace exec_test {
namespace {

std::string kernel(const std::string& body) {
    return R"(
.version 8.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .pred %p<4>;
    .reg .b32 %r<4>, %t;
    .reg .b64 %rd<4>;
    .shared .align 4 .u32 s;
    ld.param.u64 %rd1, [out];
    mov.u32 %t, %tid.x;
    mul.wide.u32 %rd2, %t, 4;
    add.u64 %rd1, %rd1, %rd2;
)" + body + "}\n";
}

/// Half of warp 0 leaves, the other half and warp 1 meet. The part with the lower pc runs first.
void expect_meeting(const std::string& body) {
    Device device(kernel("setp.ge.u32 %p1, %t, 16;\nsetp.lt.u32 %p2, %t, 32;\nand.pred %p1, %p1, %p2;\n" + body));
    Buffer<unsigned> out(device.memory, 64);
    ASSERT_TRUE(succeeds(device.run("k", {1, 64}, Arguments(out))));
    for (unsigned t = 0; t < 64; ++t) EXPECT_EQ(out[t], t < 16 || t >= 32 ? 1u : 0u) << t;
}

TEST(CountedBarrier, SomeOfAWarpLeaveAfterTheOthersHaveCome) {
    expect_meeting(R"(
    @%p1 bra LEAVE;
    barrier.sync 1, 64;
    st.global.u32 [%rd1], 1;
    ret;
LEAVE:
    ret;
)");
}

TEST(CountedBarrier, SomeOfAWarpLeaveBeforeTheOthersCome) {
    expect_meeting(R"(
    @!%p1 bra MEET;
    ret;
MEET:
    barrier.sync 1, 64;
    st.global.u32 [%rd1], 1;
    ret;
)");
}

TEST(CountedBarrier, AThreadThatArrivedAndLeftCountsOnce) {
    Device device(kernel(R"(
    setp.ge.u32 %p1, %t, 32;
    @%p1 bra OTHERS;
    barrier.arrive 1, 96;
    ret;
OTHERS:
    setp.ge.u32 %p2, %t, 64;
    @%p2 bra LAST;
    barrier.sync 1, 96;
    ld.shared.u32 %r1, [s];
    st.global.u32 [%rd1], %r1;
    ret;
LAST:
    st.shared.u32 [s], 7;
    barrier.sync 1, 96;
    ret;
)"));
    Buffer<unsigned> out(device.memory, 96);
    ASSERT_TRUE(succeeds(device.run("k", {1, 96}, Arguments(out))));
    for (unsigned t = 32; t < 64; ++t) EXPECT_EQ(out[t], 7u) << t;
}

}  // namespace
}  // namespace exec_test
