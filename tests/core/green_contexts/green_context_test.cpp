#include "pycuda/green_contexts/green_context.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "driver/driver_table.hpp"
#include "pycuda/contexts/cuda_process.hpp"
#include "pycuda/memory/memcpy.hpp"
#include "pycuda/pools/memory_pool.hpp"
#include "pycuda/streams/stream.hpp"
#include "support.hpp"

using namespace pycuda;
using namespace pycuda::test;

namespace {

class GreenContextTest : public ::testing::Test {
protected:
    void SetUp() override {
        init();
        if (driver_version() < 12050) GTEST_SKIP() << "no green contexts";
        primary = Device(0).retain_primary_context();
        primary->push();
    }
    void TearDown() override {
        if (!primary) return;
        Context::pop();
        primary.reset();
        for (const char* kind : {"green context", "stream", "event", "device allocation", "pooled memory", "context"})
            EXPECT_EQ(live_handles(kind), 0) << kind;
    }
    static std::vector<SMResource> one_sm() { return {SMResource(Device(0)).split(1, 1).front()}; }
    std::shared_ptr<Context> primary;
};

TEST_F(GreenContextTest, IsDestroyedAfterItsStreams) {
    auto green = std::make_unique<GreenContext>(one_sm());
    Stream stream = green->create_stream();
    EXPECT_EQ(stream.context(), primary);
    green.reset();
    EXPECT_EQ(live_handles("green context"), 1);
    DeviceAllocation memory(400);
    memset_d8_async(memory.pointer(), 5, 400, &stream);
    stream.synchronize();
    stream.close();
    EXPECT_EQ(live_handles("green context"), 0);
}

TEST_F(GreenContextTest, ClosedIsRefusedByName) {
    GreenContext green(one_sm());
    green.close();
    green.close();
    EXPECT_HAS(message_of<LogicError>([&] { green.create_stream(); }), "green context was closed");
    EXPECT_HAS(message_of<LogicError>([&] { green.as_context(); }), "green context was closed");
}

TEST_F(GreenContextTest, BlocksOfAPoolGoFromStreamToStream) {
    DeviceMemoryPool pool;
    GreenContext green(one_sm());
    for (int round = 0; round < 100; ++round) {
        const Stream stream = green.create_stream();
        const auto block = pool.allocate(4096, &stream);
        memset_d8_async(block->pointer_for(stream.handle()), static_cast<unsigned char>(round), 4096, &stream);
        unsigned char last = 0;
        stream.synchronize();
        memcpy_dtoh(&last, 1, block->pointer() + 4095);
        EXPECT_EQ(last, round);
    }
    pool.stop_holding();
}

TEST_F(GreenContextTest, ConvertedContextsEndWithWhatIsInThem) {
    auto context = GreenContext(one_sm()).as_context();
    context->push();
    Stream stream;
    EXPECT_EQ(stream.context(), context);
    EXPECT_EQ(Context::current(), context);
    context->detach();
    EXPECT_TRUE(context->is_valid());
    Context::pop();
    context.reset();
    EXPECT_EQ(live_handles("green context"), 1);
    stream.close();
    EXPECT_EQ(live_handles("green context"), 0);
}

TEST_F(GreenContextTest, ThoseOfOtherLibrariesAreAdopted) {
    CUdevResource all = SMResource(Device(0)).raw();
    CUdevResourceDesc description = nullptr;
    CUgreenCtx foreign = nullptr;
    CUcontext converted = nullptr;
    driver().cuDevResourceGenerateDesc(&description, &all, 1);
    driver().cuGreenCtxCreate(&foreign, description, 0, CU_GREEN_CTX_DEFAULT_STREAM);
    driver().cuCtxFromGreenCtx(&converted, foreign);
    driver().cuCtxPushCurrent(converted);
    {
        const auto adopted = Context::current();
        EXPECT_EQ(adopted, Context::current()) << "it stays the same";
        DeviceAllocation memory(100);
        EXPECT_EQ(Context::current(), adopted);
        EXPECT_TRUE(adopted->is_valid());
    }
    driver().cuCtxPopCurrent(&converted);
    driver().cuGreenCtxDestroy(foreign);
}

TEST_F(GreenContextTest, ClosedWhileOtherThreadsUseIt) {
    GreenContext green(one_sm());
    std::vector<std::jthread> threads;
    for (int n = 0; n < 4; ++n)
        threads.emplace_back([&] {
            const ContextScope scope(*primary);
            try {
                for (;;) green.create_stream().synchronize();
            } catch (const LogicError& error) {
                EXPECT_HAS(error.what(), "closed");
            }
        });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    green.close();
}

TEST(CudaProcessTest, SaysWhichProcessAndWhy) {
    init();
    const CudaProcess process(1);
    EXPECT_EQ(process.pid(), 1);
    if (!driver_info().is_cpu_device) GTEST_SKIP() << "another process is left alone";
    EXPECT_HAS(message_of<LogicError>([&] { process.lock(5); }), "process 1");
    EXPECT_HAS(message_of<LogicError>([&] { process.state(); }), "cuCheckpointProcessGetState");
}

}  // namespace
