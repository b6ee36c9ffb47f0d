#include "pycuda/pools/host_memory_pool.hpp"

#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include "gate.hpp"
#include "pycuda/memory/memcpy.hpp"
#include "pycuda/streams/stream.hpp"
#include "support.hpp"

namespace pycuda::test {
namespace {

using HostMemoryPoolTest = ContextTest;

TEST_F(HostMemoryPoolTest, GivesTheSameMemoryAgain) {
    PageLockedMemoryPool pool;
    auto first = pool.allocate(1000);
    void* const memory = first->data();
    std::memset(memory, 3, 1000);
    EXPECT_EQ(pool.active_bytes(), 1000u);
    first->free();
    EXPECT_EQ(message_of<LogicError>([&] { first->free(); }), "pooled host allocation was freed");
    EXPECT_THROW(static_cast<void>(first->data()), LogicError);
    EXPECT_EQ(pool.held_blocks(), 1u);
    EXPECT_EQ(pool.allocate(1001)->data(), memory);
    pool.free_held();
    EXPECT_EQ(pool.managed_bytes(), 0u);
}

TEST_F(HostMemoryPoolTest, MemoryIsPageLockedWithTheFlagsAsked) {
    if (!Device(0).get_attribute(DeviceAttribute::CAN_MAP_HOST_MEMORY))
        GTEST_SKIP() << "the device maps no host memory";
    PageLockedMemoryPool pool(static_cast<unsigned>(HostAllocFlags::DEVICEMAP));
    const auto memory = pool.allocate(64);
    memset_d8(memory->get_device_pointer(), 4, 64);
    Context::synchronize();
    EXPECT_EQ(static_cast<unsigned char*>(memory->data())[63], 4);
}

TEST_F(HostMemoryPoolTest, EndsWithItsContext) {
    testing::internal::CaptureStderr();
    PageLockedMemoryPool pool;
    const auto memory = pool.allocate(64);
    pool.allocate(4096)->free();
    context->detach();
    EXPECT_HAS(message_of<LogicError>([&] { static_cast<void>(memory->data()); }), "belongs to a context that is gone");
    EXPECT_EQ(pool.held_blocks(), 0u);
    memory->free();
    EXPECT_EQ(pool.managed_bytes(), 0u);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(HostMemoryPoolTest, TheContextEndsAfterAnAllocationThatWaitsForWork) {
    Gate gate;
    const auto victim = Device(0).make_context();
    const Stream stream;
    gate.hold(stream);
    PageLockedMemoryPool pool;
    std::vector<std::unique_ptr<PooledHostAllocation>> blocks;
    for (int n = 0; n < 17; ++n) blocks.push_back(pool.allocate(64));
    blocks.clear();  // 16 blocks that wait for work are enough: the next allocation waits for one of them
    std::thread waiter([&] { EXPECT_NO_THROW(pool.allocate(64)); });
    std::thread opener([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        EXPECT_TRUE(victim->is_valid());
        gate.open = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    victim->detach();
    waiter.join();
    opener.join();
}

TEST_F(HostMemoryPoolTest, TooMuchIsAMemoryError) {
    PageLockedMemoryPool pool;
    EXPECT_HAS(message_of<MemoryError>([&] { pool.allocate(std::size_t{1} << 60); }), "cuMemHostAlloc failed");
    EXPECT_EQ(pool.active_blocks(), 0u);
}

}  // namespace
}  // namespace pycuda::test
