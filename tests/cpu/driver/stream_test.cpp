#include "driver/driver_test.hpp"
#include "driver/kernels.hpp"

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace {

/// A host function that blocks its stream until it is opened.
struct Gate {
    std::atomic<bool> open{false};
    static void CUDA_CB wait(void* gate) {
        while (!static_cast<Gate*>(gate)->open) std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
};

void CUDA_CB count_up(void* counter) {
    ++*static_cast<std::atomic<int>*>(counter);
}

}  // namespace

class StreamTest : public InContext {};

TEST_F(StreamTest, CreatesWithFlagsAndPriority) {
    CUstream stream = nullptr;
    ASSERT_OK(cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, -1));
    unsigned flags = 0;
    int priority = 0;
    CUcontext owner = nullptr;
    EXPECT_OK(cuStreamGetFlags(stream, &flags));
    EXPECT_EQ(static_cast<unsigned>(CU_STREAM_NON_BLOCKING), flags);
    EXPECT_OK(cuStreamGetPriority(stream, &priority));
    EXPECT_EQ(-1, priority);
    EXPECT_OK(cuStreamGetCtx(stream, &owner));
    EXPECT_EQ(context, owner);
    EXPECT_OK(cuStreamQuery(stream));
    EXPECT_OK(cuStreamSynchronize(stream));
    EXPECT_OK(cuStreamDestroy(stream));
    ASSERT_OK(cuStreamCreateWithPriority(&stream, 0, -1000));
    EXPECT_OK(cuStreamGetPriority(stream, &priority));
    EXPECT_EQ(-5, priority);
    EXPECT_OK(cuStreamDestroy(stream));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuStreamCreate(&stream, 2));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuStreamCreate(nullptr, 0));
}

TEST_F(StreamTest, DefaultStreamsHaveProperties) {
    unsigned flags = 9;
    int priority = 9;
    CUcontext owner = nullptr;
    EXPECT_OK(cuStreamGetFlags(nullptr, &flags));
    EXPECT_EQ(0u, flags);
    EXPECT_OK(cuStreamGetPriority(CU_STREAM_LEGACY, &priority));
    EXPECT_EQ(0, priority);
    EXPECT_OK(cuStreamGetCtx(CU_STREAM_PER_THREAD, &owner));
    EXPECT_EQ(context, owner);
    unsigned long long legacy = 0, own = 0, again = 0;
    EXPECT_OK(cuStreamGetId(nullptr, &legacy));
    EXPECT_OK(cuStreamGetId(CU_STREAM_LEGACY, &again));
    EXPECT_EQ(legacy, again);
    EXPECT_OK(cuStreamGetId(CU_STREAM_PER_THREAD, &own));
    EXPECT_NE(legacy, own);
    EXPECT_OK(cuStreamQuery(nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuStreamDestroy(nullptr));
}

TEST_F(StreamTest, GarbageHandlesAreRefused) {
    if (!on_cpu_device()) GTEST_SKIP() << "undefined with a real driver";
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuStreamQuery(reinterpret_cast<CUstream>(0x123450)));
    CUstream stream = nullptr;
    ASSERT_OK(cuStreamCreate(&stream, 0));
    EXPECT_OK(cuStreamDestroy(stream));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuStreamDestroy(stream));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuStreamSynchronize(stream));
}

TEST_F(StreamTest, WorkIsInOrderAndAsynchronous) {
    CUstream stream = nullptr;
    ASSERT_OK(cuStreamCreate(&stream, 0));
    Gate gate;
    std::atomic<int> count{0};
    ASSERT_OK(cuLaunchHostFunc(stream, Gate::wait, &gate));
    for (int i = 0; i < 100; ++i) ASSERT_OK(cuLaunchHostFunc(stream, count_up, &count));
    EXPECT_RESULT(CUDA_ERROR_NOT_READY, cuStreamQuery(stream));
    EXPECT_EQ(0, count);
    gate.open = true;
    EXPECT_OK(cuStreamSynchronize(stream));
    EXPECT_EQ(100, count);
    EXPECT_OK(cuStreamQuery(stream));
    EXPECT_OK(cuStreamDestroy(stream));
}

