#include "pycuda/streams/event.hpp"

#include <cuda.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "driver/driver_table.hpp"
#include "pycuda/streams/stream.hpp"
#include "support.hpp"

namespace pycuda::test {
namespace {

using EventTest = ContextTest;

void sleep_on(const Stream& stream, int milliseconds) {
    driver().cuLaunchHostFunc(
        stream.handle(),
        [](void* ms) { std::this_thread::sleep_for(std::chrono::milliseconds(reinterpret_cast<std::intptr_t>(ms))); },
        reinterpret_cast<void*>(static_cast<std::intptr_t>(milliseconds)));
}

TEST_F(EventTest, TimesWhatIsBetween) {
    const Stream stream;
    Event start, end;
    const auto before = std::chrono::steady_clock::now();
    start.record(&stream);
    sleep_on(stream, 20);
    end.record(&stream);
    EXPECT_FALSE(end.query());
    end.synchronize();
    EXPECT_TRUE(end.query());
    const std::chrono::duration<float, std::milli> around = std::chrono::steady_clock::now() - before;
    EXPECT_GE(end.time_since(start), 19.0f);
    EXPECT_LT(end.time_since(start), around.count() + 1);
    EXPECT_FLOAT_EQ(start.time_till(end), end.time_since(start));
}

TEST_F(EventTest, AskedTooEarlyIsALogicError) {
    const Stream stream;
    Event start, end;
    start.record(&stream);
    sleep_on(stream, 50);
    end.record(&stream);
    EXPECT_HAS(message_of<LogicError>([&] { end.time_since(start); }), "synchronize first");
    stream.synchronize();
}

TEST_F(EventTest, NeverRecordedOrUntimedIsALogicError) {
    Event start, end, untimed(EventFlags::DISABLE_TIMING);
    start.record();
    EXPECT_THROW(end.time_since(start), LogicError);
    untimed.record();
    untimed.synchronize();
    EXPECT_HAS(message_of<LogicError>([&] { untimed.time_since(start); }), "DISABLE_TIMING");
}

TEST_F(EventTest, IsDoneBeforeItIsRecorded) {
    EXPECT_TRUE(Event().query());
}

TEST_F(EventTest, UnknownFlagsAreRefused) {
    EXPECT_THROW(Event(0x1000), LogicError);
}

TEST_F(EventTest, ClosedEventRaises) {
    Event event;
    event.close();
    event.close();
    EXPECT_EQ(message_of<LogicError>([&] { event.record(); }), "event was closed");
    EXPECT_THROW(event.synchronize(), LogicError);
    EXPECT_THROW(static_cast<void>(event.query()), LogicError);
    EXPECT_THROW(event.time_since(Event()), LogicError);
}

TEST_F(EventTest, IsClosedWhileOthersCallTheDriverWithIt) {
    const Stream stream;
    for (int round = 0; round < 50; ++round) {
        Event event;
        event.record(&stream);
        std::atomic<int> calling{0};
        std::vector<std::thread> threads;
        for (int t = 0; t < 3; ++t)
            threads.emplace_back([&, t] {
                context->push();
                ++calling;
                EXPECT_EQ(message_of<LogicError>([&] {
                              for (;;) t == 0 ? event.synchronize() : static_cast<void>(event.query());
                          }),
                          "event was closed");
                Context::pop();
            });
        while (calling != 3) std::this_thread::yield();
        event.close();
        for (std::thread& thread : threads) thread.join();
        ASSERT_EQ(live_handles("event"), 0);
    }
}

bool has_ipc() {
    return Device(0).get_attribute(DeviceAttribute::IPC_EVENT_SUPPORTED) != 0;
}

TEST_F(EventTest, IpcNeedsItsFlags) {
    if (!has_ipc()) GTEST_SKIP() << "this device shares no events";
    EXPECT_HAS(message_of<Error>([] { Event().ipc_handle(); }), "INTERPROCESS");
}

std::string hex(const IpcEventHandle& handle) {
    std::string text;
    for (const unsigned char byte : handle)
        text += "0123456789abcdef"[byte / 16], text += "0123456789abcdef"[byte % 16];
    return text;
}

IpcEventHandle from_hex(const std::string& text) {
    IpcEventHandle handle;
    for (std::size_t n = 0; n < handle.size(); ++n)
        handle[n] = static_cast<unsigned char>(std::stoi(text.substr(2 * n, 2), nullptr, 16));
    return handle;
}

TEST_F(EventTest, IsSeenByAnotherProcess) {
    if (!has_ipc()) GTEST_SKIP() << "this device shares no events";
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    Event event(EventFlags::INTERPROCESS | EventFlags::DISABLE_TIMING);
    event.record();
    if (!::testing::internal::InDeathTestChild()) set_environment("PYCUDA_TEST_IPC", hex(event.ipc_handle()));
    EXPECT_FRESH_PROCESS(
        {
            Event other = Event::from_ipc_handle(from_hex(std::getenv("PYCUDA_TEST_IPC")));
            other.synchronize();
            EXPECT_TRUE(other.query());
            finish();
        },
        "");
}

TEST_F(EventTest, NonsenseIsNoIpcHandle) {
    EXPECT_THROW(Event::from_ipc_handle(IpcEventHandle{}), Error);
}

}  // namespace
}  // namespace pycuda::test
