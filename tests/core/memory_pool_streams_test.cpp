#include <atomic>
#include <chrono>
#include <thread>

#include "driver_table.hpp"
#include "gate.hpp"
#include "pycuda/event.hpp"
#include "pycuda/memcpy.hpp"
#include "pycuda/memory_pool.hpp"
#include "pycuda/stream.hpp"
#include "support.hpp"

namespace pycuda::test {
namespace {

using MemoryPoolStreamsTest = ContextTest;

TEST_F(MemoryPoolStreamsTest, SameStreamReusesAtOnce) {
    DeviceMemoryPool pool;
    const Stream stream(CU_STREAM_NON_BLOCKING);
    Gate gate(stream);
    auto memory = pool.allocate(64, &stream);
    const DevicePtr address = memory->pointer_for(stream.handle());
    memory.reset();
    PoolBlock block;
    ASSERT_TRUE(pool.pool()->try_take(64, stream.handle(), block));
    EXPECT_EQ(block.address, address);
    pool.pool()->give(block);
    gate.open = true;
    stream.synchronize();
}

TEST_F(MemoryPoolStreamsTest, OtherStreamWaitsForTheLast) {
    DeviceMemoryPool pool;
    const Stream first(CU_STREAM_NON_BLOCKING), second(CU_STREAM_NON_BLOCKING);
    Gate gate(first);
    auto memory = pool.allocate(64, &first);
    const DevicePtr address = memory->pointer();
    memory.reset();
    PoolBlock block;
    EXPECT_FALSE(pool.pool()->try_take(64, second.handle(), block)) << "not without a wait";
    memory = pool.allocate(64, &second);
    EXPECT_EQ(memory->pointer(), address);
    Event reached(CU_EVENT_DISABLE_TIMING);
    reached.record(&second);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_FALSE(reached.query());
    gate.open = true;
    reached.synchronize();
}

TEST_F(MemoryPoolStreamsTest, BlockOfTheSameStreamIsPreferred) {
    DeviceMemoryPool pool;
    const Stream first(CU_STREAM_NON_BLOCKING), second(CU_STREAM_NON_BLOCKING);
    auto a = pool.allocate(64, &first), b = pool.allocate(64, &second);
    const DevicePtr of_first = a->pointer(), of_second = b->pointer();
    a.reset();
    b.reset();
    EXPECT_EQ(pool.allocate(64, &first)->pointer(), of_first);
    EXPECT_EQ(pool.allocate(64, &second)->pointer(), of_second);
}

TEST_F(MemoryPoolStreamsTest, UseOnAnotherStreamIsWaitedFor) {
    DeviceMemoryPool pool;
    const Stream user(CU_STREAM_NON_BLOCKING), reader(CU_STREAM_NON_BLOCKING), next(CU_STREAM_NON_BLOCKING);
    auto memory = pool.allocate(64);
    memory->pointer_for(user.handle());
    Gate gate(reader);
    memory->pointer_for(reader.handle());  // now several
    memory.reset();
    memory = pool.allocate(64, &next);
    Event reached(CU_EVENT_DISABLE_TIMING);
    reached.record(&next);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_FALSE(reached.query());
    gate.open = true;
    reached.synchronize();
}

TEST_F(MemoryPoolStreamsTest, DefaultStreamAndThoseThatWaitForItNeedNoEvent) {
    DeviceMemoryPool pool;
    const Stream stream;
    auto memory = pool.allocate(64);
    memory->pointer_for(stream.handle());
    memory.reset();
    PoolBlock block;
    ASSERT_TRUE(pool.pool()->try_take(64, nullptr, block));
    pool.pool()->give(block);
    ASSERT_TRUE(pool.pool()->try_take(64, stream.handle(), block));
    pool.pool()->give(block);
}

TEST_F(MemoryPoolStreamsTest, TheDefaultStreamHasTwoHandles) {
    DeviceMemoryPool pool;
    const Stream legacy = Stream::from_handle(nullptr);
    auto memory = pool.allocate(64);
    const DevicePtr address = memory->pointer_for(legacy.handle());
    memory.reset();
    PoolBlock block;
    ASSERT_TRUE(pool.pool()->try_take(64, legacy.handle(), block));
    EXPECT_EQ(block.address, address);
    EXPECT_TRUE(block.last_use.is(nullptr));
    pool.pool()->give(block);
    ASSERT_TRUE(pool.pool()->try_take(64, nullptr, block));
    pool.pool()->give(block);
}

TEST_F(MemoryPoolStreamsTest, AThreadsOwnDefaultStreamIsOrderedEachTime) {
    // Its handle means another stream on each thread.
    DeviceMemoryPool pool;
    const Stream mine = Stream::from_handle(CU_STREAM_PER_THREAD);
    const Stream other(CU_STREAM_NON_BLOCKING);
    Gate gate(mine);
    auto memory = pool.allocate(64, &mine);
    const DevicePtr address = memory->pointer_for(mine.handle());
    memory.reset();
    PoolBlock block;
    EXPECT_FALSE(pool.pool()->try_take(64, mine.handle(), block)) << "it may be another thread's";
    EXPECT_FALSE(pool.pool()->try_take(64, other.handle(), block));
    memory = pool.allocate(64, &other);
    EXPECT_EQ(memory->pointer(), address);
    Event reached(CU_EVENT_DISABLE_TIMING);
    reached.record(&other);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_FALSE(reached.query());
    gate.open = true;
    reached.synchronize();
    memory.reset();
    EXPECT_EQ(pool.allocate(64, &mine)->pointer(), address);
}

TEST_F(MemoryPoolStreamsTest, WorkThatAClosedStreamHasLeftIsWaitedFor) {
    DeviceMemoryPool pool;
    Stream first(CU_STREAM_NON_BLOCKING);
    const Stream second(CU_STREAM_NON_BLOCKING);
    Gate gate(first);
    auto memory = pool.allocate(64, &first);
    std::thread closer([&] { first.close(); });  // a driver may wait in it
    memory.reset();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    memory = pool.allocate(64, &second);
    Event reached(CU_EVENT_DISABLE_TIMING);
    reached.record(&second);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_FALSE(reached.query());
    gate.open = true;
    closer.join();
    reached.synchronize();
}

TEST_F(MemoryPoolStreamsTest, BlocksOfClosedIdleStreamsNeedNoWait) {
    DeviceMemoryPool pool;
    for (int n = 0; n < 100; ++n) {
        const Stream stream(CU_STREAM_NON_BLOCKING);
        auto memory = pool.allocate(64, &stream);
        memset_d8_async(memory->pointer_for(stream.handle()), 0, 64, &stream);
    }
    EXPECT_EQ(pool.held_blocks(), 1u);
}

TEST(MemoryPoolStreamsFaults, FailedOrderGivesTheBlockBack) {
    if (!can_inject_faults()) GTEST_SKIP() << "needs the CPU device's fault injection";
    for (const char* fault : {"cuEventCreate:1:2", "cuEventRecord:1:1", "cuStreamWaitEvent:1:1"})
        EXPECT_FRESH_PROCESS(
            {
                set_env("PYCUDA_CPU_FAULTS", fault);
                init();
                const auto context = Device(0).make_context();
                const Stream first(CU_STREAM_NON_BLOCKING);
                const Stream second(CU_STREAM_NON_BLOCKING);
                DeviceMemoryPool pool;
                pool.allocate(64, &first)->free();
                EXPECT_THROW(pool.allocate(64, &second), Error);
                EXPECT_EQ(pool.held_blocks(), 1u);
                EXPECT_EQ(pool.active_blocks(), 0u);
                EXPECT_NO_THROW(pool.allocate(64, &second));
                finish();
            },
            "");
}

}  // namespace
}  // namespace pycuda::test
