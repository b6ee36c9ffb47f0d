#include "streams/kept_objects.hpp"

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "driver/driver_table.hpp"
#include "gate.hpp"
#include "pycuda/memory/device_memory.hpp"
#include "pycuda/memory/memcpy.hpp"
#include "pycuda/streams/keeping.hpp"
#include "pycuda/streams/stream.hpp"
#include "support.hpp"

namespace pycuda::test {
namespace {

using KeptObjectsTest = ContextTest;

/// Counts in `ended` when it is released.
std::shared_ptr<void> counted(std::atomic<int>& ended) {
    return {nullptr, [&ended](void*) { ++ended; }};
}

/// A stream of another library, which does not notify us when it ends.
struct UnknownStream {
    UnknownStream() = default;
    UnknownStream(const UnknownStream&) = delete;
    ~UnknownStream() { driver().cuStreamDestroy(handle); }
    static CUstream create() {
        CUstream made = nullptr;
        driver().cuStreamCreate(&made, CU_STREAM_DEFAULT);
        return made;
    }
    const CUstream handle = create();
    const Stream stream = Stream::from_handle(handle);
};

TEST_F(KeptObjectsTest, EachStreamReleasesItsObjects) {
    const Stream slow, fast;
    Gate gate(slow);
    std::atomic<int> of_slow{0}, of_fast{0};
    for (int n = 0; n < 10; ++n) {
        slow.keep_until_done(counted(of_slow));
        fast.keep_until_done(counted(of_fast));
    }
    EXPECT_TRUE(soon([&] { return of_fast == 10; }));
    EXPECT_EQ(of_slow, 0);
    gate.open = true;
    EXPECT_TRUE(soon([&] { return of_slow == 10; }));
}

TEST_F(KeptObjectsTest, EndsOnAnotherThreadThatMayWaitForThisOne) {
    const Stream stream;
    std::atomic<bool> ended{false};
    std::thread::id where;
    std::mutex lock;
    {
        const std::lock_guard held(lock);
        stream.keep_until_done(std::shared_ptr<void>(nullptr, [&](void*) {
            const std::lock_guard wait(lock);
            where = std::this_thread::get_id();
            ended = true;
        }));
        stream.synchronize();
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        EXPECT_FALSE(ended);
    }
    ASSERT_TRUE(soon([&] { return ended.load(); }));
    EXPECT_NE(where, std::this_thread::get_id());
}

TEST_F(KeptObjectsTest, IsWatchedAgainAfterItWasEmpty) {
    const Stream stream;
    for (int n = 1; n <= 5; ++n) {
        std::atomic<int> ended{0};
        stream.keep_until_done(counted(ended));
        EXPECT_TRUE(soon([&] { return ended == 1; })) << n;
    }
}

TEST_F(KeptObjectsTest, ManyThreadsKeepMuch) {
    std::atomic<int> ended{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            const ContextScope scope(*context);
            const Stream stream;
            for (int n = 0; n < 500; ++n) stream.keep_until_done(counted(ended));
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_TRUE(soon([&] { return ended == 2000; })) << ended;
}

TEST_F(KeptObjectsTest, TheStreamMayBeClosedMeanwhile) {
    std::atomic<int> ended{0};
    Stream stream;
    Gate gate(stream);
    stream.keep_until_done(counted(ended));
    stream.close();
    EXPECT_EQ(ended, 0);
    gate.open = true;
    EXPECT_TRUE(soon([&] { return ended == 1; }));
}

TEST_F(KeptObjectsTest, TheContextsEndWaitsAndReleases) {
    std::atomic<int> ended{0};
    std::atomic<bool> ran{false};
    Stream stream;
    stream.add_host_function([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        ran = true;
    });
    stream.keep_until_done(counted(ended));
    context->detach();
    EXPECT_TRUE(ran);
    EXPECT_TRUE(soon([&] { return ended == 1; }));
    EXPECT_THROW(stream.keep_until_done(counted(ended)), LogicError);
    EXPECT_TRUE(soon([&] { return ended == 2; })) << "objects that are not kept are released";
}

TEST_F(KeptObjectsTest, WhatIsKeptMayBeTheLastToHoldTheContext) {
    {
        const auto other = Device(0).make_context();
        {
            const Stream stream;
            stream.keep_until_done(std::make_shared<DeviceAllocation>(16));
        }
        Context::pop();
    }
    EXPECT_TRUE(soon([] { return live_handles("context") == 1 && live_handles("device allocation") == 0; }));
}

/// Keeps an object while the driver's call fails, behind work that takes a while: raises E, and the object is released
/// later.
template <class E>
void fail_to_keep(const Stream& stream) {
    std::atomic<bool> done{false};
    std::atomic<bool> ended_too_early{false};
    std::atomic<int> ended{0};
    stream.add_host_function([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        done = true;
    });
    EXPECT_THROW(stream.keep_until_done(std::shared_ptr<void>(nullptr,
                                                              [&](void*) {
                                                                  ended_too_early = !done;
                                                                  ++ended;
                                                              })),
                 E);
    EXPECT_TRUE(soon([&] { return ended == 1; }));
    EXPECT_FALSE(ended_too_early);
}

TEST(KeptObjectsFaults, ObjectsThatCannotBeKeptAreWaitedFor) {
    if (!can_inject_faults()) GTEST_SKIP() << "needs the CPU device's fault injection";
    EXPECT_FRESH_PROCESS(
        {
            set_environment("PYCUDA_CPU_FAULTS", "cuEventCreate:1:2,cuEventRecord:1:1");
            init();
            const auto context = Device(0).make_context();
            const UnknownStream foreign;
            fail_to_keep<MemoryError>(foreign.stream);
            fail_to_keep<LogicError>(foreign.stream);
            std::atomic<int> ended{0};
            foreign.stream.keep_until_done(counted(ended));
            EXPECT_TRUE(soon([&] { return ended == 1; }));
            finish();
        },
        "");
}

/// On streams of this library's own the events are made and recorded later, by its thread.
TEST(KeptObjectsFaults, EventsAreTriedAgain) {
    if (!can_inject_faults()) GTEST_SKIP() << "needs the CPU device's fault injection";
    for (const char* const faults : {"cuEventCreate:1:2", "cuEventRecord:1:1", "cuStreamIsCapturing:1:1"})
        EXPECT_FRESH_PROCESS(
            {
                set_environment("PYCUDA_CPU_FAULTS", faults);
                init();
                const auto context = Device(0).make_context();
                std::atomic<int> ended{0};
                {
                    const Stream stream;
                    Gate gate(stream);
                    stream.keep_until_done(counted(ended));
                    std::this_thread::sleep_for(std::chrono::milliseconds(20));
                    EXPECT_EQ(ended, 0);
                    gate.open = true;
                    EXPECT_TRUE(soon([&] { return ended == 1; }));
                }
                finish();
            },
            "");
}

/// The thread comes round after the streams have ended.
TEST_F(KeptObjectsTest, StreamsMayEndBeforeAnythingIsMarked) {
    std::atomic<int> ended{0};
    std::vector<Gate> gates(200);  // streams look at theirs after they were closed
    for (int round = 0; round < 200; ++round) {
        const Stream stream;
        Gate& gate = gates[static_cast<std::size_t>(round)];
        gate.hold(stream);
        for (int n = 0; n < 3; ++n) stream.keep_until_done(counted(ended));
        const int before = ended;
        EXPECT_LE(before, 3 * round);
        gate.open = true;
    }
    EXPECT_TRUE(soon([&] { return ended == 600; })) << ended;
}

/// Grows until it is sealed.
struct Growing : GrowingObject {
    explicit Growing(std::atomic<int>& counter) : ended(counter) {}
    ~Growing() override { ++ended; }
    void seal() noexcept override { sealed = true; }
    bool is_sealed() const noexcept override { return sealed; }
    std::atomic<int>& ended;
    std::atomic<bool> sealed{false};
};

TEST_F(KeptObjectsTest, WhatGrowsIsSealedAndKept) {
    std::atomic<int> ended{0};
    {
        const Stream stream;
        Gate gate(stream);
        auto first = std::make_shared<Growing>(ended), second = std::make_shared<Growing>(ended);
        keep_until_done(stream, first);
        keep_until_done(stream, second);
        EXPECT_TRUE(soon([&] { return first->is_sealed() && second->is_sealed(); }));
        first.reset();
        second.reset();
        EXPECT_EQ(ended, 0);
        gate.open = true;
        EXPECT_TRUE(soon([&] { return ended == 2; }));
        const UnknownStream foreign;
        auto third = std::make_shared<Growing>(ended);
        keep_until_done(foreign.stream, third);
        EXPECT_TRUE(third->is_sealed()) << "its event is recorded at once";
    }
    EXPECT_TRUE(soon([&] { return ended == 3; }));
}

TEST_F(KeptObjectsTest, WhatGrowsEndsWithItsStreamOrContext) {
    std::atomic<int> ended{0};
    {
        Stream stream;
        keep_until_done(stream, std::make_shared<Growing>(ended));
        stream.close();
        EXPECT_TRUE(soon([&] { return ended == 1; }));
    }
    const Stream stream;
    keep_until_done(stream, std::make_shared<Growing>(ended));
    context->detach();
    EXPECT_TRUE(soon([&] { return ended == 2; }));
    EXPECT_THROW(keep_until_done(stream, std::make_shared<Growing>(ended)), LogicError);
    EXPECT_TRUE(soon([&] { return ended == 3; }));
}

TEST_F(KeptObjectsTest, TheDefaultStreamKeepsToo) {
    std::atomic<int> ended{0};
    const Stream stream;
    Gate gate(stream);
    DeviceAllocation memory(16);
    memset_d8_async(memory.pointer(), 0, 16);  // waits for the other stream
    Stream::from_handle(nullptr).keep_until_done(counted(ended));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(ended, 0);
    gate.open = true;
    EXPECT_TRUE(soon([&] { return ended == 1; }));
}

/// This library knows only what the driver reports about it.
TEST_F(KeptObjectsTest, CapturesOfOtherLibrariesAreLeftAlone) {
    const Stream stream;
    std::atomic<int> ended{0};
    Gate gate(stream);
    stream.keep_until_done(counted(ended));
    driver().cuStreamBeginCapture(stream.handle(), CU_STREAM_CAPTURE_MODE_GLOBAL);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    CUgraph graph = nullptr;
    driver().cuStreamEndCapture(stream.handle(), &graph);
    std::size_t nodes = 1;
    driver().cuGraphGetNodes(graph, nullptr, &nodes);
    EXPECT_EQ(nodes, 0u);
    driver().cuGraphDestroy(graph);
    EXPECT_EQ(ended, 0);
    gate.open = true;
    EXPECT_TRUE(soon([&] { return ended == 1; }));
}

TEST_F(KeptObjectsTest, CapturesEndBeforeAnythingIsMarked) {
    std::atomic<int> before{0}, meanwhile{0}, by_graph{0};
    {
        const Stream stream, captured;
        Gate gate(captured);
        captured.keep_until_done(counted(before));
        const auto graph = captured.begin_capture(CaptureMode::GLOBAL);
        captured.keep_until_done(counted(by_graph));
        stream.keep_until_done(counted(meanwhile));
        EXPECT_TRUE(soon([&] { return meanwhile == 1; }));
        EXPECT_EQ(before, 0);
        gate.open = true;
        captured.end_capture();
        EXPECT_TRUE(soon([&] { return before == 1; }));
        EXPECT_EQ(by_graph, 0);
    }
    EXPECT_TRUE(soon([&] { return by_graph == 1; }));  // counts in this function's memory
}

}  // namespace
}  // namespace pycuda::test
