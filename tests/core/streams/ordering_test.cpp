#include "pycuda/streams/ordering.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "driver/driver_table.hpp"
#include "gate.hpp"
#include "pycuda/graphs/graph.hpp"
#include "pycuda/pools/memory_pool.hpp"
#include "pycuda/streams/event.hpp"
#include "pycuda/streams/stream.hpp"
#include "support.hpp"

namespace pycuda::test {
namespace {

using std::chrono::milliseconds;

/// Streams of every kind. `foreign`: created by another library.
struct Streams {
    Stream blocking, non_blocking{CU_STREAM_NON_BLOCKING}, other{CU_STREAM_NON_BLOCKING};
    Stream legacy = Stream::from_handle(CU_STREAM_LEGACY), per_thread = Stream::from_handle(CU_STREAM_PER_THREAD);
    CUstream handle = nullptr;
    std::optional<Stream> foreign;

    Streams() {
        driver().cuStreamCreate(&handle, CU_STREAM_NON_BLOCKING);
        foreign.emplace(Stream::from_handle(handle));
    }
    ~Streams() {
        foreign.reset();
        driver().cuStreamDestroy(handle);
    }
    Streams(const Streams&) = delete;
};

/// An event behind the present work of a stream.
struct Reached {
    std::optional<Event> event;
    explicit Reached(const Stream* stream) {
        const ContextScope scope(stream ? *stream->context() : *Context::current());
        event.emplace(CU_EVENT_DISABLE_TIMING);
        event->record(stream);
    }
    /// Time for work to run that waits for nothing.
    bool in_a_while() const {
        std::this_thread::sleep_for(milliseconds(3));
        return event->query();
    }
    bool at_last() const {
        return soon([&] { return event->query(); });
    }
};

class OrderingTest : public ContextTest {
protected:
    /// `later` waits for `earlier`, and the host for neither.
    static void expect_order(const Stream* later, const Stream* earlier) {
        const Stream named = Stream::from_handle(CU_STREAM_LEGACY);
        Gate gate(earlier ? *earlier : named);
        order_streams(later, earlier);
        const Reached reached(later);
        EXPECT_FALSE(reached.in_a_while());
        gate.open = true;
        EXPECT_TRUE(reached.at_last());
        Context::synchronize();
    }
};

TEST_F(OrderingTest, EveryStreamAfterEveryOther) {
    const Streams s;
    const std::vector<std::pair<std::string, const Stream*>> all = {{"default", nullptr},
                                                                    {"legacy", &s.legacy},
                                                                    {"per thread", &s.per_thread},
                                                                    {"blocking", &s.blocking},
                                                                    {"non-blocking", &s.non_blocking},
                                                                    {"other", &s.other},
                                                                    {"foreign", &*s.foreign}};
    for (const auto& [later_name, later] : all)
        for (const auto& [earlier_name, earlier] : all) {
            SCOPED_TRACE(later_name + " after " + earlier_name);
            expect_order(later, earlier);
        }
}

TEST_F(OrderingTest, OnlyThePresentWork) {
    const Stream stream(CU_STREAM_NON_BLOCKING);
    const Stream named = Stream::from_handle(CU_STREAM_LEGACY);
    order_streams(&stream, nullptr);
    Gate later_work(named);
    const Reached reached(&stream);
    EXPECT_TRUE(reached.at_last());
    order_streams(nullptr, &stream);  // whose work is over
    later_work.open = true;
    Context::synchronize();
}

TEST_F(OrderingTest, AClosedStreamStandsForWhatIsQueued) {
    const DeviceMemoryPool pool;
    for (const bool to_default : {false, true}) {
        const Stream later(CU_STREAM_NON_BLOCKING);
        Stream closed(CU_STREAM_NON_BLOCKING);
        Gate gate(closed);
        closed.close();
        order_streams(to_default ? nullptr : &later, &closed);
        const Reached reached(to_default ? nullptr : &later);
        EXPECT_FALSE(reached.in_a_while());
        order_streams(&closed, &later);
        gate.open = true;
        EXPECT_TRUE(reached.at_last());
    }
    Context::synchronize();
}

TEST_F(OrderingTest, StreamsOfOtherContexts) {
    const auto second = Device(0).make_context();
    {
        const Stream blocking, non_blocking(CU_STREAM_NON_BLOCKING);
        Context::pop();
        for (const Stream* other : {&blocking, &non_blocking}) {
            expect_order(other, nullptr);
            expect_order(nullptr, other);
            const Stream mine(CU_STREAM_NON_BLOCKING);
            Gate gate(*other);
            order_streams(&mine, other);
            const Reached reached(&mine);
            EXPECT_FALSE(reached.in_a_while());
            gate.open = true;
            EXPECT_TRUE(reached.at_last());
        }
        second->push();
        Context::synchronize();
    }
    second->detach();
    EXPECT_EQ(*Context::current(), *context);
}

TEST_F(OrderingTest, WithoutAContext) {
    const Stream stream(CU_STREAM_NON_BLOCKING);
    Context::pop();
    EXPECT_THROW(order_streams(&stream, nullptr), LogicError);
    EXPECT_THROW(order_streams(nullptr, &stream), LogicError);
    context->push();
}

// ---- captures

class OrderingInCaptures : public OrderingTest {
protected:
    /// The host waits for the default stream's work, which ends soon, and work on it waits for nothing captured.
    static void expect_host_order(const Stream& captured) {
        Gate gate(Stream::from_handle(CU_STREAM_LEGACY));
        std::thread opens([&] {
            std::this_thread::sleep_for(milliseconds(20));
            gate.open = true;
        });
        order_streams(&captured, nullptr);
        EXPECT_TRUE(gate.open) << "the default stream's work was not waited for";
        opens.join();
        order_streams(nullptr, &captured);
    }
};

TEST_F(OrderingInCaptures, ACapturedStreamWaitsForTheDefaultStreamOnTheHost) {
    for (const auto mode : {CaptureMode::GLOBAL, CaptureMode::THREAD_LOCAL, CaptureMode::RELAXED}) {
        const Streams s;
        for (const Stream* stream : {&s.non_blocking, &*s.foreign}) {
            const auto graph = stream->begin_capture(mode);
            expect_host_order(*stream);
            EXPECT_EQ(stream->end_capture(), graph);
            EXPECT_TRUE(Reached(nullptr).at_last());
        }
    }
}

TEST_F(OrderingInCaptures, CapturesOfAnotherLibraryGoOn) {
    const Streams s;
    driver().cuStreamBeginCapture(s.handle, CU_STREAM_CAPTURE_MODE_GLOBAL);
    order_streams(&*s.foreign, nullptr);
    order_streams(nullptr, &*s.foreign);
    order_streams(nullptr, &s.non_blocking);
    order_streams(&s.non_blocking, nullptr);
    CUgraph graph = nullptr;
    driver().cuStreamEndCapture(s.handle, &graph);
    driver().cuGraphDestroy(graph);
}

TEST_F(OrderingInCaptures, StreamsBesideACapture) {
    const Stream captured(CU_STREAM_NON_BLOCKING), beside(CU_STREAM_NON_BLOCKING);
    const auto graph = captured.begin_capture();
    Gate gate(beside);
    order_streams(nullptr, &beside);
    order_streams(&beside, nullptr);
    gate.open = true;
    EXPECT_EQ(captured.end_capture(), graph);
    Context::synchronize();
}

/// No call on the default stream is legal then.
TEST_F(OrderingInCaptures, WhileThatOfABlockingStreamHoldsTheDefaultStream) {
    const Stream captured, beside(CU_STREAM_NON_BLOCKING), other_capture(CU_STREAM_NON_BLOCKING);
    const auto graph = captured.begin_capture(), other_graph = other_capture.begin_capture();
    order_streams(&captured, nullptr);
    order_streams(nullptr, &captured);
    order_streams(&other_capture, nullptr);
    order_streams(nullptr, &other_capture);
    order_streams(&beside, nullptr);
    Gate gate(beside);
    std::thread opens([&] {
        std::this_thread::sleep_for(milliseconds(20));
        gate.open = true;
    });
    order_streams(nullptr, &beside);
    EXPECT_TRUE(gate.open) << "the default stream can wait for it only on the host";
    opens.join();
    EXPECT_EQ(other_capture.end_capture(), other_graph);
    EXPECT_EQ(captured.end_capture(), graph);
}

TEST_F(OrderingInCaptures, OtherStreamsForkAndJoin) {
    const Stream captured(CU_STREAM_NON_BLOCKING), forked(CU_STREAM_NON_BLOCKING);
    const auto graph = captured.begin_capture();
    order_streams(&forked, &captured);
    EXPECT_TRUE(forked.is_capturing());
    order_streams(&captured, &forked);
    EXPECT_EQ(captured.end_capture(), graph);
    EXPECT_FALSE(forked.is_capturing());
}

}  // namespace
}  // namespace pycuda::test
