// Streams and events: one bad argument per call.
#include "driver/arguments/arguments.hpp"

class StreamArgumentsTest : public ArgumentsTest {
protected:
    unsigned number = 0;
    int priority = 0;
    unsigned long long id = 0;
};

TEST_F(StreamArgumentsTest, CreateAndDestroy) {
    CUstream made = nullptr;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuStreamCreate(nullptr, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuStreamCreate(&made, 2));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuStreamCreate(&made, 0x80000001));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuStreamCreateWithPriority(nullptr, 0, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuStreamCreateWithPriority(&made, 4, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuStreamDestroy(nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuStreamDestroy(CU_STREAM_LEGACY));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuStreamDestroy(CU_STREAM_PER_THREAD));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_HANDLE, cuStreamDestroy(garbage<CUstream>()));
}

TEST_F(StreamArgumentsTest, Questions) {
    CUcontext of = nullptr;
    CUdevice device = 0;
    CUstreamCaptureStatus status;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuStreamGetPriority(stream, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuStreamGetFlags(stream, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuStreamGetId(stream, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuStreamGetCtx(stream, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuStreamGetDevice(stream, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuStreamIsCapturing(stream, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE,
                  cuStreamGetCaptureInfo(stream, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_HANDLE, cuStreamGetPriority(garbage<CUstream>(), &priority));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_HANDLE, cuStreamGetFlags(garbage<CUstream>(), &number));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_HANDLE, cuStreamGetId(garbage<CUstream>(), &id));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_HANDLE, cuStreamGetCtx(garbage<CUstream>(), &of));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_HANDLE, cuStreamGetDevice(garbage<CUstream>(), &device));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_HANDLE, cuStreamIsCapturing(garbage<CUstream>(), &status));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_HANDLE, cuStreamQuery(garbage<CUstream>()));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_HANDLE, cuStreamSynchronize(garbage<CUstream>()));
}

TEST_F(StreamArgumentsTest, HostFunctions) {
    const CUstreamCallback callback = [](CUstream, CUresult, void*) {};
    const CUhostFn function = [](void*) {};
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuStreamAddCallback(stream, nullptr, nullptr, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuStreamAddCallback(stream, callback, nullptr, 1));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_HANDLE, cuStreamAddCallback(garbage<CUstream>(), callback, nullptr, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuLaunchHostFunc(stream, nullptr, nullptr));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_HANDLE, cuLaunchHostFunc(garbage<CUstream>(), function, nullptr));
}

TEST_F(StreamArgumentsTest, WaitForEvents) {
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuStreamWaitEvent(stream, nullptr, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuStreamWaitEvent(stream, event, 2));
    EXPECT_RESULT(CUDA_ERROR_ILLEGAL_STATE, cuStreamWaitEvent(stream, event, CU_EVENT_WAIT_EXTERNAL));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_HANDLE, cuStreamWaitEvent(garbage<CUstream>(), event, 0));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_HANDLE, cuStreamWaitEvent(stream, garbage<CUevent>(), 0));
}

TEST_F(StreamArgumentsTest, MemoryOperations) {
    const auto wait = [&](CUdeviceptr at, unsigned flags) { return cuStreamWaitValue32(stream, at, 0, flags); };
    ASSERT_OK(cuMemsetD8(memory, 0, 64));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuStreamWriteValue32(stream, 0, 1, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuStreamWriteValue32(stream, memory + 2, 1, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuStreamWriteValue32(stream, memory, 1, 8));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuStreamWriteValue32(stream, nowhere, 1, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE,
                  cuStreamWriteValue32(stream, memory, 0, CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuStreamWriteValue64(stream, memory + 4, 1, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuStreamWriteValue64(stream, 0, 1, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, wait(0, CU_STREAM_WAIT_VALUE_GEQ));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, wait(memory + 1, CU_STREAM_WAIT_VALUE_GEQ));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, wait(memory, 4));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, wait(memory, 0x100));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, wait(nowhere, CU_STREAM_WAIT_VALUE_GEQ));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuStreamWaitValue64(stream, memory + 4, 0, CU_STREAM_WAIT_VALUE_GEQ));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_HANDLE, cuStreamWriteValue32(garbage<CUstream>(), memory, 1, 0));
    EXPECT_OK(cuStreamSynchronize(stream));
}

TEST_F(StreamArgumentsTest, AttachMemory) {
    CUdeviceptr managed = 0;
    ASSERT_OK(cuMemAllocManaged(&managed, 4096, CU_MEM_ATTACH_GLOBAL));
    EXPECT_RESULT(CUDA_SUCCESS, cuStreamAttachMemAsync(stream, managed, 0, CU_MEM_ATTACH_HOST));
    EXPECT_RESULT(CUDA_SUCCESS, cuStreamAttachMemAsync(stream, managed, 4096, CU_MEM_ATTACH_GLOBAL));
    EXPECT_RESULT(CUDA_SUCCESS, cuStreamAttachMemAsync(stream, managed, 0, CU_MEM_ATTACH_SINGLE));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_VALUE, cuStreamAttachMemAsync(stream, managed, 0, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuStreamAttachMemAsync(stream, managed, 0, 3));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuStreamAttachMemAsync(stream, managed, 100, CU_MEM_ATTACH_GLOBAL));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuStreamAttachMemAsync(stream, managed + 64, 0, CU_MEM_ATTACH_GLOBAL));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuStreamAttachMemAsync(stream, memory, 0, CU_MEM_ATTACH_GLOBAL));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuStreamAttachMemAsync(stream, 0, 0, CU_MEM_ATTACH_GLOBAL));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuStreamAttachMemAsync(nullptr, managed, 0, CU_MEM_ATTACH_SINGLE));
    EXPECT_OK(cuStreamSynchronize(stream));
    EXPECT_OK(cuMemFree(managed));
}

