// mbarrier objects and clusters: wrong uses, waits that never end, and waits with a time limit.
#include "exec/exec_test.hpp"

using namespace exec_test;

namespace {

/// Kernels of one parameter, %out; each thread has %i, its block %rank, and `s` is an mbarrier of two arrivals.
std::string kernel(const std::string& name, const std::string& body) {
    return ".visible .entry " + name + "(.param .u64 out) {\n" +
           ".reg .b32 %i, %rank, %a, %r<8>; .reg .b64 %out, %t, %g<4>; .reg .pred %p<4>;\n"
           ".shared .align 8 .b64 s[2]; mov.u32 %i, %tid.x; mov.u32 %rank, %cluster_ctarank; mov.u32 %a, s;\n"
           "ld.param.u64 %out, [out]; setp.eq.u32 %p0, %i, 0; @%p0 mbarrier.init.shared.b64 [%a], 2;\n"
           "bar.sync 0; mad.wide.u32 %out, %i, 4, %out;\n" +
           body + "\nret; }\n";
}

const std::string wait = "again: mbarrier.try_wait.parity.shared.b64 %p1, [%a], 0; @!%p1 bra again;\n";

const std::string kernels =
    ".version 8.6\n.target sm_90\n.address_size 64\n" +
    kernel("waits_for_ever", "@%p0 mbarrier.arrive.shared.b64 _, [%a];\n" + wait) +
    kernel("waits_and_meets", "setp.lt.u32 %p2, %i, 32; @%p2 bra again; bar.sync 1; exit;\n" + wait) +
    kernel("polls_for_ever",
           "mbarrier.test_wait.parity.shared.b64 %p1, [%a], 1;\n"
           "again: mbarrier.test_wait.parity.shared.b64 %p1, [%a], 0; @!%p1 bra again;") +
    kernel("gives_up",
           "mov.u32 %r0, 0;\n"
           "again: mbarrier.try_wait.parity.shared.b64 %p1, [%a], 0; @%p1 bra done; add.u32 %r0, %r0, 1;\n"
           "setp.lt.u32 %p2, %r0, 50; @%p2 bra again;\ndone: st.global.u32 [%out], %r0;") +
    kernel("works_meanwhile",
           "setp.ge.u32 %p2, %i, 32; @%p2 bra waits; mov.u32 %r0, 0;\n"
           "more: add.u32 %r0, %r0, 1; setp.lt.u32 %p3, %r0, 100000; @%p3 bra more;\n"
           "and.b32 %r1, %i, 15; setp.eq.u32 %p2, %r1, 0; @%p2 mbarrier.arrive.shared.b64 _, [%a];\n"
           "st.global.u32 [%out], %r0; exit;\nwaits:\n" +
               wait + "st.global.u32 [%out], %i;") +
    kernel("arrives_too_often", "@%p0 mbarrier.arrive.shared.b64 _, [%a], 3;") +
    kernel("of_none", "@%p0 mbarrier.init.shared.b64 [%a], 0;") +
    kernel("completes_all_the_same", "@%p0 mbarrier.arrive.noComplete.shared.b64 %t, [%a], 2;") +
    kernel("used_when_invalid", "@%p0 mbarrier.inval.shared.b64 [%a]; @%p0 mbarrier.arrive.shared.b64 _, [%a];") +
    kernel("misaligned", "add.u32 %a, %a, 4; @%p0 mbarrier.arrive.shared.b64 _, [%a];") +
    kernel("in_global_memory", "@%p0 mbarrier.init.b64 [%out], 1;") +
    kernel("behind_shared_memory", "add.u32 %a, %a, 16; @%p0 mbarrier.init.shared.b64 [%a], 1;") +
    kernel("copies_in_odd_sizes",
           "@%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%a], [%out], 8, [%a];") +
    kernel("copies_beyond",
           "@%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%a], [%out], 32, [%a];") +
    kernel("waits_for_the_cluster",
           "setp.lt.u32 %p2, %i, 32; @%p2 bar.sync 1; barrier.cluster.arrive; barrier.cluster.wait;") +
    kernel("arrives_twice", "barrier.cluster.arrive; barrier.cluster.arrive;") +
    kernel("some_leave",
           "setp.ne.u32 %p2, %rank, 1; @!%p2 exit; barrier.cluster.arrive; barrier.cluster.wait;\n"
           "st.global.u32 [%out], %rank;") +
    kernel("to_a_block_that_is_not", "mapa.shared::cluster.u32 %r0, %a, 4;") +
    kernel("reads_who_has_left",
           "setp.eq.u32 %p2, %rank, 1; @%p2 exit; mapa.shared::cluster.u32 %r0, %a, 1;\n"
           "mov.u32 %r1, 0;\nmore: add.u32 %r1, %r1, 1; setp.lt.u32 %p3, %r1, 100000; @%p3 bra more;\n"
           "ld.shared::cluster.u32 %r2, [%r0]; st.global.u32 [%out], %r2;") +
    kernel("beyond_anothers_memory",
           "mapa.shared::cluster.u32 %r0, %a, 1; ld.shared::cluster.u32 %r2, [%r0+16];\n"
           "barrier.cluster.arrive; barrier.cluster.wait; st.global.u32 [%out], %r2;");

class MbarrierTest : public testing::Test {
protected:
    std::optional<Fault> run(const char* name, const Shape& shape) {
        return device.run(name, shape, Arguments(out.address()));
    }
    void expect_fault(const char* name, const Shape& shape, CUresult code, std::initializer_list<const char*> parts) {
        const auto fault = run(name, shape);
        ASSERT_TRUE(fault.has_value()) << name;
        EXPECT_EQ(fault->code, code) << fault->report;
        for (const char* part : parts)
            EXPECT_NE(fault->report.find(part), std::string::npos) << fault->report << "\nlacks: " << part;
    }