/// Page-locked memory that a stream's work writes and the host watches. (A host function could not serve as a witness:
/// the driver may run host functions of all streams on one thread.)
class StreamOrderTest : public StreamTest {
protected:
    void SetUp() override {
        StreamTest::SetUp();
        ASSERT_OK(cuStreamCreate(&blocking, CU_STREAM_DEFAULT));
        ASSERT_OK(cuStreamCreate(&free, CU_STREAM_NON_BLOCKING));
        void* host = nullptr;
        ASSERT_OK(cuMemHostAlloc(&host, sizeof(int), CU_MEMHOSTALLOC_DEVICEMAP));
        witness = static_cast<volatile int*>(host);
        *witness = 0;
        ASSERT_OK(cuMemAlloc(&value, sizeof(int)));
    }
    void TearDown() override {
        EXPECT_OK(cuStreamDestroy(blocking));
        EXPECT_OK(cuStreamDestroy(free));
        StreamTest::TearDown();
    }
    /// `number` reaches the witness when `stream` comes to it.
    void write(CUstream stream, unsigned number) {
        EXPECT_OK(cuMemsetD32Async(value, number, 1, stream));
        EXPECT_OK(cuMemcpyDtoHAsync(const_cast<int*>(witness), value, sizeof(int), stream));
    }
    static void let_time_pass() { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }

    CUstream blocking = nullptr, free = nullptr;
    volatile int* witness = nullptr;
    CUdeviceptr value = 0;
};

/// A program that so far has waited for each piece of work.
TEST_F(StreamOrderTest, WorkThatNobodyWaitsForIsDoneToo) {
    CUdeviceptr watched = 0;
    ASSERT_OK(cuMemHostGetDevicePointer(&watched, const_cast<int*>(witness), 0));
    int number = 0;
    for (CUstream stream : {CUstream(nullptr), blocking, free}) {
        for (int i = 0; i < 100; ++i) {
            ASSERT_OK(cuMemsetD32Async(watched, static_cast<unsigned>(++number), 1, stream));
            ASSERT_OK(cuStreamSynchronize(stream));
            ASSERT_EQ(number, *witness);
        }
        ASSERT_OK(cuMemsetD32Async(watched, static_cast<unsigned>(++number), 1, stream));
        while (*witness != number) std::this_thread::yield();
    }
}

TEST_F(StreamOrderTest, WorkThatAnotherStreamWaitsForIsDoneToo) {
    for (int i = 0; i < 100; ++i) {
        ASSERT_OK(cuMemsetD32Async(value, 1, 1, blocking));
        ASSERT_OK(cuStreamSynchronize(blocking));
    }
    ASSERT_OK(cuMemsetD32Async(value, 2, 1, blocking));
    ASSERT_OK(cuMemcpyDtoHAsync(const_cast<int*>(witness), value, sizeof(int), nullptr));
    ASSERT_OK(cuStreamSynchronize(nullptr));
    EXPECT_EQ(2, *witness);
}

TEST_F(StreamOrderTest, LegacyStreamWaitsForBlockingStreamsOnly) {
    Gate gate;
    ASSERT_OK(cuLaunchHostFunc(free, Gate::wait, &gate));
    write(nullptr, 1);
    EXPECT_OK(cuStreamSynchronize(nullptr));
    EXPECT_EQ(1, *witness);
    gate.open = true;
    EXPECT_OK(cuCtxSynchronize());

    Gate second;
    ASSERT_OK(cuLaunchHostFunc(blocking, Gate::wait, &second));
    write(nullptr, 2);
    let_time_pass();
    EXPECT_EQ(1, *witness);
    EXPECT_RESULT(CUDA_ERROR_NOT_READY, cuStreamQuery(nullptr));
    second.open = true;
    EXPECT_OK(cuStreamSynchronize(nullptr));
    EXPECT_EQ(2, *witness);
}

TEST_F(StreamOrderTest, BlockingStreamsWaitForTheLegacyStream) {
    Gate gate;
    ASSERT_OK(cuLaunchHostFunc(nullptr, Gate::wait, &gate));
    write(blocking, 1);
    let_time_pass();
    EXPECT_EQ(0, *witness);
    EXPECT_OK(cuStreamQuery(free));
    write(free, 2);
    EXPECT_OK(cuStreamSynchronize(free));
    EXPECT_EQ(2, *witness);
    gate.open = true;
    EXPECT_OK(cuCtxSynchronize());
    EXPECT_EQ(1, *witness);
}

TEST_F(StreamOrderTest, WaitsForAnEventOfAnotherStream) {
    CUstream second = nullptr;
    CUevent event = nullptr;
    ASSERT_OK(cuStreamCreate(&second, CU_STREAM_NON_BLOCKING));
    ASSERT_OK(cuEventCreate(&event, 0));
    Gate gate;
    ASSERT_OK(cuLaunchHostFunc(free, Gate::wait, &gate));
    EXPECT_OK(cuEventRecord(event, free));
    EXPECT_OK(cuStreamWaitEvent(second, event, 0));
    write(second, 1);
    let_time_pass();
    EXPECT_EQ(0, *witness);
    gate.open = true;
    EXPECT_OK(cuStreamSynchronize(second));
    EXPECT_EQ(1, *witness);
    EXPECT_OK(cuEventDestroy(event));
    EXPECT_OK(cuStreamDestroy(second));
}

