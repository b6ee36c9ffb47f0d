// Dividing the SMs, and green contexts made of the groups.
#include "driver/driver_test.hpp"
#include "driver/kernels.hpp"

#include <vector>

namespace {

class GreenContextTest : public DriverTest {
protected:
    void SetUp() override {
        DriverTest::SetUp();
        ASSERT_OK(cuDevicePrimaryCtxRetain(&primary, 0));
        ASSERT_OK(cuCtxPushCurrent(primary));
        ASSERT_OK(cuDeviceGetDevResource(0, &all, CU_DEV_RESOURCE_TYPE_SM));
    }
    void TearDown() override {
        CUcontext popped = nullptr;
        EXPECT_OK(cuCtxPopCurrent(&popped));
        EXPECT_OK(cuDevicePrimaryCtxRelease(0));
        DriverTest::TearDown();
    }
    /// A group of one SM.
    CUdevResource group() {
        CUdevResource made{};
        unsigned count = 1;
        EXPECT_OK(cuDevSmResourceSplitByCount(&made, &count, &all, nullptr, 0, 1));
        return made;
    }
    CUgreenCtx green(CUdevResource resource) {
        CUdevResourceDesc description = nullptr;
        CUgreenCtx made = nullptr;
        EXPECT_OK(cuDevResourceGenerateDesc(&description, &resource, 1));
        EXPECT_OK(cuGreenCtxCreate(&made, description, 0, CU_GREEN_CTX_DEFAULT_STREAM));
        return made;
    }
    static CUstream stream(CUgreenCtx green) {
        CUstream made = nullptr;
        EXPECT_OK(cuGreenCtxStreamCreate(&made, green, CU_STREAM_NON_BLOCKING, 0));
        return made;
    }

