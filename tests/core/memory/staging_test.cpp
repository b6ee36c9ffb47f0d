#include "pycuda/memory/staging.hpp"

#include <atomic>
#include <chrono>
#include <numeric>
#include <thread>

#include "driver/driver_table.hpp"
#include "gate.hpp"
#include "known_memory/page_locked.hpp"
#include "pycuda/memory/host_memory.hpp"
#include "pycuda/memory/memcpy.hpp"
#include "pycuda/streams/stream.hpp"
#include "streams/staging_pool.hpp"
#include "support.hpp"

namespace pycuda::test {
namespace {

using StagingTest = ContextTest;

std::vector<int> counting(std::size_t n) {
    std::vector<int> values(n);
    std::iota(values.begin(), values.end(), 1);
    return values;
}

TEST_F(StagingTest, ThereAndBackInAllSizes) {
    const Stream stream;
    for (const std::size_t n : {1u, 100u, 20000u, 5000000u}) {
        const std::vector<int> sent = counting(n);
        std::vector<int> received(n);
        DeviceAllocation memory(n * 4);
        staged_htod(memory.pointer(), sent.data(), n * 4, stream);
        staged_dtoh(received.data(), n * 4, memory.pointer(), stream, nullptr);
        stream.synchronize();
        EXPECT_EQ(received, sent) << n;
    }
}

TEST_F(StagingTest, NothingToCopyIsNothing) {
    const Stream stream;
    staged_htod(0, nullptr, 0, stream);
    staged_dtoh(nullptr, 0, 0, stream, nullptr);
    stream.synchronize();
}

TEST_F(StagingTest, SourceMayChangeAtOnce) {
    const Stream stream;
    Gate gate;
    gate.hold(stream);
    std::vector<int> source = counting(100);
    DeviceAllocation memory(400);
    staged_htod(memory.pointer(), source.data(), 400, stream);
    EXPECT_FALSE(stream.is_done()) << "the copy waits on the stream, the caller does not";
    std::fill(source.begin(), source.end(), -1);
    gate.open = true;
    stream.synchronize();
    std::vector<int> received(100);
    memcpy_dtoh(received.data(), 400, memory.pointer());
    EXPECT_EQ(received, counting(100));
}

TEST_F(StagingTest, DestinationIsKeptAliveUntilWritten) {
    const Stream stream;
    Gate gate;
    gate.hold(stream);
    DeviceAllocation memory(400);
    const std::vector<int> sent = counting(100);
    staged_htod(memory.pointer(), sent.data(), 400, stream);
    auto destination = std::make_shared<std::vector<int>>(100, 0);
    const std::weak_ptr<std::vector<int>> weak = destination;
    staged_dtoh(destination->data(), 400, memory.pointer(), stream, destination);
    destination.reset();
    EXPECT_FALSE(weak.expired());
    gate.open = true;
    stream.synchronize();
    EXPECT_TRUE(soon([&] { return weak.expired(); }));
}

TEST_F(StagingTest, WhatKeepsAliveMayCallTheDriver) {
    const Stream stream;
    std::atomic<bool> released{false};
    auto dependent = std::shared_ptr<DeviceAllocation>(new DeviceAllocation(16), [&](DeviceAllocation* memory) {
        delete memory;
        released = true;
    });
    int word = 0;
    staged_dtoh(&word, 4, dependent->pointer(), stream, dependent);
    dependent.reset();
    stream.synchronize();
    EXPECT_TRUE(soon([&] { return released.load(); }));
    EXPECT_EQ(live_handles("device allocation"), 0);
}

TEST_F(StagingTest, WaitingInADestructorDoesNotStopTheStream) {
    // As a language's lock that the synchronizing thread holds would.
    const Stream stream;
    DeviceAllocation memory(16);
    std::mutex lock;
    std::atomic<bool> released{false};
    int word = 0;
    {
        const std::lock_guard held(lock);
        staged_dtoh(&word, 4, memory.pointer(), stream, std::shared_ptr<void>(nullptr, [&](void*) {
            {
                const std::lock_guard wait(lock);
            }
            released = true;
        }));
        stream.synchronize();
        EXPECT_FALSE(released);
    }
    EXPECT_TRUE(soon([&] { return released.load(); }));
}

TEST_F(StagingTest, BlocksAreReusedOnceTheDeviceIsDone) {
    const Stream stream;
    const auto pool = context->attachment<StagingPool>();
    Gate gate;
    gate.hold(stream);
    StagingBlock* first = pool->take(400);
    pool->give_back_after(first, stream.handle());
    StagingBlock* second = pool->take(400);
    EXPECT_NE(second, first) << "the device still has it";
    pool->give_back(second);
    gate.open = true;
    stream.synchronize();
    StagingBlock* third = pool->take(400);
    StagingBlock* fourth = pool->take(400);
    EXPECT_TRUE((third == first && fourth == second) || (third == second && fourth == first));
    pool->give_back(third);
    pool->give_back(fourth);
}

TEST_F(StagingTest, BlocksAreReusedBehindManyOfASlowStream) {
    const Stream slow, fast;
    const auto pool = context->attachment<StagingPool>();
    Gate gate;
    gate.hold(slow);
    for (int n = 0; n < 20; ++n) pool->give_back_after(pool->take(400), slow.handle());
    StagingBlock* const done = pool->take(400);
    pool->give_back_after(done, fast.handle());
    fast.synchronize();
    StagingBlock* const again = pool->take(400);
    EXPECT_EQ(again, done);
    pool->give_back(again);
    gate.open = true;
    slow.synchronize();
}

TEST_F(StagingTest, ManyCopiesUnderWayKeepTheirData) {
    const Stream stream;
    Gate gate;
    gate.hold(stream);
    constexpr int copies = 50;
    DeviceAllocation memory(copies * 4);
    for (int n = 0; n < copies; ++n) staged_htod(memory.pointer() + n * 4u, &n, 4, stream);
    std::vector<int> received(copies);
    for (int n = 0; n < copies; ++n) staged_dtoh(&received[n], 4, memory.pointer() + n * 4u, stream, nullptr);
    gate.open = true;
    stream.synchronize();
    for (int n = 0; n < copies; ++n) EXPECT_EQ(received[n], n);
}

TEST_F(StagingTest, WorksOnAStreamOfAnotherContext) {
    const auto other = Device(0).make_context();
    {
        const Stream stream;
        DeviceAllocation memory(4);
        context->push();
        const int sent = 5;
        int received = 0;
        staged_htod(memory.pointer(), &sent, 4, stream);
        staged_dtoh(&received, 4, memory.pointer(), stream, nullptr);
        stream.synchronize();
        EXPECT_EQ(received, 5);
        EXPECT_EQ(Context::current(), context);
        Context::pop();
    }
    other->detach();
}

TEST_F(StagingTest, WrongAddressIsRefused) {
    const Stream stream;
    int word = 0;
    EXPECT_HAS(message_of<LogicError>([&] { staged_htod(0x10, &word, 4, stream); }), "4 bytes through staging memory");
    EXPECT_THROW(staged_dtoh(&word, 4, 0x10, stream, nullptr), LogicError);
}

TEST_F(StagingTest, ClosedStreamIsRefused) {
    Stream stream;
    stream.close();
    int word = 0;
    EXPECT_EQ(message_of<LogicError>([&] { staged_htod(0x10, &word, 4, stream); }), "stream was closed");
    EXPECT_THROW(staged_dtoh(&word, 4, 0x10, stream, nullptr), LogicError);
}

TEST_F(StagingTest, DetachWaitsForCopiesUnderWay) {
    auto destination = std::make_shared<std::vector<int>>(100, 0);
    const std::weak_ptr<std::vector<int>> weak = destination;
    Stream stream;
    Gate gate;
    gate.hold(stream);
    DeviceAllocation memory(400);
    const std::vector<int> sent = counting(100);
    staged_htod(memory.pointer(), sent.data(), 400, stream);
    staged_dtoh(destination->data(), 400, memory.pointer(), stream, destination);
    std::thread opener([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        EXPECT_EQ(destination->front(), 0) << "the copies are still behind the gate";
        gate.open = true;
    });
    context->detach();
    EXPECT_EQ(*destination, sent);
    opener.join();
    destination.reset();
    EXPECT_TRUE(soon([&] { return weak.expired(); }));
}

TEST_F(StagingTest, PinsNoMoreThanItsBound) {
    constexpr std::size_t nbytes = 3 * StagingPool::max_pinned_bytes;
    const Stream stream;
    Gate gate;
    gate.hold(stream);
    std::vector<char> sent(nbytes, 'a'), received(nbytes);
    DeviceAllocation memory(nbytes);
    std::atomic<int> returned{0};
    std::thread copier([&] {
        const ContextScope scope(*context);
        staged_htod(memory.pointer(), sent.data(), nbytes, stream);
        ++returned;
        staged_dtoh(received.data(), nbytes, memory.pointer(), stream, nullptr);
        ++returned;
    });
    const auto pool = context->attachment<StagingPool>();
    EXPECT_TRUE(soon([&] { return pool->pinned_bytes() == StagingPool::max_pinned_bytes; }));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(returned, 0) << "what does not fit waits";
    gate.open = true;
    copier.join();
    stream.synchronize();
    EXPECT_LE(pool->pinned_bytes(), StagingPool::max_pinned_bytes);
    EXPECT_EQ(received, sent);
}

TEST_F(StagingTest, SmallCopiesPinNoMoreThanTheBound) {
    constexpr int copies = 2000;  // of which each pins 64 KiB while it is under way: more than the bound
    const Stream stream;
    Gate gate;
    gate.hold(stream);
    DeviceAllocation memory(4);
    std::atomic<int> queued{0};
    std::thread copier([&] {
        const ContextScope scope(*context);
        for (int n = 0; n < copies; ++n, ++queued) staged_htod(memory.pointer(), &n, 4, stream);
    });
    // Until the bound, or the driver's queue, holds it up.
    for (int before = -1; queued == 0 || queued != before;) {
        before = queued;
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    EXPECT_LT(queued, copies);
    gate.open = true;
    copier.join();
    EXPECT_LE(context->attachment<StagingPool>()->pinned_bytes(), StagingPool::max_pinned_bytes);
    int last = 0;
    memcpy_dtoh(&last, 4, memory.pointer());
    EXPECT_EQ(last, copies - 1);
}

TEST_F(StagingTest, KeepingAliveNeedsNoPageLockedMemory) {
    const Stream stream;
    Gate gate;
    gate.hold(stream);
    auto kept = std::make_shared<int>(1);
    const std::weak_ptr<int> weak = kept;
    staged_dtoh(nullptr, 0, 0, stream, std::move(kept));
    EXPECT_EQ(context->attachment<StagingPool>()->pinned_bytes(), 0u);
    EXPECT_FALSE(weak.expired());
    gate.open = true;
    EXPECT_TRUE(soon([&] { return weak.expired(); }));
}

TEST_F(StagingTest, DetachWaitsForACopyBeingQueued) {
    constexpr std::size_t nbytes = 2 * StagingPool::max_pinned_bytes;
    Gate gate;
    const std::vector<char> sent(nbytes, 'a');
    std::vector<char> received(nbytes);
    const auto victim = Device(0).make_context();
    std::thread copier;
    {
        Stream stream;
        auto memory = std::make_shared<DeviceAllocation>(nbytes);
        memcpy_htod(memory->pointer(), sent.data(), nbytes);
        gate.hold(stream);
        copier = std::thread([&received, memory, taken = std::move(stream)] {
            EXPECT_NO_THROW(staged_dtoh(received.data(), nbytes, memory->pointer(), taken, memory));
        });
    }
    EXPECT_TRUE(soon([&] {
        const auto pool = victim->attachment_if_any<StagingPool>();
        return pool && pool->pinned_bytes() == StagingPool::max_pinned_bytes;
    }));
    std::thread opener([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        EXPECT_TRUE(victim->is_valid());
        gate.open = true;
    });
    victim->detach();
    copier.join();
    opener.join();
    EXPECT_TRUE(received == sent) << "all of it was queued, and copied, before the end";
    EXPECT_TRUE(soon([] { return live_handles("device allocation") == 0; }));
}

TEST_F(StagingTest, ManyThreadsShareThePool) {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([this, t] {
            const ContextScope scope(*context);
            const Stream stream;
            DeviceAllocation memory(4);
            for (int n = 0; n < 100; ++n) {
                const int sent = t * 1000 + n;
                int received = -1;
                staged_htod(memory.pointer(), &sent, 4, stream);
                staged_dtoh(&received, 4, memory.pointer(), stream, nullptr);
                stream.synchronize();
                ASSERT_EQ(received, sent);
            }
        });
    for (std::thread& thread : threads) thread.join();
}

TEST_F(StagingTest, PageLockedMemoryIsKnown) {
    std::vector<char> pageable(1 << 20);
    EXPECT_FALSE(is_page_locked(pageable.data(), pageable.size()));
    EXPECT_FALSE(is_page_locked(pageable.data(), 0));
    const PagelockedHostAllocation locked(4096, 0);
    EXPECT_TRUE(is_page_locked(locked.data(), locked.size()));
    EXPECT_TRUE(is_page_locked(static_cast<const char*>(locked.data()) + 100, 1));
    EXPECT_FALSE(is_page_locked(locked.data(), 0));
    const ManagedAllocation managed(4096, CU_MEM_ATTACH_GLOBAL);
    EXPECT_TRUE(is_page_locked(reinterpret_cast<const void*>(managed.pointer()), managed.size()));
    const AlignedHostAllocation aligned(3 * 4096, 4096);
    auto* const start = static_cast<char*>(aligned.data());
    {
        const RegisteredHostMemory registered(start, 4096, 0);
        EXPECT_TRUE(is_page_locked(start, 4096));
        EXPECT_FALSE(is_page_locked(start, 2 * 4096)) << "the rest is pageable";
    }
    EXPECT_FALSE(is_page_locked(start, 4096));
}

TEST_F(StagingTest, PageLockedMemoryIsKnownWithoutTheDriver) {
    auto locked = std::make_unique<PagelockedHostAllocation>(4096, 0);
    auto* const start = static_cast<char*>(locked->data());
    EXPECT_TRUE(is_known_page_locked(start, 4096));
    EXPECT_TRUE(is_known_page_locked(start + 4095, 1));
    EXPECT_FALSE(is_known_page_locked(start + 4095, 2));
    EXPECT_FALSE(is_known_page_locked(start - 1, 1));
    locked.reset();
    EXPECT_FALSE(is_known_page_locked(start, 1));
    const auto other = Device(0).make_context();
    const PagelockedHostAllocation of_other(4096, 0);
    auto* const lost = static_cast<char*>(of_other.data());
    EXPECT_TRUE(is_known_page_locked(lost, 1));
    other->detach();
    EXPECT_FALSE(is_known_page_locked(lost, 1)) << "the driver has freed it";
}

}  // namespace
}  // namespace pycuda::test