TEST_F(StreamTest, CallbacksGetTheStatusAndMayNotCallTheDriver) {
    CUstream stream = nullptr;
    ASSERT_OK(cuStreamCreate(&stream, 0));
    struct Seen {
        CUstream stream = nullptr;
        CUresult status = CUDA_ERROR_UNKNOWN;
        CUresult inside = CUDA_SUCCESS;
    } seen;
    const auto callback = [](CUstream which, CUresult status, void* data) {
        auto* out = static_cast<Seen*>(data);
        out->stream = which;
        out->status = status;
        CUdeviceptr pointer = 0;
        out->inside = cuMemAlloc(&pointer, 4);
    };
    EXPECT_OK(cuStreamAddCallback(stream, callback, &seen, 0));
    EXPECT_OK(cuStreamSynchronize(stream));
    EXPECT_EQ(stream, seen.stream);
    EXPECT_RESULT(CUDA_SUCCESS, seen.status);
    EXPECT_RESULT(CUDA_ERROR_NOT_PERMITTED, seen.inside);
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuStreamAddCallback(stream, nullptr, &seen, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuStreamAddCallback(stream, callback, &seen, 1));
    EXPECT_OK(cuStreamDestroy(stream));
}

TEST_F(StreamTest, DestroyLetsPendingWorkFinish) {
    CUstream stream = nullptr;
    ASSERT_OK(cuStreamCreate(&stream, 0));
    Gate gate;
    std::atomic<int> count{0};
    ASSERT_OK(cuLaunchHostFunc(stream, Gate::wait, &gate));
    ASSERT_OK(cuLaunchHostFunc(stream, count_up, &count));
    EXPECT_OK(cuStreamDestroy(stream));
    EXPECT_EQ(0, count);
    gate.open = true;
    EXPECT_OK(cuCtxSynchronize());
    EXPECT_EQ(1, count);
}

TEST_F(StreamTest, QueuedCopiesKeepAVariableThatIsUnloadedElsewhere) {
    if (!on_cpu_device()) GTEST_SKIP() << "undefined with a real driver";
    CUmodule module = nullptr;
    ASSERT_OK(cuModuleLoadData(&module, kernels::all));
    CUdeviceptr variable = 0, copied = 0;
    ASSERT_OK(cuModuleGetGlobal(&variable, nullptr, module, "counter"));
    CUcontext other = nullptr;
    CUstream stream = nullptr;
    Gate gate;
    ASSERT_OK(cuCtxCreate(&other, nullptr, 0, 0));
    ASSERT_OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    ASSERT_OK(cuMemAlloc(&copied, 4));
    EXPECT_OK(cuLaunchHostFunc(stream, Gate::wait, &gate));
    EXPECT_OK(cuMemcpyDtoDAsync(copied, variable, 4, stream));
    EXPECT_OK(cuCtxPushCurrent(context));
    EXPECT_OK(cuModuleUnload(module));
    EXPECT_OK(cuCtxPopCurrent(nullptr));
    gate.open = true;
    EXPECT_OK(cuStreamSynchronize(stream));
    unsigned seen = 0;
    EXPECT_OK(cuMemcpyDtoH(&seen, copied, 4));
    EXPECT_EQ(41u, seen);
    EXPECT_OK(cuCtxDestroy(other));
}