    CUcontext primary = nullptr;
    CUdevResource all{};
};

TEST_F(GreenContextTest, ResourcesAreDivided) {
    if (!on_cpu_device()) GTEST_SKIP() << "groups of a GPU have more SMs";
    unsigned count = 0;
    ASSERT_OK(cuDevSmResourceSplitByCount(nullptr, &count, &all, nullptr, 0, 1));
    EXPECT_EQ(count, all.sm.smCount);
    std::vector<CUdevResource> groups(count + 1);
    CUdevResource rest{};
    ++count;
    ASSERT_OK(cuDevSmResourceSplitByCount(groups.data(), &count, &all, &rest, 0, 1));
    EXPECT_EQ(count, all.sm.smCount);
    EXPECT_EQ(rest.sm.smCount, 0u);
    CUdevResource again{};
    count = 1;
    EXPECT_EQ(cuDevSmResourceSplitByCount(&again, &count, &groups[0], nullptr, 0, 1),
              CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
    EXPECT_EQ(cuDevSmResourceSplitByCount(&again, &count, &all, nullptr, 0, all.sm.smCount + 1),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuDevSmResourceSplitByCount(&again, &count, &all, nullptr, 8, 1), CUDA_ERROR_INVALID_VALUE);
    const CUdevResource none{};
    EXPECT_EQ(cuDevSmResourceSplitByCount(&again, &count, &none, nullptr, 0, 1), CUDA_ERROR_INVALID_RESOURCE_TYPE);
}

TEST_F(GreenContextTest, ResourcesOfSeveralSplitsMakeNoneTogether) {
    // NVIDIA's driver 580 takes those of several splits, and ends the process where there is no description.
    if (!on_cpu_device()) GTEST_SKIP();
    CUdevResource mixed[] = {group(), group()};
    CUdevResourceDesc description = nullptr;
    EXPECT_EQ(cuDevResourceGenerateDesc(&description, mixed, 2), CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
    EXPECT_EQ(cuDevResourceGenerateDesc(&description, mixed, 0), CUDA_ERROR_INVALID_VALUE);
    CUgreenCtx made = nullptr;
    EXPECT_EQ(cuGreenCtxCreate(&made, nullptr, 0, CU_GREEN_CTX_DEFAULT_STREAM), CUDA_ERROR_INVALID_VALUE);
    ASSERT_OK(cuDevResourceGenerateDesc(&description, mixed, 1));
    EXPECT_EQ(cuGreenCtxCreate(&made, description, 0, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(GreenContextTest, StreamsSayWhereTheyAre) {
    const CUgreenCtx made = green(group());
    CUstream refused = nullptr;
    EXPECT_EQ(cuGreenCtxStreamCreate(&refused, made, 0, 0), CUDA_ERROR_INVALID_VALUE);
    const CUstream own = stream(made);
    CUcontext converted = nullptr, context = nullptr;
    CUgreenCtx part = nullptr;
    ASSERT_OK(cuCtxFromGreenCtx(&converted, made));
    EXPECT_NE(converted, primary);
    ASSERT_OK(cuStreamGetCtx_v2(own, &context, &part));
    EXPECT_EQ(context, primary);
    EXPECT_EQ(part, made);
    ASSERT_OK(cuStreamGetCtx(own, &context));
    EXPECT_EQ(context, converted);
    ASSERT_OK(cuStreamGetGreenCtx(nullptr, &part));
    EXPECT_EQ(part, nullptr);
    ASSERT_OK(cuCtxPushCurrent(converted));
    ASSERT_OK(cuStreamGetGreenCtx(nullptr, &part));
    EXPECT_EQ(part, made);
    EXPECT_EQ(cuStreamGetGreenCtx(CU_STREAM_PER_THREAD, &part), CUDA_ERROR_INVALID_HANDLE);
    CUdeviceptr memory = 0;
    ASSERT_OK(cuMemAlloc(&memory, 16));
    ASSERT_OK(cuPointerGetAttribute(&context, CU_POINTER_ATTRIBUTE_CONTEXT, memory));
    if (on_cpu_device()) {
        EXPECT_EQ(context, primary);
    }
    ASSERT_OK(cuCtxPopCurrent(&context));
    EXPECT_EQ(context, converted);
    ASSERT_OK(cuMemFree(memory));
    if (on_cpu_device()) {
        EXPECT_EQ(cuCtxDestroy(converted), CUDA_ERROR_INVALID_CONTEXT);
    }
    ASSERT_OK(cuStreamDestroy(own));
    ASSERT_OK(cuGreenCtxDestroy(made));
}

TEST_F(GreenContextTest, NothingIsLeftOfOneThatIsDestroyed) {
    if (!on_cpu_device()) GTEST_SKIP() << "another driver may crash on a handle that is gone";
    const CUgreenCtx made = green(all);
    const CUstream own = stream(made);
    CUcontext converted = nullptr;
    ASSERT_OK(cuCtxFromGreenCtx(&converted, made));
    ASSERT_OK(cuCtxPushCurrent(converted));
    ASSERT_OK(cuGreenCtxDestroy(made));
    EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    EXPECT_EQ(cuStreamSynchronize(own), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    EXPECT_EQ(cuGreenCtxDestroy(made), CUDA_ERROR_INVALID_CONTEXT);
    CUcontext popped = nullptr;
    ASSERT_OK(cuCtxPopCurrent(&popped));
    EXPECT_EQ(cuCtxPushCurrent(converted), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_OK(cuCtxSynchronize());
}

TEST_F(GreenContextTest, EventsAreOfItsStreams) {
    const CUgreenCtx made = green(all);
    const CUstream one = stream(made), other = stream(made);
    CUdeviceptr memory = 0;
    CUevent event = nullptr;
    ASSERT_OK(cuMemAlloc(&memory, 8));
    ASSERT_OK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    ASSERT_OK(cuMemsetD32Async(memory, 1, 1, one));
    ASSERT_OK(cuMemsetD32Async(memory + 4, 2, 1, other));
    ASSERT_OK(cuGreenCtxRecordEvent(made, event));
    ASSERT_OK(cuEventSynchronize(event));
    unsigned values[2] = {};
    ASSERT_OK(cuMemcpyDtoH(values, memory, 8));
    EXPECT_EQ(values[0], 1u);
    EXPECT_EQ(values[1], 2u);
    ASSERT_OK(cuGreenCtxWaitEvent(made, event));
    ASSERT_OK(cuStreamDestroy(one));
    ASSERT_OK(cuStreamDestroy(other));
    ASSERT_OK(cuMemFree(memory));
    ASSERT_OK(cuEventDestroy(event));
    ASSERT_OK(cuGreenCtxDestroy(made));
}

TEST_F(GreenContextTest, TheResetOfThePrimaryContextEndsIt) {
    if (!on_cpu_device()) GTEST_SKIP() << "nothing says what another driver does";
    const CUgreenCtx made = green(all);
    const CUstream own = stream(made);
    ASSERT_OK(cuDevicePrimaryCtxReset(0));
    EXPECT_EQ(cuStreamSynchronize(own), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_OK(cuGreenCtxDestroy(made));
}

}  // namespace
