#include "pycuda/memory/stream_ordered.hpp"

#include <thread>

#include "pycuda/memory/memcpy.hpp"
#include "pycuda/streams/stream.hpp"
#include "support.hpp"

namespace pycuda::test {
namespace {

class StreamOrderedTest : public ContextTest {
protected:
    void SetUp() override {
        ContextTest::SetUp();
        if (!Device(0).get_attribute(DeviceAttribute::MEMORY_POOLS_SUPPORTED)) GTEST_SKIP() << "no memory pools";
    }
    void TearDown() override {
        EXPECT_EQ(live_handles("stream-ordered allocation"), 0);
        ContextTest::TearDown();
    }
};

TEST_F(StreamOrderedTest, IsDeviceMemoryInTheOrderOfItsStream) {
    const Stream stream;
    const auto memory = mem_alloc_async(64, &stream);
    EXPECT_EQ(live_handles("stream-ordered allocation"), 1);
    EXPECT_EQ(memory->size(), 64u);
    EXPECT_EQ(memory->context(), context);
    memset_d8_async(memory->pointer(), 7, 64, &stream);
    std::array<unsigned char, 64> host{};
    memcpy_dtoh_async(host.data(), host.size(), memory->pointer(), &stream);
    memory->free_async(&stream);
    EXPECT_EQ(live_handles("stream-ordered allocation"), 0);
    stream.synchronize();
    EXPECT_EQ(host.front(), 7);
    EXPECT_EQ(host.back(), 7);
}

TEST_F(StreamOrderedTest, IsClosedOnceItIsQueuedToGoBack) {
    const auto memory = mem_alloc_async(64);
    memory->free_async();
    EXPECT_TRUE(memory->is_closed());
    EXPECT_EQ(memory->context(), nullptr);
    EXPECT_EQ(message_of<LogicError>([&] { memory->free_async(); }), "stream-ordered allocation was freed");
    EXPECT_EQ(message_of<LogicError>([&] { memory->free(); }), "stream-ordered allocation was freed");
    EXPECT_EQ(message_of<LogicError>([&] { static_cast<void>(memory->pointer()); }),
              "stream-ordered allocation was freed");
    memory->close();
}

TEST_F(StreamOrderedTest, GoesBackWithItsObjectOnAnyThread) {
    auto memory = mem_alloc_async(64);
    std::thread([&] { memory.reset(); }).join();
    EXPECT_EQ(live_handles("stream-ordered allocation"), 0);
    mem_alloc_async(64)->free();
}

TEST_F(StreamOrderedTest, AClosedStreamIsRefusedAndTheMemoryStays) {
    Stream closed;
    closed.close();
    EXPECT_THROW(mem_alloc_async(64, &closed), LogicError);
    const auto memory = mem_alloc_async(64);
    EXPECT_THROW(memory->free_async(&closed), LogicError);
    EXPECT_FALSE(memory->is_closed());
    memory->free_async();
}

TEST_F(StreamOrderedTest, OfManyThreadsOneGivesItBack) {
    const auto memory = mem_alloc_async(64);
    std::atomic<int> refused = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
        threads.emplace_back([&] {
            try {
                memory->free_async();
            } catch (const LogicError&) {
                ++refused;
            }
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(refused, 7);
}

TEST_F(StreamOrderedTest, OutlivesItsContext) {
    testing::internal::CaptureStderr();
    {
        const auto memory = mem_alloc_async(64);
        context->detach();
        EXPECT_HAS(message_of<LogicError>([&] { static_cast<void>(memory->pointer()); }), "a context that is gone");
        EXPECT_THROW(memory->free_async(), LogicError);
    }
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(StreamOrderedTest, SizesThatCannotBe) {
    EXPECT_HAS(message_of<LogicError>([] { mem_alloc_async(0); }), "cuMemAllocAsync failed");
    EXPECT_HAS(message_of<MemoryError>([] { mem_alloc_async(std::size_t{1} << 60); }),
               "asked for 1152921504606846976 bytes");
}

TEST_F(StreamOrderedTest, NoContextIsALogicError) {
    const auto memory = mem_alloc_async(64);
    Context::pop();
    EXPECT_HAS(message_of<LogicError>([] { mem_alloc_async(64); }), "cuMemAllocAsync failed");
    memory->free_async();  // in its own context
}

TEST(StreamOrderedFaults, AFailedFreeGivesTheMemoryBackAtOnce) {
    if (!can_inject_faults()) GTEST_SKIP() << "needs the CPU device's fault injection";
    EXPECT_FRESH_PROCESS(
        {
            set_environment("PYCUDA_CPU_FAULTS", "cuMemFreeAsync:1:999");
            init();
            const auto context = Device(0).make_context();
            const auto memory = mem_alloc_async(64);
            EXPECT_HAS(message_of<Error>([&] { memory->free_async(); }), "the memory was freed at once instead");
            EXPECT_TRUE(memory->is_closed());
            finish();
        },
        "");
}

}  // namespace
}  // namespace pycuda::test
