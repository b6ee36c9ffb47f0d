#include "pycuda/pools/memory_pool.hpp"

#include <functional>
#include <thread>

#include "driver/driver_table.hpp"
#include "pycuda/memory/memcpy.hpp"
#include "pycuda/streams/stream.hpp"
#include "support.hpp"

namespace pycuda::test {
namespace {

using MemoryPoolTest = ContextTest;

TEST(MemoryPoolBins, WasteLessThanASixteenthAndHoldWhatTheyAreFor) {
    for (std::size_t bytes :
         {1ull, 2ull, 3ull, 15ull, 16ull, 17ull, 1000ull, 1023ull, 1024ull, 1025ull, 4096ull, 1000003ull, 5ull << 40}) {
        const unsigned bin = MemoryPool::bin_number(bytes);
        const std::size_t size = MemoryPool::alloc_size(bin);
        EXPECT_GE(size, bytes);
        EXPECT_LT(size - bytes, bytes / 16 + 1) << bytes;
        EXPECT_EQ(MemoryPool::bin_number(size), bin) << bytes;
        EXPECT_EQ(MemoryPool::bin_number(size + 1), bin + (bytes < 16 ? MemoryPool::bin_number(size + 1) - bin : 1));
    }
    EXPECT_EQ(MemoryPool::bin_number(0), 0u);
    EXPECT_EQ(MemoryPool::bin_number(1000), 9u * 16 + 15);
    EXPECT_EQ(MemoryPool::alloc_size(9 * 16 + 15), 1023u);
    EXPECT_EQ(MemoryPool::alloc_size(MemoryPool::bin_number(~std::size_t{0})), ~std::size_t{0});
    EXPECT_THROW(PoolHandle::alloc_size(1024), std::invalid_argument);
}

TEST_F(MemoryPoolTest, GivesTheSameMemoryAgain) {
    DeviceMemoryPool pool;
    auto first = pool.allocate(1000);
    const DevicePtr address = first->pointer();
    EXPECT_EQ(first->size(), 1000u);
    EXPECT_EQ(first->context(), context);
    first->free();
    const auto second = pool.allocate(1010);
    EXPECT_EQ(second->pointer(), address);
}

TEST_F(MemoryPoolTest, CountsExactly) {
    DeviceMemoryPool pool;
    const auto expect = [&](std::size_t held, std::size_t active, std::size_t managed, std::size_t asked) {
        EXPECT_EQ(pool.held_blocks(), held);
        EXPECT_EQ(pool.active_blocks(), active);
        EXPECT_EQ(pool.managed_bytes(), managed);
        EXPECT_EQ(pool.active_bytes(), asked);
    };
    expect(0, 0, 0, 0);
    auto a = pool.allocate(1000);
    auto b = pool.allocate(5000);
    expect(0, 2, 1023 + 5119, 6000);
    a.reset();
    expect(1, 1, 1023 + 5119, 5000);
    a = pool.allocate(995);
    expect(0, 2, 1023 + 5119, 5995);
    b->free();
    pool.free_held();
    expect(0, 1, 1023, 995);
    pool.stop_holding();
    a->free();
    expect(0, 0, 0, 0);
    a = pool.allocate(16);
    a.reset();
    expect(0, 0, 0, 0);
}

TEST_F(MemoryPoolTest, FreedTwiceIsALogicErrorAndClosedTwiceIsNot) {
    DeviceMemoryPool pool;
    const auto memory = pool.allocate(16);
    memory->free();
    EXPECT_EQ(message_of<LogicError>([&] { memory->free(); }), "pooled device allocation was freed");
    EXPECT_THROW(static_cast<void>(memory->pointer()), LogicError);
    EXPECT_EQ(memory->context(), nullptr);
    memory->close();
    EXPECT_EQ(pool.held_blocks(), 1u);
}

TEST_F(MemoryPoolTest, AllocatesInItsOwnContext) {
    DeviceMemoryPool pool;
    const auto other = Device(0).make_context();
    const auto memory = pool.allocate(64);
    EXPECT_EQ(memory->context(), context);
    CUcontext owner = nullptr;
    driver().cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, memory->pointer());
    EXPECT_EQ(owner, context->handle());
    EXPECT_EQ(Context::current(), other);
    other->detach();
}

TEST_F(MemoryPoolTest, NoContextIsALogicError) {
    Context::pop();
    EXPECT_THROW(DeviceMemoryPool(), LogicError);
}

TEST_F(MemoryPoolTest, BlocksOutliveThePool) {
    auto pool = std::make_unique<DeviceMemoryPool>();
    const auto held = pool->allocate(64);
    const auto memory = pool->allocate(64);
    held->free();
    pool.reset();
    EXPECT_EQ(live_handles("pooled memory"), 1);
    memset_d8(memory->pointer(), 1, 64);
    memory->free();
    EXPECT_EQ(live_handles("pooled memory"), 0) << "no holder can take it again";
}

TEST_F(MemoryPoolTest, BlocksKeepTheContextAlive) {
    const std::weak_ptr<Context> weak = context;
    auto pool = default_device_pool(*context);
    PoolBlock block = pool->take(64);
    Context::pop();
    context.reset();
    EXPECT_FALSE(weak.expired());
    pool->give(block);
    EXPECT_TRUE(weak.expired());
    EXPECT_FALSE(pool->is_alive());
    EXPECT_EQ(pool->held_blocks(), 0u);
}

TEST_F(MemoryPoolTest, HeldBlocksOfTheContextsOwnPoolDoNotKeepItAlive) {
    const std::weak_ptr<Context> weak = context;
    DeviceMemoryPool::of_current_context().allocate(64)->free();
    EXPECT_EQ(default_device_pool(*context)->held_blocks(), 1u);
    Context::pop();
    context.reset();
    EXPECT_TRUE(weak.expired());
}

TEST_F(MemoryPoolTest, EndOfTheContextMakesBlocksUnusable) {
    testing::internal::CaptureStderr();
    DeviceMemoryPool pool;
    const auto memory = pool.allocate(64);
    pool.allocate(4096)->free();
    context->detach();
    EXPECT_EQ(message_of<LogicError>([&] { static_cast<void>(memory->pointer()); }),
              "pooled device allocation belongs to a context that is gone");
    EXPECT_EQ(pool.held_blocks(), 0u);
    EXPECT_EQ(pool.active_blocks(), 1u);
    memory->free();
    EXPECT_EQ(pool.active_blocks(), 0u);
    EXPECT_EQ(pool.managed_bytes(), 0u);
    EXPECT_EQ(message_of<LogicError>([&] { pool.allocate(64); }),
              "pooled device allocation belongs to a context that is gone");
    pool.free_held();
    pool.stop_holding();
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(MemoryPoolTest, OnePoolAContextByDefault) {
    const auto pool = default_device_pool(*context);
    EXPECT_EQ(default_device_pool(*context), pool);
    EXPECT_EQ(DeviceMemoryPool::of_current_context().pool(), pool);
    EXPECT_NE(DeviceMemoryPool().pool(), pool);
    PoolBlock block = pool->take(64);
    pool->give(block);
    DeviceMemoryPool::of_current_context();
    EXPECT_EQ(pool->held_blocks(), 1u) << "a second name of a pool takes nothing from it";
}

// ---- out of memory

int pool_hook_runs = 0;
std::function<void()> in_hook;

TEST_F(MemoryPoolTest, OutOfMemoryRunsTheHookAndSaysWhatIsInUse) {
    pool_hook_runs = 0;
    set_out_of_memory_hook([] { ++pool_hook_runs; });
    DeviceMemoryPool pool;
    const auto live = pool.allocate(1000);
    pool.allocate(1 << 20)->free();
    const std::string message = message_of<MemoryError>([&] { pool.allocate(too_much); });
    set_out_of_memory_hook(nullptr);
    EXPECT_HAS(message, "cuMemAlloc failed: out of memory");
    EXPECT_HAS(message, "1152921504606846976");
    EXPECT_HAS(message, "1000 bytes are in use");
    EXPECT_EQ(pool_hook_runs, 1);
    EXPECT_EQ(pool.held_blocks(), 0u) << "what was held has gone first";
    EXPECT_EQ(pool.active_blocks(), 1u);
}

TEST_F(MemoryPoolTest, PlainAllocationsTakeWhatPoolsHold) {
    DeviceMemoryPool pool;
    const auto total = mem_get_info().free;
    // Two of these do not fit.
    auto large = pool.allocate(total / 8 * 5);
    large->free();
    ASSERT_EQ(pool.held_blocks(), 1u);
    DeviceAllocation plain(total / 8 * 5);
    EXPECT_EQ(pool.held_blocks(), 0u);
    plain.free();
    // And one pool takes from another.
    DeviceMemoryPool other;
    pool.allocate(total / 8 * 5)->free();
    EXPECT_NO_THROW(other.allocate(total / 8 * 5));
    EXPECT_EQ(pool.held_blocks(), 0u);
}

TEST_F(MemoryPoolTest, TheHookRunsOnlyIfNothingIsHeld) {
    pool_hook_runs = 0;
    set_out_of_memory_hook([] { ++pool_hook_runs; });
    DeviceMemoryPool pool;
    const auto total = mem_get_info().free;
    pool.allocate(total / 8 * 5)->free();
    const auto other_size = pool.allocate(total / 8 * 4);
    set_out_of_memory_hook(nullptr);
    EXPECT_EQ(pool_hook_runs, 0) << "a garbage collection would take as long as a thousand allocations";
    EXPECT_EQ(pool.held_blocks(), 0u);
}

TEST_F(MemoryPoolTest, WhatTheHookGivesBackIsTakenAtOnce) {
    DeviceMemoryPool pool;
    const auto total = mem_get_info().free;
    auto garbage = pool.allocate(total / 8 * 5);
    const DevicePtr address = garbage->pointer();
    in_hook = [&] { garbage.reset(); };
    set_out_of_memory_hook([] { in_hook(); });
    const auto memory = pool.allocate(total / 8 * 5);
    set_out_of_memory_hook(nullptr);
    EXPECT_EQ(memory->pointer(), address);
}

TEST(MemoryPoolFaults, ReleasesTheLargestFirstUntilTheDriverHasEnough) {
    if (!can_inject_faults()) GTEST_SKIP() << "needs the CPU device's fault injection";
    EXPECT_FRESH_PROCESS(
        {
            set_environment("PYCUDA_CPU_FAULTS",
                            "cuMemAlloc:4:2");  // the fourth call ends with CUDA_ERROR_OUT_OF_MEMORY
            init();
            const auto context = Device(0).make_context();
            DeviceMemoryPool pool;
            auto small = pool.allocate(100);
            auto middle = pool.allocate(1000);
            auto large = pool.allocate(10000);
            small.reset();
            middle.reset();
            large.reset();
            const auto memory = pool.allocate(50);
            EXPECT_EQ(pool.held_blocks(), 2u);
            EXPECT_EQ(pool.managed_bytes(), 103u + 1023u + 51u);
            finish();
        },
        "");
}

// ---- threads

TEST_F(MemoryPoolTest, ManyThreadsAllocateAndFree) {
    DeviceMemoryPool pool;
    std::vector<std::thread> threads;
    for (int n = 0; n < 8; ++n)
        threads.emplace_back([&, n] {
            const ContextScope scope(*context);
            const Stream stream(n % 2 ? CU_STREAM_NON_BLOCKING : 0);
            for (int round = 0; round < 200; ++round) {
                const auto a = pool.allocate(static_cast<std::size_t>(100 + round % 7 * 100), &stream);
                const auto b = pool.allocate(100);
                memset_d8_async(a->pointer_for(stream.handle()), static_cast<std::uint8_t>(n), a->size(), &stream);
                EXPECT_NE(a->pointer(), b->pointer());
            }
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(pool.active_blocks(), 0u);
    EXPECT_EQ(pool.active_bytes(), 0u);
    pool.free_held();
    EXPECT_EQ(pool.managed_bytes(), 0u);
}

TEST_F(MemoryPoolTest, DetachRacesWithUse) {
    testing::internal::CaptureStderr();
    for (int round = 0; round < 10; ++round) {
        const auto victim = Device(0).make_context();
        DeviceMemoryPool pool;
        std::thread user([&] {
            try {
                for (;;) pool.allocate(64);
            } catch (const Error&) {
            }
        });
        victim->detach();
        user.join();
        EXPECT_EQ(pool.active_blocks(), 0u);
        EXPECT_EQ(pool.managed_bytes(), 0u);
    }
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace pycuda::test