    Device device{kernels};
    Buffer<std::uint32_t> out{device.memory, 64};
};

TEST_F(MbarrierTest, WaitsThatCannotEndAreReported) {
    expect_fault(
        "waits_for_ever", {1, 64}, CUDA_ERROR_LAUNCH_TIMEOUT,
        {"deadlock in block (0, 0, 0)", "threads (0, 0, 0) to (63, 0, 0) wait for a phase of an mbarrier", "PTX line"});
    expect_fault("waits_and_meets", {2, 64, 0, 2}, CUDA_ERROR_LAUNCH_TIMEOUT,
                 {"wait for a phase of an mbarrier", "at barrier 1, where 32 of 64 threads have arrived"});
    expect_fault("polls_for_ever", {1, 32}, CUDA_ERROR_LAUNCH_TIMEOUT, {"wait for a phase of an mbarrier"});
}

TEST_F(MbarrierTest, WaitsGiveUp) {
    EXPECT_TRUE(succeeds(run("gives_up", {1, 64})));
    EXPECT_EQ(out.values(), std::vector<std::uint32_t>(64, 50));
}

TEST_F(MbarrierTest, OthersWorkMeanwhile) {
    EXPECT_TRUE(succeeds(run("works_meanwhile", {1, 64})));
    for (std::uint32_t n = 0; n < 64; ++n) EXPECT_EQ(out[n], n < 32 ? 100000 : n);
}

TEST_F(MbarrierTest, WhatIsWrong) {
    expect_fault("arrives_too_often", {1, 32}, CUDA_ERROR_LAUNCH_FAILED,
                 {"3 arrivals at an mbarrier that waits for 2", "thread (0, 0, 0), PTX line"});
    expect_fault("of_none", {1, 32}, CUDA_ERROR_LAUNCH_FAILED, {"an mbarrier of 0 arrivals"});
    expect_fault("completes_all_the_same", {1, 32}, CUDA_ERROR_LAUNCH_FAILED, {"a .noComplete arrival"});
    expect_fault("used_when_invalid", {1, 32}, CUDA_ERROR_LAUNCH_FAILED, {"that waits for 0"});
    expect_fault("misaligned", {1, 32}, CUDA_ERROR_MISALIGNED_ADDRESS, {"misaligned mbarrier"});
    expect_fault("in_global_memory", {1, 32}, CUDA_ERROR_ILLEGAL_ADDRESS, {"an mbarrier outside shared memory"});
    expect_fault("behind_shared_memory", {1, 32}, CUDA_ERROR_ILLEGAL_ADDRESS, {"an mbarrier outside shared memory"});
    expect_fault("copies_in_odd_sizes", {1, 32}, CUDA_ERROR_LAUNCH_FAILED, {"not a multiple of 16"});
    expect_fault("copies_beyond", {1, 32}, CUDA_ERROR_ILLEGAL_ADDRESS, {"write of 32 bytes"});
}

TEST_F(MbarrierTest, Clusters) {
    expect_fault("waits_for_the_cluster", {4, 64, 0, 1, false, 4}, CUDA_ERROR_LAUNCH_TIMEOUT,
                 {"deadlock in block (", "at barrier.cluster, where 128 of 256 threads have arrived", "at barrier 1"});
    expect_fault("arrives_twice", {2, 64, 0, 1, false, 2}, CUDA_ERROR_LAUNCH_FAILED,
                 {"without a barrier.cluster.wait"});
    EXPECT_TRUE(succeeds(run("some_leave", {4, 64, 0, 1, false, 4})));
    EXPECT_NE(out[0], 1u);
    expect_fault("to_a_block_that_is_not", {4, 32, 0, 1, false, 4}, CUDA_ERROR_LAUNCH_FAILED, {"outside the cluster"});
    expect_fault("reads_who_has_left", {2, 32, 0, 1, false, 2}, CUDA_ERROR_ILLEGAL_ADDRESS, {"read of 4 bytes"});
    expect_fault("beyond_anothers_memory", {2, 32, 0, 1, false, 2}, CUDA_ERROR_ILLEGAL_ADDRESS, {"read of 4 bytes"});
}

}  // namespace
