// Threads that take, use, hand over and give back blocks of one pool, each on streams of its own, while others free
// what the pool holds and the context ends: for ThreadSanitizer (the preset tsan) above all.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "gate.hpp"
#include "pycuda/memory/memcpy.hpp"
#include "pycuda/pools/host_memory_pool.hpp"
#include "pycuda/pools/memory_pool.hpp"
#include "pycuda/streams/stream.hpp"
#include "support.hpp"

namespace pycuda::test {
namespace {

constexpr unsigned workers = 8;
constexpr unsigned rounds_before_the_end = 400;  // of all workers

struct GiveBack {
    std::shared_ptr<MemoryPool> pool;
    void operator()(PoolBlock* block) const noexcept {
        pool->give(*block);
        delete block;
    }
};
using Taken = std::unique_ptr<PoolBlock, GiveBack>;

class PoolStress : public ContextTest {
protected:
    /// Calls of many threads on the pool, until `victim` has ended under them.
    void use_to_the_end(const std::shared_ptr<Context>& victim, PoolHandle& handle) {
        pool = handle.pool();
        std::atomic<bool> ended{false};
        std::atomic<unsigned> ready{0}, rounds{0};
        std::vector<std::thread> threads;
        for (unsigned number = 0; number < workers; ++number)
            threads.emplace_back([&, number] { work(victim, number, ready, rounds); });
        threads.emplace_back([&] {
            while (!ended) {
                const PoolCounts now = pool->counts();
                EXPECT_LE(now.active_bytes, now.managed_bytes);
                EXPECT_LE(now.active_blocks, workers + places.size());
                handle.free_held();
            }
        });
        threads.emplace_back([&] {
            for (; !ended; std::this_thread::yield()) {
                pool->hold();
                pool->release_hold();
            }
        });
        while (ready < workers || rounds < rounds_before_the_end) std::this_thread::yield();
        victim->detach();
        for (unsigned number = 0; number < workers; ++number) threads[number].join();
        ended = true;
        for (std::size_t n = workers; n < threads.size(); ++n) threads[n].join();
        EXPECT_LE(pool->active_blocks(), places.size());
        for (std::atomic<PoolBlock*>& place : places) owned(place.exchange(nullptr));
        const PoolCounts now = pool->counts();
        EXPECT_EQ(now.held_blocks + now.active_blocks + now.managed_bytes + now.active_bytes, 0u);
        EXPECT_EQ(live_handles("pooled memory"), 0);
    }

private:
    Taken owned(PoolBlock* block) const { return Taken(block, {pool}); }

    void work(const std::shared_ptr<Context>& victim, unsigned number, std::atomic<unsigned>& ready,
              std::atomic<unsigned>& rounds) {
        try {
            const ContextScope scope(*victim);
            const Stream own(CU_STREAM_NON_BLOCKING), other;
            ++ready;  // the program must not end a context in which it creates a stream
            for (unsigned round = 0;; ++round) {
                const std::size_t bytes = std::size_t{64} << (number + round) % 4;
                const Stream &first = round % 3 ? own : other, &second = round % 3 ? other : own;
                Taken block = owned(new PoolBlock(pool->take(bytes, first.handle())));
                {
                    const ContextHold hold(victim);  // memory is gone when the context is
                    pool->note_use(*block, first.handle());
                    if (round % 5 == 0) pool->note_use(*block, second.handle());
                    if (round % 7 == 0) pool->escape(*block);
                    write_and_read(*block, static_cast<std::uint8_t>(number + 1), first);
                }
                // The next thread gives back what this one has used.
                block = owned(places[round % places.size()].exchange(block.release()));
                ++rounds;
            }
        } catch (const LogicError&) {  // the context has ended
        }
    }

    /// No other thread writes to the block meanwhile.
    void write_and_read(const PoolBlock& block, std::uint8_t value, const Stream& stream) const {
        std::array<std::uint8_t, 512> read{};
        if (pool->is_device_memory()) {
            memset_d8_async(block.address, value, block.bytes, &stream);
            memcpy_dtoh_async(read.data(), block.bytes, block.address, &stream);
            stream.synchronize();
        } else {
            auto* const memory = reinterpret_cast<std::uint8_t*>(block.address);
            std::memset(memory, value, block.bytes);
            std::this_thread::yield();
            std::memcpy(read.data(), memory, block.bytes);
        }
        EXPECT_EQ(std::count(read.begin(), read.end(), value), static_cast<std::ptrdiff_t>(block.bytes));
    }

    std::shared_ptr<MemoryPool> pool;
    std::array<std::atomic<PoolBlock*>, 4> places{};
};

TEST_F(PoolStress, OfDeviceMemoryUntilTheContextEnds) {
    for (int round = 0; round < 5; ++round) {
        const auto victim = Device(0).make_context();
        DeviceMemoryPool handle;
        use_to_the_end(victim, handle);
    }
}

TEST_F(PoolStress, OfPageLockedMemoryUntilTheContextEnds) {
    for (int round = 0; round < 5; ++round) {
        const auto victim = Device(0).make_context();
        PageLockedMemoryPool handle;
        use_to_the_end(victim, handle);
    }
}

/// Holders of blocks need no reference to the pool: the last block ends it, and the context, on whichever thread.
TEST_F(PoolStress, TheLastBlockEndsThePoolWhileOthersAreGivenBack) {
    const int rounds = driver_info().is_cpu_device ? 200 : 10;  // a GPU's driver takes seconds for a context
    for (int round = 0; round < rounds; ++round) {
        auto victim = Device(0).make_context();
        auto handle = std::make_unique<DeviceMemoryPool>();
        MemoryPool& ending = *handle->pool();
        std::array<PoolBlock, workers> blocks;
        for (PoolBlock& block : blocks) block = ending.take(64);
        handle.reset();
        Context::pop();
        victim.reset();
        Start begin(workers);
        std::vector<std::thread> threads;
        for (PoolBlock& block : blocks)
            threads.emplace_back([&] {
                begin.arrive_and_wait();
                ending.give(block);
            });
        for (std::thread& thread : threads) thread.join();
        EXPECT_EQ(live_handles("pooled memory"), 0);
        EXPECT_EQ(live_handles("context"), 1) << "the test's own";
    }
}

}  // namespace
}  // namespace pycuda::test
