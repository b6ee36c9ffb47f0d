#include "pycuda/memory/device_memory.hpp"

#include <thread>

#include "support.hpp"

namespace pycuda::test {
namespace {

using DeviceMemoryTest = ContextTest;

int hook_runs = 0;

TEST_F(DeviceMemoryTest, AllocatesAndFrees) {
    DeviceAllocation memory(1000);
    EXPECT_NE(memory.pointer(), 0u);
    EXPECT_EQ(memory.pointer() % 256, 0u);
    EXPECT_EQ(memory.size(), 1000u);
    EXPECT_EQ(memory.context(), context);
    EXPECT_EQ(live_handles("device allocation"), 1);
    memory.free();
    EXPECT_EQ(live_handles("device allocation"), 0);
}

TEST_F(DeviceMemoryTest, FreedTwiceIsALogicErrorAndClosedTwiceIsNot) {
    DeviceAllocation memory(16);
    memory.free();
    EXPECT_EQ(message_of<LogicError>([&] { memory.free(); }), "device allocation was freed");
    EXPECT_THROW(static_cast<void>(memory.pointer()), LogicError);
    memory.close();
    memory.close();
}

TEST_F(DeviceMemoryTest, OutOfMemoryNamesTheBytes) {
    const std::string message = message_of<MemoryError>([] { DeviceAllocation memory(too_much); });
    EXPECT_HAS(message, "cuMemAlloc failed: out of memory");
    EXPECT_HAS(message, "asked for 1152921504606846976 bytes; ");
    EXPECT_HAS(message, " of " + std::to_string(mem_get_info().total) + " bytes are free");
}

TEST_F(DeviceMemoryTest, NoBytesAreRefused) {
    EXPECT_THROW(DeviceAllocation(0), LogicError);
}

TEST_F(DeviceMemoryTest, HookRunsOnceWhenMemoryIsOut) {
    hook_runs = 0;
    set_out_of_memory_hook([] { ++hook_runs; });
    EXPECT_THROW(DeviceAllocation memory(too_much), MemoryError);
    EXPECT_EQ(hook_runs, 1);
    DeviceAllocation small(16);
    EXPECT_EQ(hook_runs, 1);
    set_out_of_memory_hook(nullptr);
    EXPECT_THROW(DeviceAllocation memory(too_much), MemoryError);
    EXPECT_EQ(hook_runs, 1);
}

TEST_F(DeviceMemoryTest, FreeAndTotal) {
    const MemInfo before = mem_get_info();
    EXPECT_GT(before.total, 0u);
    EXPECT_LE(before.free, before.total);
    DeviceAllocation memory(64 << 20);
    EXPECT_LT(mem_get_info().free, before.free);
}

TEST_F(DeviceMemoryTest, RowsOfPitchedMemoryAreAligned) {
    auto [memory, pitch] = mem_alloc_pitch(100, 7, 4);
    EXPECT_GE(pitch, 100u);
    EXPECT_EQ(pitch % 16, 0u);
    EXPECT_EQ(memory.size(), 7 * pitch);
    EXPECT_EQ(live_handles("device allocation"), 1);
    memory.free();
    EXPECT_HAS(message_of<LogicError>([] { mem_alloc_pitch(100, 7, 3); }), "accesses of 3 bytes (4, 8 or 16)");
    EXPECT_HAS(message_of<MemoryError>([] { mem_alloc_pitch(1 << 30, 1 << 30, 4); }), "1073741824 rows");
}

TEST_F(DeviceMemoryTest, NoContextIsALogicError) {
    Context::pop();
    EXPECT_HAS(message_of<LogicError>([] { DeviceAllocation memory(16); }), "cuMemAlloc failed: ");
    EXPECT_THROW(mem_get_info(), LogicError);
}

TEST_F(DeviceMemoryTest, ManyThreadsAllocateAndFree) {
    std::vector<std::thread> threads;
    for (int n = 0; n < 8; ++n)
        threads.emplace_back([this] {
            const ContextScope scope(*context);
            for (int round = 0; round < 50; ++round) DeviceAllocation memory(256);
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(live_handles("device allocation"), 0);
}

TEST(DeviceMemoryFaults, SecondTryAfterTheHookSucceeds) {
    if (!can_inject_faults()) GTEST_SKIP() << "needs the CPU device's fault injection";
    EXPECT_FRESH_PROCESS(
        {
            set_environment("PYCUDA_CPU_FAULTS",
                            "cuMemAlloc:2:2");  // the second call ends with CUDA_ERROR_OUT_OF_MEMORY
            init();
            const auto context = Device(0).make_context();
            set_out_of_memory_hook([] { ++hook_runs; });
            DeviceAllocation first(16);
            DeviceAllocation second(16);
            EXPECT_EQ(hook_runs, 1);
            EXPECT_NE(second.pointer(), 0u);
            finish();
        },
        "");
}

TEST(DeviceMemoryFaults, FailureOfCleanUpIsReportedOnce) {
    if (!can_inject_faults()) GTEST_SKIP() << "needs the CPU device's fault injection";
    EXPECT_FRESH_PROCESS(
        {
            set_environment("PYCUDA_CPU_FAULTS", "cuMemFree:1:1");
            init();
            const auto context = Device(0).make_context();
            {
                DeviceAllocation memory(16);
            }
            {
                DeviceAllocation memory(16);
            }
            finish();
        },
        "^\\[pycuda\\] cuMemFree failed in clean-up: invalid argument \\(CUDA_ERROR_INVALID_VALUE\\)\n$");
}

}  // namespace
}  // namespace pycuda::test
