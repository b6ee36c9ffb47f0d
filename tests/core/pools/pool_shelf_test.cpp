// A pool of device memory that several threads use, each with its own shelf.
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "driver/driver_table.hpp"
#include "gate.hpp"
#include "pycuda/memory/memcpy.hpp"
#include "pycuda/pools/memory_pool.hpp"
#include "pycuda/streams/event.hpp"
#include "pycuda/streams/stream.hpp"
#include "support.hpp"

namespace pycuda::test {
namespace {

class PoolShelfTest : public ContextTest {
protected:
    void SetUp() override {
        ContextTest::SetUp();
        handle = std::make_unique<DeviceMemoryPool>();
        pool = handle->pool();
        probe = std::make_unique<DeviceMemoryPool>();
    }
    void TearDown() override {
        handle.reset();
        probe.reset();
        ContextTest::TearDown();
    }
    /// The number of this thread's shelves.
    unsigned shelf() const {
        PoolBlock block = probe->pool()->take(1);
        probe->pool()->give(block);
        return block.shelf;
    }
    /// Runs `work` to its end, with the context current, in a thread that uses other shelves than this one.
    template <class Work>
    void elsewhere(const Work& work) {
        const unsigned mine = shelf();
        bool done = false;
        while (!done)
            std::thread([&] {
                context->push();
                if (shelf() != mine) {
                    work();
                    done = true;
                }
                Context::pop();
            }).join();
    }
    PoolBlock take_elsewhere(std::size_t bytes, CUstream stream = nullptr) {
        PoolBlock block;
        elsewhere([&] { block = pool->take(bytes, stream); });
        return block;
    }
    void expect_counts(std::size_t held, std::size_t active, std::size_t managed, std::size_t used) const {
        const PoolCounts now = pool->counts();
        EXPECT_EQ(now.held_blocks, held);
        EXPECT_EQ(now.active_blocks, active);
        EXPECT_EQ(now.managed_bytes, managed);
        EXPECT_EQ(now.active_bytes, used);
    }