TEST_F(StreamArgumentsTest, NothingCurrent) {
    ASSERT_OK(cuCtxPopCurrent(nullptr));
    CUstream made = nullptr;
    CUevent other = nullptr;
    CUcontext of = nullptr;
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuStreamCreate(&made, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuStreamCreate(&made, 77));
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuStreamCreateWithPriority(&made, 0, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuStreamQuery(nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuStreamSynchronize(CU_STREAM_LEGACY));
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuStreamSynchronize(CU_STREAM_PER_THREAD));
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuStreamGetCtx(nullptr, &of));
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuEventCreate(&other, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuEventRecord(event, nullptr));
    EXPECT_RESULT(CUDA_SUCCESS, cuStreamGetCtx(stream, &of));
    EXPECT_RESULT(CUDA_SUCCESS, cuStreamQuery(stream));
    EXPECT_RESULT(CUDA_SUCCESS, cuStreamSynchronize(stream));
    EXPECT_RESULT(CUDA_SUCCESS, cuEventRecord(event, stream));
    EXPECT_RESULT(CUDA_SUCCESS, cuEventSynchronize(event));
    EXPECT_RESULT(CUDA_SUCCESS, cuEventQuery(event));
    EXPECT_RESULT(CUDA_SUCCESS, cuStreamWaitEvent(stream, event, 0));
    EXPECT_RESULT(CUDA_SUCCESS, cuEventDestroy(event));
    EXPECT_RESULT(CUDA_SUCCESS, cuStreamDestroy(stream));
    EXPECT_OK(cuCtxPushCurrent(context));
}

class EventArgumentsTest : public ArgumentsTest {};

TEST_F(EventArgumentsTest, CreateAndDestroy) {
    CUevent made = nullptr;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuEventCreate(nullptr, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuEventCreate(&made, 8));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuEventCreate(&made, CU_EVENT_INTERPROCESS));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuEventDestroy(nullptr));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_HANDLE, cuEventDestroy(garbage<CUevent>()));
}

TEST_F(EventArgumentsTest, RecordAndWait) {
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuEventRecord(nullptr, stream));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_HANDLE, cuEventRecord(garbage<CUevent>(), stream));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_HANDLE, cuEventRecord(event, garbage<CUstream>()));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuEventRecordWithFlags(event, stream, 2));
    EXPECT_RESULT(CUDA_ERROR_ILLEGAL_STATE, cuEventRecordWithFlags(event, stream, CU_EVENT_RECORD_EXTERNAL));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuEventRecordWithFlags(nullptr, stream, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuEventQuery(nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuEventSynchronize(nullptr));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_HANDLE, cuEventQuery(garbage<CUevent>()));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_HANDLE, cuEventSynchronize(garbage<CUevent>()));
}

TEST_F(EventArgumentsTest, Time) {
    CUevent second = nullptr, untimed = nullptr;
    float ms = 0;
    ASSERT_OK(cuEventCreate(&second, CU_EVENT_DEFAULT));
    ASSERT_OK(cuEventCreate(&untimed, CU_EVENT_DISABLE_TIMING));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(&ms, event, second));
    EXPECT_OK(cuEventRecord(event, stream));
    EXPECT_OK(cuEventRecord(untimed, stream));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(&ms, event, second));
    EXPECT_OK(cuEventRecord(second, stream));
    EXPECT_OK(cuStreamSynchronize(stream));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(nullptr, event, second));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(&ms, nullptr, second));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(&ms, event, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(&ms, untimed, second));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(&ms, event, untimed));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(&ms, garbage<CUevent>(), second));
    EXPECT_RESULT(CUDA_SUCCESS, cuEventElapsedTime(&ms, event, event));
    EXPECT_EQ(0, ms);
    EXPECT_RESULT(CUDA_SUCCESS, cuEventElapsedTime(&ms, second, event));
    EXPECT_LE(ms, 0);
}

TEST_F(EventArgumentsTest, OfAnotherContext) {
    CUcontext other = nullptr;
    CUevent there = nullptr;
    float ms = 0;
    EXPECT_OK(cuEventRecord(event, stream));
    ASSERT_OK(cuCtxCreate(&other, nullptr, 0, 0));
    ASSERT_OK(cuEventCreate(&there, CU_EVENT_DEFAULT));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuEventRecord(there, stream));
    EXPECT_RESULT(CUDA_SUCCESS, cuEventRecord(event, stream));
    EXPECT_OK(cuEventRecord(there, nullptr));
    EXPECT_OK(cuCtxSynchronize());
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(&ms, event, there));
    EXPECT_OK(cuCtxDestroy(other));
}

TEST_F(EventArgumentsTest, Ipc) {
    CUipcEventHandle handle{};
    CUevent opened = nullptr, shared = nullptr;
    ASSERT_OK(cuEventCreate(&shared, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuIpcGetEventHandle(nullptr, shared));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuIpcGetEventHandle(&handle, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuIpcGetEventHandle(&handle, event));
    EXPECT_RESULT(CUDA_ERROR_MAP_FAILED, cuIpcOpenEventHandle(&opened, handle));
    EXPECT_OK(cuIpcGetEventHandle(&handle, shared));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuIpcOpenEventHandle(nullptr, handle));
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuIpcOpenEventHandle(&opened, handle));
}
