// Divergence, barriers and forward progress.
#include "exec/exec_test.hpp"

namespace exec_test {
namespace {

class Progress : public testing::TestWithParam<unsigned> {
protected:
    Device device{Device::file("progress.ptx")};
    unsigned threads = GetParam();
};

TEST_P(Progress, ALaneWaitsForAnotherLane) {
    Buffer<int> flags(device.memory, 8), out(device.memory, 256);
    EXPECT_TRUE(succeeds(device.run("lane_flag", {4, 64, 0, threads}, Arguments(flags, out))));
    for (int n = 0; n < 256; ++n) EXPECT_EQ(out[n], n % 32);
}

TEST_P(Progress, AWarpWaitsForAnother) {
    Buffer<int> out(device.memory, 512);
    EXPECT_TRUE(succeeds(device.run("warp_flag", {4, 128, 0, threads}, Arguments(out))));
    for (int value : out) EXPECT_EQ(value, 1);
}

TEST_P(Progress, BlocksWaitForEachOther) {
    Buffer<int> flags(device.memory, 25), out(device.memory, 24 * 64);
    EXPECT_TRUE(succeeds(device.run("block_chain", {24, 64, 0, threads}, Arguments(flags, out))));
    for (int n = 0; n < 24 * 64; ++n) EXPECT_EQ(out[n], n / 64 + 1);
}

TEST_P(Progress, ExitedThreadsDoNotHoldUpABarrier) {
    Buffer<int> out(device.memory, 256, -1);
    EXPECT_TRUE(succeeds(device.run("early_return", {2, 128, 0, threads}, Arguments(out))));
    for (int n = 0; n < 256; ++n) EXPECT_EQ(out[n], n % 2 ? -1 : (n % 128 + 64) % 128 * 3);
}

TEST_P(Progress, HalvesOfAWarpMeetAtDifferentBarrierInstructions) {
    Buffer<int> out(device.memory, 128);
    EXPECT_TRUE(succeeds(device.run("divergent_barrier", {1, 128, 0, threads}, Arguments(out))));
    for (int t = 0; t < 128; ++t) {
        EXPECT_EQ(out[t], t & 16 ? 2 * t + (t ^ 16) : t + 1000) << t;
    }
}

TEST_P(Progress, WarpSynchronisationFromDifferentPlaces) {
    Buffer<int> out(device.memory, 32);
    EXPECT_TRUE(succeeds(device.run("divergent_warp_sync", {1, 32, 0, threads}, Arguments(out))));
    for (int t = 0; t < 32; ++t) {
        const int other = t ^ 1;
        const int stored = other % 2 ? other : 100 + other;
        EXPECT_EQ(out[t], stored + (t < 16 ? other : 10 * other)) << t;
    }
}

TEST_P(Progress, AGridSynchronises) {
    Buffer<int> counters(device.memory, 20), out(device.memory, 1);
    const Shape shape{17, 96, 0, threads, true};
    EXPECT_TRUE(succeeds(device.run("grid_sync", shape, Arguments(counters, out, 20))));
    EXPECT_EQ(out[0], 0);
    for (int value : counters) EXPECT_EQ(value, 17);
}

TEST_P(Progress, ABarrierThatCannotCompleteIsAFault) {
    Buffer<int> out(device.memory, 32);
    const auto fault = device.run("impossible_barrier", {1, 32, 0, threads}, Arguments(out));
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->code, CUDA_ERROR_LAUNCH_TIMEOUT);
    EXPECT_NE(fault->report.find("deadlock"), std::string::npos) << fault->report;
}

TEST_P(Progress, TheWatchdogEndsALaunch) {
    Buffer<int> flag(device.memory, 1);
    const auto fault = device.run("endless", {4, 64, 0, threads, false, 1, 0.05}, Arguments(flag));
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->code, CUDA_ERROR_LAUNCH_TIMEOUT);
    EXPECT_EQ(
        fault->report,
        "kernel endless, grid (4, 1, 1), block (64, 1, 1): the launch ran longer than PYCUDA_CPU_WATCHDOG allows");
}

INSTANTIATE_TEST_SUITE_P(Threads, Progress, testing::Values(1u, 2u, 5u));

}  // namespace
}  // namespace exec_test