TEST_F(StreamTest, ManyThreadsShareStreams) {
    std::vector<CUstream> streams(4);
    for (CUstream& stream : streams) ASSERT_OK(cuStreamCreate(&stream, 0));
    std::atomic<int> count{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
            EXPECT_OK(cuCtxSetCurrent(context));
            CUdeviceptr pointer = 0;
            EXPECT_OK(cuMemAlloc(&pointer, 4096));
            for (int i = 0; i < 200; ++i) {
                EXPECT_OK(cuLaunchHostFunc(streams[static_cast<size_t>(t + i) % 4], count_up, &count));
                EXPECT_OK(cuMemsetD8Async(pointer, 1, 4096, streams[static_cast<size_t>(t)]));
                if (i % 50 != 0) continue;
                EXPECT_OK(cuMemsetD8(pointer, 2, 4096));
            }
            EXPECT_OK(cuStreamSynchronize(streams[static_cast<size_t>(t)]));
            EXPECT_OK(cuMemFree(pointer));
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_OK(cuCtxSynchronize());
    EXPECT_EQ(800, count);
    for (CUstream stream : streams) EXPECT_OK(cuStreamDestroy(stream));
}

class EventTest : public InContext {};

TEST_F(EventTest, IsReachedBeforeItIsRecorded) {
    CUevent event = nullptr;
    ASSERT_OK(cuEventCreate(&event, CU_EVENT_DEFAULT));
    EXPECT_OK(cuEventQuery(event));
    EXPECT_OK(cuEventSynchronize(event));
    EXPECT_OK(cuStreamWaitEvent(nullptr, event, 0));
    EXPECT_OK(cuEventDestroy(event));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuEventCreate(&event, 0x40));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuEventCreate(&event, CU_EVENT_INTERPROCESS));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuEventCreate(nullptr, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuEventQuery(nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuEventDestroy(nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuEventRecord(nullptr, nullptr));
}

TEST_F(EventTest, TimesWhatLiesBetween) {
    CUevent start = nullptr, end = nullptr;
    CUstream stream = nullptr;
    ASSERT_OK(cuEventCreate(&start, CU_EVENT_DEFAULT));
    ASSERT_OK(cuEventCreate(&end, CU_EVENT_BLOCKING_SYNC));
    ASSERT_OK(cuStreamCreate(&stream, 0));
    float ms = -1;
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(&ms, start, end));
    Gate gate;
    const auto before = std::chrono::steady_clock::now();
    EXPECT_OK(cuEventRecord(start, stream));
    EXPECT_OK(cuLaunchHostFunc(stream, Gate::wait, &gate));
    EXPECT_OK(cuEventRecord(end, stream));
    EXPECT_RESULT(CUDA_ERROR_NOT_READY, cuEventQuery(end));
    EXPECT_RESULT(CUDA_ERROR_NOT_READY, cuEventElapsedTime(&ms, start, end));
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    gate.open = true;
    EXPECT_OK(cuEventSynchronize(end));
    EXPECT_OK(cuEventQuery(end));
    EXPECT_OK(cuEventElapsedTime(&ms, start, end));
    EXPECT_GE(ms, 25);
    const std::chrono::duration<float, std::milli> around = std::chrono::steady_clock::now() - before;
    EXPECT_LT(ms, around.count() + 1);
    EXPECT_OK(cuEventDestroy(start));
    EXPECT_OK(cuEventDestroy(end));
    EXPECT_OK(cuStreamDestroy(stream));
}

TEST_F(EventTest, WithoutTimingHasNoTime) {
    CUevent start = nullptr, end = nullptr;
    ASSERT_OK(cuEventCreate(&start, CU_EVENT_DISABLE_TIMING));
    ASSERT_OK(cuEventCreate(&end, CU_EVENT_DEFAULT));
    EXPECT_OK(cuEventRecord(start, nullptr));
    EXPECT_OK(cuEventRecord(end, nullptr));
    EXPECT_OK(cuEventSynchronize(end));
    float ms = 0;
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(&ms, start, end));
    EXPECT_OK(cuEventDestroy(start));
    EXPECT_OK(cuEventDestroy(end));
}

TEST_F(EventTest, IsForStreamsOfItsContext) {
    CUevent event = nullptr;
    ASSERT_OK(cuEventCreate(&event, 0));
    CUcontext other = nullptr;
    ASSERT_OK(cuCtxCreate(&other, nullptr, 0, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuEventRecord(event, nullptr));
    EXPECT_OK(cuStreamWaitEvent(nullptr, event, 0));
    EXPECT_OK(cuCtxDestroy(other));
    EXPECT_OK(cuEventDestroy(event));
}

TEST_F(StreamOrderTest, WaitsForAValueInMemory) {
    CUdeviceptr flag = 0;
    ASSERT_OK(cuMemAlloc(&flag, 8));
    ASSERT_OK(cuMemsetD32(flag, 0, 2));
    EXPECT_OK(cuStreamWaitValue32(blocking, flag, 3, CU_STREAM_WAIT_VALUE_GEQ));
    write(blocking, 1);
    let_time_pass();
    EXPECT_EQ(0, *witness);
    EXPECT_OK(cuStreamWriteValue32(free, flag, 5, 0));
    EXPECT_OK(cuStreamSynchronize(blocking));
    EXPECT_EQ(1, *witness);
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuStreamWriteValue32(free, flag + 1, 5, 0));
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
    EXPECT_OK(cuStreamIsCapturing(free, &status));
    EXPECT_EQ(CU_STREAM_CAPTURE_STATUS_NONE, status);
    EXPECT_OK(cuMemFree(flag));
}
