// The calls that a stream's host function may make: those that name their own stream or event and wait for nothing.
#include <atomic>

#include "driver/arguments/arguments.hpp"

class HostFunctionTest : public ArgumentsTest {
protected:
    /// What `call` returns inside a host function of the stream.
    template <class F>
    CUresult inside(F call) {
        struct Call {
            F function;
            CUresult result = CUDA_ERROR_UNKNOWN;
        } made{call};
        EXPECT_OK(cuLaunchHostFunc(
            stream, [](void* data) { static_cast<Call*>(data)->result = static_cast<Call*>(data)->function(); },
            &made));
        EXPECT_OK(cuStreamSynchronize(stream));
        return made.result;
    }
    int number = 0;
    unsigned flags = 0;
    size_t size = 0;
};

TEST_F(HostFunctionTest, MayAskAndUseStreamsAndEvents) {
    float ms = 0;
    CUevent other = nullptr;
    const char* name = nullptr;
    EXPECT_OK(cuEventCreate(&other, 0));
    EXPECT_RESULT(CUDA_ERROR_NOT_READY, inside([&] { return cuStreamQuery(stream); }));
    EXPECT_RESULT(CUDA_SUCCESS, inside([&] { return cuStreamGetFlags(stream, &flags); }));
    EXPECT_RESULT(CUDA_SUCCESS, inside([&] { return cuEventQuery(event); }));
    EXPECT_RESULT(CUDA_SUCCESS, inside([&] { return cuEventRecord(event, stream); }));
    EXPECT_RESULT(CUDA_SUCCESS, inside([&] { return cuEventElapsedTime(&ms, event, event); }));
    EXPECT_RESULT(CUDA_SUCCESS, inside([&] { return cuStreamWaitEvent(stream, event, 0); }));
    EXPECT_RESULT(CUDA_SUCCESS, inside([&] { return cuEventDestroy(other); }));
    EXPECT_RESULT(CUDA_SUCCESS, inside([&] { return cuDriverGetVersion(&number); }));
    EXPECT_RESULT(CUDA_SUCCESS, inside([&] { return cuGetErrorName(CUDA_SUCCESS, &name); }));
    static std::atomic<int> ran{0};
    EXPECT_RESULT(CUDA_SUCCESS, inside([&] { return cuLaunchHostFunc(stream, [](void*) { ++ran; }, nullptr); }));
    EXPECT_OK(cuStreamSynchronize(stream));
    EXPECT_EQ(1, ran);
}

TEST_F(HostFunctionTest, MayDoNothingElse) {
    CUcontext current = nullptr;
    CUdeviceptr pointer = 0;
    CUstream made = nullptr;
    void* block = nullptr;
    const auto refused = CUDA_ERROR_NOT_PERMITTED;
    EXPECT_RESULT(refused, inside([&] { return cuDeviceGetCount(&number); }));
    EXPECT_RESULT(refused, inside([&] { return cuDeviceGet(&number, 0); }));
    EXPECT_RESULT(refused, inside([&] { return cuDeviceGetAttribute(&number, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0); }));
    EXPECT_RESULT(refused, inside([&] { return cuCtxGetCurrent(&current); }));
    EXPECT_RESULT(refused, inside([&] { return cuCtxSetCurrent(context); }));
    EXPECT_RESULT(refused, inside([&] { return cuCtxPushCurrent(context); }));
    EXPECT_RESULT(refused, inside([&] { return cuCtxPopCurrent(&current); }));
    EXPECT_RESULT(refused, inside([&] { return cuCtxGetDevice(&number); }));
    EXPECT_RESULT(refused, inside([&] { return cuMemGetInfo(&size, &size); }));
    EXPECT_RESULT(refused, inside([&] { return cuMemAlloc(&pointer, 64); }));
    EXPECT_RESULT(refused, inside([&] { return cuMemAlloc(nullptr, 0); }));
    EXPECT_RESULT(refused, inside([&] { return cuMemFree(memory); }));
    EXPECT_RESULT(refused, inside([&] { return cuMemHostAlloc(&block, 64, 0); }));
    EXPECT_RESULT(refused, inside([&] { return cuMemcpyDtoH(host, memory, 4); }));
    EXPECT_RESULT(refused,
                  inside([&] { return cuPointerGetAttribute(&number, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, memory); }));
    EXPECT_RESULT(refused, inside([&] { return cuStreamCreate(&made, 0); }));
    EXPECT_RESULT(refused, inside([&] { return cuFuncGetAttribute(&number, CU_FUNC_ATTRIBUTE_NUM_REGS, nothing); }));
    EXPECT_RESULT(refused,
                  inside([&] { return cuLaunchKernel(nothing, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, nullptr); }));
    EXPECT_OK(cuMemsetD8(memory, 1, 4));  // nothing was done to it
}

TEST_F(HostFunctionTest, MayNotWait) {
    if (!on_cpu_device()) GTEST_SKIP() << "a real driver waits forever";
    EXPECT_RESULT(CUDA_ERROR_NOT_PERMITTED, inside([&] { return cuStreamSynchronize(stream); }));
    EXPECT_RESULT(CUDA_ERROR_NOT_PERMITTED, inside([&] { return cuEventSynchronize(event); }));
    EXPECT_RESULT(CUDA_ERROR_NOT_PERMITTED, inside([&] { return cuCtxSynchronize(); }));
    EXPECT_RESULT(CUDA_ERROR_NOT_PERMITTED, inside([&] { return cuStreamDestroy(stream); }));
    EXPECT_RESULT(CUDA_ERROR_NOT_PERMITTED, inside([&] { return cuCtxDestroy(context); }));
    EXPECT_RESULT(CUDA_ERROR_NOT_PERMITTED, inside([&] { return cuMemcpyDtoHAsync(host, memory, 4, stream); }));
}
