#include "pycuda/stream.hpp"

#include <chrono>
#include <thread>

#include "driver_table.hpp"
#include "pycuda/event.hpp"
#include "support.hpp"

namespace pycuda::test {
namespace {

using StreamTest = ContextTest;

/// Holds a stream up until it is opened.
struct Gate {
    std::atomic<bool> open{false};
    void hold(const Stream& stream) { driver().cuLaunchHostFunc(stream.handle(), &Gate::wait, this); }
    static void wait(void* self) {
        while (!static_cast<Gate*>(self)->open) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
};

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

TEST_F(StreamTest, HasPriority) {
    const Stream stream(0, 0);
    EXPECT_TRUE(stream.is_done());
    EXPECT_NE(stream.handle(), nullptr);
    EXPECT_EQ(stream.context(), context);
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
    EXPECT_EQ(message_of<LogicError>([&] { stream.synchronize(); }), "stream is closed");
    EXPECT_THROW(static_cast<void>(stream.is_done()), LogicError);
    EXPECT_THROW(static_cast<void>(stream.handle()), LogicError);
    EXPECT_THROW(stream.wait_for_event(Event()), LogicError);
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

}  // namespace
}  // namespace pycuda::test
