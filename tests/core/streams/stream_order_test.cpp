#include "streams/stream_order.hpp"

#include <chrono>
#include <thread>

#include "gate.hpp"
#include "pycuda/pools/memory_pool.hpp"
#include "pycuda/streams/event.hpp"
#include "pycuda/streams/stream.hpp"
#include "support.hpp"

namespace pycuda::test {
namespace {

using StreamOrderTest = ContextTest;
using std::chrono::milliseconds;

/// More than are known after their end.
void end_many_streams() {
    for (int n = 0; n < 3000; ++n) const Stream stream(CU_STREAM_NON_BLOCKING);
}

TEST_F(StreamOrderTest, WorkIsNotForgottenWhenManyStreamsHaveEndedSince) {
    DeviceMemoryPool pool;
    Stream first(CU_STREAM_NON_BLOCKING);
    const Stream second(CU_STREAM_NON_BLOCKING);
    Gate gate(first);
    auto memory = pool.allocate(64, &first);
    memory->pointer_for(first.handle());
    std::thread closer([&] { first.close(); });  // a driver may wait in it
    memory.reset();
    std::this_thread::sleep_for(milliseconds(20));
    end_many_streams();
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

TEST_F(StreamOrderTest, BlocksOfStreamsThatEndedLongAgoComeAfterAllWork) {
    DeviceMemoryPool pool;
    {
        const Stream first(CU_STREAM_NON_BLOCKING);
        pool.allocate(64, &first)->pointer_for(first.handle());
    }
    end_many_streams();
    const Stream busy(CU_STREAM_NON_BLOCKING), next(CU_STREAM_NON_BLOCKING);
    Gate gate(busy);
    const auto memory = pool.allocate(64, &next);
    memory->pointer_for(next.handle());
    Event reached(CU_EVENT_DISABLE_TIMING);
    reached.record(&next);
    EXPECT_EQ(pool.held_blocks(), 0u);  // it is the same block
    gate.open = true;
    reached.synchronize();
}

}  // namespace
}  // namespace pycuda::test