    std::unique_ptr<DeviceMemoryPool> handle, probe;
    std::shared_ptr<MemoryPool> pool;
};

TEST_F(PoolShelfTest, BlocksGoBackToWhereTheyWereTaken) {
    PoolBlock here = pool->take(64), there = take_elsewhere(64);
    EXPECT_NE(here.shelf, there.shelf);
    const std::uint64_t address = here.address;
    elsewhere([&] { pool->give(here); });
    ASSERT_TRUE(pool->try_take(64, nullptr, here)) << "without a look at other shelves";
    EXPECT_EQ(here.address, address);
    pool->give(here);
    pool->give(there);
    EXPECT_FALSE(pool->try_take(100'000, nullptr, here));
}

TEST_F(PoolShelfTest, WhatAnotherThreadHoldsIsTakenBeforeTheDriverIsAsked) {
    PoolBlock block = take_elsewhere(1000);
    const std::uint64_t address = block.address;
    const std::size_t size = MemoryPool::alloc_size(block.bin);
    expect_counts(0, 1, size, 1000);
    pool->give(block);
    expect_counts(1, 0, size, 0);
    PoolBlock mine = pool->take(1010);
    EXPECT_EQ(mine.address, address);
    EXPECT_NE(mine.shelf, block.shelf) << "it is this thread's from now on";
    expect_counts(0, 1, size, 1010);
    pool->give(mine);
    ASSERT_TRUE(pool->try_take(1000, nullptr, mine));
    EXPECT_EQ(mine.address, address);
    pool->give(mine);
    expect_counts(1, 0, size, 0);
}

TEST_F(PoolShelfTest, OfOtherShelvesABlockThatNeedsNoWaitIsPreferred) {
    const Stream first(CU_STREAM_NON_BLOCKING), second(CU_STREAM_NON_BLOCKING);
    PoolBlock of_first = take_elsewhere(64), of_second = take_elsewhere(64);
    EXPECT_NE(of_first.shelf, of_second.shelf);
    pool->note_use(of_first, first.handle());
    pool->note_use(of_second, second.handle());
    const std::uint64_t wanted = of_second.address;
    pool->give(of_first);
    pool->give(of_second);
    PoolBlock block = pool->take(64, second.handle());
    EXPECT_EQ(block.address, wanted);
    pool->give(block);
}

TEST_F(PoolShelfTest, WorkOfTheThreadThatHadItComesFirst) {
    const Stream first(CU_STREAM_NON_BLOCKING), second(CU_STREAM_NON_BLOCKING);
    Gate gate(first);
    PoolBlock block = take_elsewhere(64, first.handle());
    pool->note_use(block, first.handle());
    pool->give(block);
    PoolBlock next = pool->take(64, second.handle());
    ASSERT_EQ(next.address, block.address);
    pool->note_use(next, second.handle());
    Event used(CU_EVENT_DISABLE_TIMING);
    used.record(&second);
    EXPECT_FALSE(used.query()) << "while the first holder's stream is busy";
    gate.open = true;
    used.synchronize();
    pool->give(next);
}

TEST_F(PoolShelfTest, UsesOnManyStreamsAreNotedOnce) {
    const Stream first(CU_STREAM_NON_BLOCKING), second(CU_STREAM_NON_BLOCKING), third(CU_STREAM_NON_BLOCKING);
    PoolBlock block = pool->take(64);
    for (const Stream* stream : {&first, &second, &third, &first}) pool->note_use(block, stream->handle());
    EXPECT_TRUE(block.last_use.is_many());
    Gate gate(third);
    pool->give(block);
    block = pool->take(64, first.handle());
    pool->note_use(block, first.handle());
    Event used(CU_EVENT_DISABLE_TIMING);
    used.record(&first);
    EXPECT_FALSE(used.query()) << "the third stream may still use it";
    gate.open = true;
    used.synchronize();
    pool->give(block);
}

TEST_F(PoolShelfTest, ThePreviousHoldersStreamIsAskedForUntilItsWorkIsOver) {
    const Stream previous(CU_STREAM_NON_BLOCKING), first(CU_STREAM_NON_BLOCKING), second(CU_STREAM_NON_BLOCKING);
    PoolBlock block = pool->take(64);
    {
        Gate gate(previous);
        pool->note_use(block, previous.handle());
        pool->give(block);
        block = pool->take(64, first.handle());
        pool->note_use(block, first.handle());
        EXPECT_TRUE(block.before.is(previous.handle())) << "the second stream has to wait, too";
        gate.open = true;
        previous.synchronize();
    }
    pool->note_use(block, second.handle());
    EXPECT_TRUE(block.before.is_none());
    EXPECT_TRUE(block.last_use.is_many());
    pool->give(block);
}

TEST_F(PoolShelfTest, AllShelvesAreFreed) {
    static_cast<void>(shelf());
    const long before = live_handles("pooled memory");
    for (const std::size_t bytes : {64, 1 << 20, 4096, 1 << 20}) {
        PoolBlock block = take_elsewhere(bytes), other = take_elsewhere(bytes);
        pool->give(block);
        pool->give(other);
    }
    EXPECT_EQ(pool->held_blocks(), 6u) << "the fourth pair was the second";
    pool->free_held();
    expect_counts(0, 0, 0, 0);
    EXPECT_EQ(live_handles("pooled memory"), before);
    PoolBlock late = take_elsewhere(64);
    pool->stop_holding();
    pool->give(late);
    expect_counts(0, 0, 0, 0);
    EXPECT_EQ(live_handles("pooled memory"), before);
}

TEST_F(PoolShelfTest, TheEndOfTheContextEmptiesAllShelves) {
    PoolBlock held = take_elsewhere(64), active = take_elsewhere(4096);
    pool->give(held);
    probe.reset();
    context->detach();
    expect_counts(0, 1, MemoryPool::alloc_size(active.bin), 4096);
    pool->give(active);
    expect_counts(0, 0, 0, 0);
    EXPECT_EQ(live_handles("pooled memory"), 0);
}

TEST_F(PoolShelfTest, ABlockOfAnotherThreadKeepsTheContextAlive) {
    const std::weak_ptr<Context> weak = context;
    PoolBlock here = pool->take(64), there = take_elsewhere(64);
    handle.reset();
    probe.reset();
    Context::pop();
    context.reset();
    pool->give(here);
    EXPECT_FALSE(weak.expired());
    pool->give(there);
    EXPECT_TRUE(weak.expired());
    EXPECT_FALSE(pool->is_alive());
}

/// More threads than there are shelves take, use, hand over and give back, while others count and free.
TEST_F(PoolShelfTest, ManyThreadsHandBlocksOver) {
    constexpr unsigned threads = 40;
    constexpr int rounds = 300;
    std::vector<std::atomic<PoolBlock*>> places(8);
    std::atomic<unsigned> running{threads};
    const auto work = [&](unsigned number) {
        context->push();
        {
            const Stream stream(CU_STREAM_NON_BLOCKING);
            for (int round = 0; round < rounds; ++round) {
                const std::size_t bytes = std::size_t{64} << (number + static_cast<unsigned>(round)) % 4;
                auto block = std::make_unique<PoolBlock>(pool->take(bytes, stream.handle()));
                pool->note_use(*block, stream.handle());
                block.reset(places[static_cast<unsigned>(round) % places.size()].exchange(block.release()));
                if (block) pool->give(*block);
            }
        }
        Context::pop();
        --running;
    };
    std::vector<std::thread> all;
    for (unsigned number = 0; number < threads; ++number) all.emplace_back(work, number);
    while (running != 0) {
        const PoolCounts now = pool->counts();
        EXPECT_LE(now.active_blocks, threads + places.size());
        EXPECT_LE(now.active_bytes, now.managed_bytes);
        handle->free_held();
    }
    for (std::thread& thread : all) thread.join();
    for (auto& place : places)
        if (const std::unique_ptr<PoolBlock> left(place.exchange(nullptr)); left) pool->give(*left);
    EXPECT_EQ(pool->active_blocks(), 0u);
    pool->free_held();
    expect_counts(0, 0, 0, 0);
}

}  // namespace
}  // namespace pycuda::test
