#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "driver/driver_table.hpp"
#include "gate.hpp"
#include "pycuda/memory/memcpy.hpp"
#include "pycuda/pools/host_memory_pool.hpp"
#include "pycuda/pools/memory_pool.hpp"
#include "pycuda/streams/event.hpp"
#include "pycuda/streams/stream.hpp"
#include "support.hpp"

namespace pycuda::test {
namespace {

using MemoryPoolStreamsTest = ContextTest;
using std::chrono::milliseconds;

/// A stream of another library, unknown to the pool.
struct ForeignStream {
    CUstream handle = nullptr;
    ForeignStream() { driver().cuStreamCreate(&handle, CU_STREAM_NON_BLOCKING); }
    ~ForeignStream() { driver().cuStreamDestroy(handle); }
    ForeignStream(const ForeignStream&) = delete;
};

/// Streams of every kind, two of most: one that uses a block, one that uses it next.
struct Streams {
    Stream blocking, other_blocking;
    Stream non_blocking{CU_STREAM_NON_BLOCKING}, other_non_blocking{CU_STREAM_NON_BLOCKING};
    ForeignStream foreign, other_foreign;
    Stream known_foreign = Stream::from_handle(foreign.handle);
    Stream per_thread = Stream::from_handle(CU_STREAM_PER_THREAD);
    Gate gate;
};

using Memory = std::unique_ptr<PooledDeviceAllocation>;

/// A holder's use of a block: its work is held back by the gate.
struct Use {
    const char* name;
    std::function<void(Streams&, PooledDeviceAllocation&)> use;
};

const Use uses[] = {
    {"noted on a blocking stream",
     [](Streams& s, PooledDeviceAllocation& memory) {
         s.gate.hold(s.blocking);
         memory.pointer_for(s.blocking.handle());
     }},
    {"noted on a non-blocking stream",
     [](Streams& s, PooledDeviceAllocation& memory) {
         s.gate.hold(s.non_blocking);
         memory.pointer_for(s.non_blocking.handle());
     }},
    {"noted on the thread's default stream",
     [](Streams& s, PooledDeviceAllocation& memory) {
         s.gate.hold(s.per_thread);
         memory.pointer_for(s.per_thread.handle());
     }},
    {"noted on a foreign stream",
     [](Streams& s, PooledDeviceAllocation& memory) {
         s.gate.hold(s.known_foreign);
         memory.pointer_for(s.foreign.handle);
     }},
    {"noted on two streams, the last of which is busy",
     [](Streams& s, PooledDeviceAllocation& memory) {
         memory.pointer_for(s.other_non_blocking.handle());
         s.gate.hold(s.non_blocking);
         memory.pointer_for(s.non_blocking.handle());
     }},
    {"noted on two streams, the first of which is busy",
     [](Streams& s, PooledDeviceAllocation& memory) {
         s.gate.hold(s.non_blocking);
         memory.pointer_for(s.non_blocking.handle());
         memory.pointer_for(s.other_non_blocking.handle());
     }},
    {"known by its address, used on a non-blocking stream",
     [](Streams& s, PooledDeviceAllocation& memory) {
         static_cast<void>(memory.pointer());
         s.gate.hold(s.non_blocking);
     }},
    {"known by its address, used on a foreign stream",
     [](Streams& s, PooledDeviceAllocation& memory) {
         static_cast<void>(memory.pointer());
         s.gate.hold(s.known_foreign);
     }},
    {"used, and not known by its address before its last use was noted",
     [](Streams& s, PooledDeviceAllocation& memory) {
         s.gate.hold(s.non_blocking);
         memory.pointer_for(s.other_non_blocking.handle());
         static_cast<void>(memory.pointer());
     }},
};

/// The next holder's use, and the streams that must then wait for the last holder's work.
struct Next {
    const char* name;
    std::function<std::vector<CUstream>(Streams&, PooledDeviceAllocation&)> use;
};

std::vector<CUstream> noted(PooledDeviceAllocation& memory, std::vector<CUstream> streams) {
    for (CUstream stream : streams) memory.pointer_for(stream);
    return streams;
}

std::vector<CUstream> all_after_address(Streams& s, PooledDeviceAllocation& memory) {
    static_cast<void>(memory.pointer());
    return {nullptr, s.other_non_blocking.handle(), s.other_blocking.handle(), s.other_foreign.handle,
            CU_STREAM_PER_THREAD};
}

const Next nexts[] = {
    {"blocking", [](Streams& s, PooledDeviceAllocation& memory) { return noted(memory, {s.other_blocking.handle()}); }},
    {"default", [](Streams&, PooledDeviceAllocation& memory) { return noted(memory, {nullptr}); }},
    {"legacy handle", [](Streams&, PooledDeviceAllocation& memory) { return noted(memory, {CU_STREAM_LEGACY}); }},
    {"non-blocking",
     [](Streams& s, PooledDeviceAllocation& memory) { return noted(memory, {s.other_non_blocking.handle()}); }},
    {"the thread's", [](Streams&, PooledDeviceAllocation& memory) { return noted(memory, {CU_STREAM_PER_THREAD}); }},
    {"foreign", [](Streams& s, PooledDeviceAllocation& memory) { return noted(memory, {s.other_foreign.handle}); }},
    {"several",
     [](Streams& s, PooledDeviceAllocation& memory) {
         return noted(memory, {s.other_non_blocking.handle(), s.other_blocking.handle(), s.other_foreign.handle});
     }},
    {"by its address", [](Streams& s, PooledDeviceAllocation& memory) { return all_after_address(s, memory); }},
    {"foreign, then by its address",
     [](Streams& s, PooledDeviceAllocation& memory) {
         memory.pointer_for(s.other_foreign.handle);
         return all_after_address(s, memory);
     }},
};

/// How the block comes from one holder to the next.
struct Handover {
    const char* name;
    std::function<Memory(Streams&, DeviceMemoryPool&)> take;
};

const Handover handovers[] = {
    {"allocate()", [](Streams&, DeviceMemoryPool& pool) { return pool.allocate(64); }},
    {"allocate(stream)", [](Streams& s, DeviceMemoryPool& pool) { return pool.allocate(64, &s.other_non_blocking); }},
    {"allocate() without a use",
     [](Streams& s, DeviceMemoryPool& pool) {
         pool.allocate(64, &s.other_non_blocking)->free();
         return pool.allocate(64);
     }},
};

/// Events behind the next holder's work; none is reached before the gate is open.
void expect_order(const Use& use, const Handover& handover, const Next& next) {
    SCOPED_TRACE(std::string(use.name) + "; " + handover.name + "; then " + next.name);
    Streams streams;
    DeviceMemoryPool pool;
    Memory memory = pool.allocate(64);
    const DevicePtr address = memory->address();
    use.use(streams, *memory);
    memory.reset();
    memory = handover.take(streams, pool);
    ASSERT_EQ(memory->address(), address);
    std::vector<CUevent> reached;
    for (CUstream stream : next.use(streams, *memory)) {
        driver().cuEventCreate(&reached.emplace_back(), CU_EVENT_DISABLE_TIMING);
        driver().cuEventRecord(reached.back(), stream);
    }
    std::this_thread::sleep_for(milliseconds(2));
    for (CUevent event : reached) EXPECT_EQ(driver().cuEventQuery.try_call(event), CUDA_ERROR_NOT_READY);
    streams.gate.open = true;
    for (CUevent event : reached) {
        driver().cuEventSynchronize(event);
        driver().cuEventDestroy(event);
    }
}

TEST_F(MemoryPoolStreamsTest, TheNextHolderComesAfterTheLastInEveryWay) {
    for (const Use& use : uses)
        for (const Handover& handover : handovers)
            for (const Next& next : nexts) expect_order(use, handover, next);
}

TEST_F(MemoryPoolStreamsTest, StreamsMadeAfterAnAddressLeftWaitToo) {
    DeviceMemoryPool pool;
    const Stream user(CU_STREAM_NON_BLOCKING);
    Gate gate(user);
    Memory memory = pool.allocate(64);
    memory->pointer_for(user.handle());
    memory.reset();
    memory = pool.allocate(64);
    static_cast<void>(memory->pointer());
    const Stream made_later(CU_STREAM_NON_BLOCKING);
    Event reached(CU_EVENT_DISABLE_TIMING);
    reached.record(&made_later);
    std::this_thread::sleep_for(milliseconds(5));
    EXPECT_FALSE(reached.query());
    gate.open = true;
    reached.synchronize();
}

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
    EXPECT_TRUE(block.last_use.is(stream.handle())) << "nothing is left to do at its use";
    pool.pool()->give(block);
    gate.open = true;
    stream.synchronize();
}

TEST_F(MemoryPoolStreamsTest, StreamsThatDoNotUseTheBlockDoNotWait) {
    DeviceMemoryPool pool;
    const Stream first(CU_STREAM_NON_BLOCKING), second(CU_STREAM_NON_BLOCKING), third(CU_STREAM_NON_BLOCKING);
    Gate gate(first);
    auto memory = pool.allocate(64, &first);
    memory->pointer_for(first.handle());
    memory.reset();
    memory = pool.allocate(64, &second);  // requesting a block does not count as use
    Event of_second(CU_EVENT_DISABLE_TIMING), of_third(CU_EVENT_DISABLE_TIMING);
    of_second.record(&second);
    memory->pointer_for(first.handle());
    of_third.record(&third);
    EXPECT_TRUE(soon([&] { return of_second.query() && of_third.query(); }));
    gate.open = true;
}

TEST_F(MemoryPoolStreamsTest, BlockOfTheSameStreamIsPreferred) {
    DeviceMemoryPool pool;
    const Stream first(CU_STREAM_NON_BLOCKING), second(CU_STREAM_NON_BLOCKING);
    auto a = pool.allocate(64), b = pool.allocate(64);
    const DevicePtr of_first = a->pointer_for(first.handle()), of_second = b->pointer_for(second.handle());
    a.reset();
    b.reset();
    EXPECT_EQ(pool.allocate(64, &first)->address(), of_first);
    EXPECT_EQ(pool.allocate(64, &second)->address(), of_second);
}

TEST_F(MemoryPoolStreamsTest, BlocksWhoseWorkIsOverNeedNoWait) {
    DeviceMemoryPool pool;
    const Stream user(CU_STREAM_NON_BLOCKING), busy(CU_STREAM_NON_BLOCKING);
    auto memory = pool.allocate(64);
    static_cast<void>(memory->pointer());
    memory.reset();
    pool.allocate(64)->pointer_for(user.handle());  // polls the context's progress, and ends the epoch
    Context::synchronize();
    Gate gate(busy);
    memory = pool.allocate(64);
    memory->pointer_for(nullptr);
    Event reached(CU_EVENT_DISABLE_TIMING);
    reached.record();
    EXPECT_TRUE(soon([&] { return reached.query(); }));
    gate.open = true;
}

TEST_F(MemoryPoolStreamsTest, WorkThatAClosedStreamHasLeftIsWaitedFor) {
    DeviceMemoryPool pool;
    Stream first(CU_STREAM_NON_BLOCKING);
    const Stream second(CU_STREAM_NON_BLOCKING);
    Gate gate(first);
    auto memory = pool.allocate(64, &first);
    memory->pointer_for(first.handle());
    std::thread closer([&] { first.close(); });  // a driver may wait in it
    memory.reset();
    std::this_thread::sleep_for(milliseconds(20));
    memory = pool.allocate(64, &second);
    memory->pointer_for(second.handle());
    Event reached(CU_EVENT_DISABLE_TIMING);
    reached.record(&second);
    std::this_thread::sleep_for(milliseconds(20));
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

TEST_F(MemoryPoolStreamsTest, ManyBlocksThatEscapeNeedFewEvents) {
    DeviceMemoryPool pool;
    const Stream stream(CU_STREAM_NON_BLOCKING);
    Gate gate(stream);
    for (int n = 0; n < 200; ++n) {
        auto memory = pool.allocate(64);
        static_cast<void>(memory->pointer());
        memory->pointer_for(stream.handle());
    }
    EXPECT_EQ(pool.held_blocks(), 1u);
    gate.open = true;
    Context::synchronize();
}

// ---- the host's memory has no streams

TEST_F(MemoryPoolStreamsTest, HostBlocksAreTakenAgainOnceTheirWorkIsOver) {
    PageLockedMemoryPool pool;
    const Stream stream(CU_STREAM_NON_BLOCKING);
    Gate gate(stream);
    auto memory = pool.allocate(64);
    const void* const address = memory->data();
    memory.reset();
    EXPECT_NE(pool.allocate(64)->data(), address) << "a copy may still read it";
    gate.open = true;
    Context::synchronize();
    EXPECT_EQ(pool.allocate(64)->data(), address);
}

TEST_F(MemoryPoolStreamsTest, ManyUnfinishedHostBlocksMakeAnAllocationWait) {
    PageLockedMemoryPool pool;
    const Stream stream(CU_STREAM_NON_BLOCKING);
    Gate gate(stream);
    std::thread opener([&] {
        std::this_thread::sleep_for(milliseconds(20));
        gate.open = true;
    });
    for (int n = 0; n < 100; ++n) static_cast<void>(pool.allocate(64));
    EXPECT_TRUE(gate.open);
    EXPECT_LT(pool.held_blocks(), 20u);
    opener.join();
}

// ---- failures

TEST(MemoryPoolStreamsFaults, AFailedOrderIsTriedAgainAtTheNextUse) {
    if (!can_inject_faults()) GTEST_SKIP() << "needs the CPU device's fault injection";
    for (const char* fault : {"cuEventCreate:1:2", "cuEventRecord:1:1", "cuStreamWaitEvent:1:1"})
        EXPECT_FRESH_PROCESS(
            {
                set_environment("PYCUDA_CPU_FAULTS", fault);
                init();
                const auto context = Device(0).make_context();
                const Stream first(CU_STREAM_NON_BLOCKING);
                const Stream second(CU_STREAM_NON_BLOCKING);
                Gate gate(first);
                DeviceMemoryPool pool;
                pool.allocate(64)->pointer_for(first.handle());
                const auto memory = pool.allocate(64);
                EXPECT_THROW(memory->pointer_for(second.handle()), Error);
                EXPECT_NO_THROW(memory->pointer_for(second.handle()));
                CUevent reached = nullptr;
                driver().cuEventCreate(&reached, CU_EVENT_DISABLE_TIMING);
                driver().cuEventRecord(reached, second.handle());
                EXPECT_EQ(driver().cuEventQuery.try_call(reached), CUDA_ERROR_NOT_READY);
                gate.open = true;
                Context::synchronize();
                finish();
            },
            "");
}

TEST(MemoryPoolStreamsFaults, AnAddressThatCannotBeOrderedDoesNotLeave) {
    if (!can_inject_faults()) GTEST_SKIP() << "needs the CPU device's fault injection";
    for (const char* fault : {"cuEventCreate:1:2", "cuEventRecord:1:1", "cuCtxWaitEvent:1:1"})
        EXPECT_FRESH_PROCESS(
            {
                set_environment("PYCUDA_CPU_FAULTS", fault);
                init();
                const auto context = Device(0).make_context();
                const Stream first(CU_STREAM_NON_BLOCKING);
                Gate gate(first);
                DeviceMemoryPool pool;
                pool.allocate(64)->pointer_for(first.handle());
                const auto memory = pool.allocate(64);
                EXPECT_THROW(static_cast<void>(memory->pointer()), Error);
                EXPECT_NO_THROW(static_cast<void>(memory->pointer()));
                gate.open = true;
                Context::synchronize();
                finish();
            },
            "");
}

}  // namespace
}  // namespace pycuda::test
