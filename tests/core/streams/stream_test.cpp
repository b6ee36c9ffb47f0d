#include "pycuda/streams/stream.hpp"

#include <chrono>
#include <thread>

#include "driver/driver_table.hpp"
#include "gate.hpp"
#include "pycuda/memory/device_memory.hpp"
#include "pycuda/streams/event.hpp"
#include "support.hpp"

namespace pycuda::test {
namespace {

using StreamTest = ContextTest;

TEST_F(StreamTest, IsDoneAndSynchronize) {
    const Stream stream;
    EXPECT_TRUE(stream.is_done());
    Gate gate;
    gate.hold(stream);
    EXPECT_FALSE(stream.is_done());
    gate.open = true;
    stream.synchronize();
    EXPECT_TRUE(stream.is_done());
}

TEST_F(StreamTest, HasFlagsAndPriority) {
    const auto [least, greatest] = Context::get_stream_priority_range();
    EXPECT_LE(greatest, least);
    const Stream stream(CU_STREAM_NON_BLOCKING, greatest);
    EXPECT_TRUE(stream.is_done());
    EXPECT_EQ(stream.context(), context);
    EXPECT_EQ(stream.flags(), static_cast<unsigned>(CU_STREAM_NON_BLOCKING));
    EXPECT_EQ(stream.priority(), greatest);
    EXPECT_EQ(Stream().priority(), 0);
    EXPECT_EQ(Stream().flags(), 0u);
}

TEST_F(StreamTest, OfAnotherLibraryIsNotDestroyed) {
    CUstream foreign = nullptr;
    driver().cuStreamCreate(&foreign, 0);
    {
        const Stream borrowed = Stream::from_handle(foreign);
        EXPECT_EQ(borrowed.handle(), foreign);
        EXPECT_EQ(live_handles("stream"), 0);
        Stream moved = Stream::from_handle(foreign);
        Stream other = std::move(moved);
        other.close();
        EXPECT_THROW(other.synchronize(), LogicError);
        EXPECT_TRUE(borrowed.is_done());
    }
    EXPECT_EQ(driver().cuStreamQuery.try_call(foreign), CUDA_SUCCESS);
    Stream::from_handle(nullptr).synchronize();
    driver().cuStreamDestroy(foreign);
}

TEST_F(StreamTest, UnknownFlagsAreRefused) {
    EXPECT_THROW(Stream(0x100), LogicError);
}

TEST_F(StreamTest, WaitsForAnEventOfAnotherStream) {
    const Stream first, second;
    Gate gate;
    gate.hold(first);
    Event event;
    event.record(&first);
    second.wait_for_event(event);
    EXPECT_FALSE(second.is_done());
    gate.open = true;
    second.synchronize();
    EXPECT_TRUE(event.query());
    first.synchronize();
}

TEST_F(StreamTest, ClosedStreamRaises) {
    Stream stream;
    stream.close();
    stream.close();
    EXPECT_EQ(message_of<LogicError>([&] { stream.synchronize(); }), "stream was closed");
    EXPECT_THROW(static_cast<void>(stream.is_done()), LogicError);
    EXPECT_THROW(static_cast<void>(stream.handle()), LogicError);
    EXPECT_THROW(stream.wait_for_event(Event()), LogicError);
}

TEST_F(StreamTest, ClosesAtOnceWhileAnotherThreadWaitsForIt) {
    for (bool was_waiting = false; !was_waiting;) {
        Gate gate;
        Stream stream;
        gate.hold(stream);
        std::atomic<bool> about_to{false};
        bool refused = false;
        std::thread waiting([&] {
            context->push();
            about_to = true;
            try {
                stream.synchronize();
                EXPECT_TRUE(gate.open);
            } catch (const LogicError&) {
                refused = true;  // the cancellation came too late
            }
            Context::pop();
        });
        while (!about_to) std::this_thread::yield();
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        stream.close();
        EXPECT_FALSE(gate.open);
        EXPECT_THROW(static_cast<void>(stream.handle()), LogicError);
        gate.open = true;
        waiting.join();
        EXPECT_EQ(live_handles("stream"), 0);
        context->synchronize();
        was_waiting = !refused;
    }
}

TEST_F(StreamTest, AClosedStreamServesTheCallsThatHoldIt) {
    Stream stream;
    {
        const auto in_use = stream.use();
        std::thread([&] { stream.close(); }).join();
        EXPECT_EQ(live_handles("stream"), 1);
        EXPECT_EQ(driver().cuStreamQuery.try_call(in_use), CUDA_SUCCESS);
    }
    EXPECT_EQ(live_handles("stream"), 0);
    EXPECT_EQ(static_cast<CUstream>(use_of(nullptr)), nullptr);
}

TEST_F(StreamTest, MovesAndIsDestroyedOnAnotherThread) {
    Stream stream;
    const CUstream handle = stream.handle();
    Stream moved(std::move(stream));
    EXPECT_EQ(moved.handle(), handle);
    EXPECT_EQ(live_handles("stream"), 1);
    std::thread([taken = std::move(moved)]() mutable { taken.close(); }).join();
    EXPECT_EQ(live_handles("stream"), 0);
}

TEST_F(StreamTest, NoContextIsALogicError) {
    Context::pop();
    EXPECT_HAS(message_of<LogicError>([] { Stream stream; }), "cuStreamCreate failed: ");
}

TEST_F(StreamTest, HostFunctionsRunInOrder) {
    const Stream stream;
    std::vector<int> order;
    for (int n = 0; n < 100; ++n) stream.add_host_function([&order, n] { order.push_back(n); });
    stream.synchronize();
    ASSERT_EQ(order.size(), 100u);
    for (int n = 0; n < 100; ++n) EXPECT_EQ(order[n], n);
}

TEST_F(StreamTest, HostFunctionThatThrowsDoesNotEndTheProcess) {
    const Stream stream;
    testing::internal::CaptureStderr();
    stream.add_host_function([] { throw std::runtime_error("as it may happen"); });
    stream.synchronize();
    EXPECT_HAS(testing::internal::GetCapturedStderr(), "a host function on a stream threw: as it may happen");
    EXPECT_TRUE(stream.is_done());
}

TEST_F(StreamTest, KeepsUntilDone) {
    std::atomic<bool> open{false};
    const Stream stream;
    stream.add_host_function([&open] {
        while (!open) std::this_thread::yield();
    });
    auto kept = std::make_shared<DeviceAllocation>(16);  // its end calls the driver
    const std::weak_ptr<DeviceAllocation> weak = kept;
    stream.keep_until_done(std::move(kept));
    EXPECT_FALSE(weak.expired());
    open = true;
    stream.synchronize();
    while (!weak.expired()) std::this_thread::yield();
    while (live_handles("device allocation") != 0) std::this_thread::yield();
}

TEST_F(StreamTest, ContextsEndReleasesObjectsOfHostFunctions) {
    auto kept = std::make_shared<int>();
    const std::weak_ptr<int> weak = kept;
    int ran = 0;
    Stream stream;
    stream.add_host_function([kept = std::move(kept), &ran] { ++ran; });
    context->detach();
    EXPECT_EQ(ran, 1) << "what is queued is waited for";
    while (!weak.expired()) std::this_thread::yield();
    EXPECT_THROW(stream.add_host_function([] {}), LogicError);
}

}  // namespace
}  // namespace pycuda::test
