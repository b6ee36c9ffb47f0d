#include "driver/driver_test.hpp"

#include <thread>

class ContextTest : public DriverTest {};

TEST_F(ContextTest, NothingIsCurrentAtFirst) {
    CUcontext context = reinterpret_cast<CUcontext>(1);
    EXPECT_OK(cuCtxGetCurrent(&context));
    EXPECT_EQ(nullptr, context);
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuCtxPopCurrent(&context));
    CUdevice device = -1;
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuCtxGetDevice(&device));
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuCtxSynchronize());
    unsigned version = 0;
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuCtxGetApiVersion(nullptr, &version));
    CUdeviceptr pointer = 0;
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuMemAlloc(&pointer, 4));
    CUstream stream = nullptr;
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuStreamCreate(&stream, 0));
    CUevent event = nullptr;
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuEventCreate(&event, 0));
    CUmodule module = nullptr;
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT,
                  cuModuleLoadData(&module, ".version 7.0\n.target sm_50\n.address_size 64\n"));
    size_t free = 0, total = 0;
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuMemGetInfo(&free, &total));
}

TEST_F(ContextTest, CreateMakesCurrentAndDestroyPops) {
    CUcontext first = nullptr, second = nullptr, current = nullptr;
    ASSERT_OK(cuCtxCreate(&first, nullptr, 0, 0));
    ASSERT_OK(cuCtxCreate(&second, nullptr, 0, 0));
    EXPECT_NE(first, second);
    EXPECT_OK(cuCtxGetCurrent(&current));
    EXPECT_EQ(second, current);
    EXPECT_OK(cuCtxDestroy(second));
    EXPECT_OK(cuCtxGetCurrent(&current));
    EXPECT_EQ(first, current);
    EXPECT_OK(cuCtxPopCurrent(&current));
    EXPECT_EQ(first, current);
    EXPECT_OK(cuCtxPushCurrent(first));
    EXPECT_OK(cuCtxSetCurrent(nullptr));
    EXPECT_OK(cuCtxGetCurrent(&current));
    EXPECT_EQ(nullptr, current);
    EXPECT_OK(cuCtxDestroy(first));
}

TEST_F(ContextTest, RefusesBadArguments) {
    CUcontext context = nullptr;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuCtxCreate(nullptr, nullptr, 0, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuCtxCreate(&context, nullptr, 0x1000, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuCtxCreate(&context, nullptr, CU_CTX_SCHED_SPIN | CU_CTX_SCHED_YIELD, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_DEVICE, cuCtxCreate(&context, nullptr, 0, 99));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuCtxDestroy(nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuCtxPushCurrent(nullptr));
}

TEST_F(ContextTest, DestroyedHandlesAreRefused) {
    if (!on_cpu_device()) GTEST_SKIP() << "undefined with a real driver";
    CUcontext context = nullptr;
    ASSERT_OK(cuCtxCreate(&context, nullptr, 0, 0));
    EXPECT_OK(cuCtxDestroy(context));
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuCtxDestroy(context));
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuCtxPushCurrent(context));
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuCtxSetCurrent(reinterpret_cast<CUcontext>(0x1234)));
}

TEST_F(ContextTest, DestroyedElsewhereStaysOnTheStack) {
    CUcontext context = nullptr;
    ASSERT_OK(cuCtxCreate(&context, nullptr, 0, 0));
    std::thread([&] {
        EXPECT_OK(cuCtxPushCurrent(context));
        EXPECT_OK(cuCtxDestroy(context));
    }).join();
    CUcontext current = nullptr;
    EXPECT_OK(cuCtxGetCurrent(&current));
    EXPECT_EQ(context, current);
    CUdeviceptr pointer = 0;
    EXPECT_RESULT(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuMemAlloc(&pointer, 4));
    EXPECT_RESULT(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuCtxSynchronize());
    CUdevice device = -1;
    EXPECT_OK(cuCtxGetDevice(&device));
    EXPECT_OK(cuCtxPopCurrent(&current));
    EXPECT_EQ(context, current);
}

TEST_F(ContextTest, TellsItsSettings) {
    CUcontext context = nullptr;
    ASSERT_OK(cuCtxCreate(&context, nullptr, CU_CTX_SCHED_BLOCKING_SYNC, 0));
    unsigned flags = 0, version = 0;
    EXPECT_OK(cuCtxGetFlags(&flags));
    EXPECT_EQ(CU_CTX_SCHED_BLOCKING_SYNC | CU_CTX_MAP_HOST, flags | CU_CTX_MAP_HOST);
    EXPECT_OK(cuCtxGetApiVersion(context, &version));
    EXPECT_EQ(3020u, version);
    CUdevice device = -1;
    EXPECT_OK(cuCtxGetDevice(&device));
    EXPECT_EQ(0, device);
    unsigned long long id = 0, again = 0;
    EXPECT_OK(cuCtxGetId(context, &id));
    EXPECT_OK(cuCtxGetId(nullptr, &again));
    EXPECT_EQ(id, again);
    int least = 1, greatest = 1;
    EXPECT_OK(cuCtxGetStreamPriorityRange(&least, &greatest));
    EXPECT_EQ(0, least);
    EXPECT_EQ(-5, greatest);
    EXPECT_OK(cuCtxGetStreamPriorityRange(nullptr, nullptr));
    CUfunc_cache cache;
    EXPECT_OK(cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_L1));
    EXPECT_OK(cuCtxGetCacheConfig(&cache));
    EXPECT_EQ(CU_FUNC_CACHE_PREFER_L1, cache);
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuCtxSetCacheConfig(static_cast<CUfunc_cache>(9)));
    EXPECT_OK(cuCtxDestroy(context));
}

TEST_F(ContextTest, Limits) {
    CUcontext context = nullptr;
    ASSERT_OK(cuCtxCreate(&context, nullptr, 0, 0));
    size_t value = 0;
    EXPECT_OK(cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE));
    EXPECT_EQ(1024u, value);
    EXPECT_OK(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096));
    EXPECT_OK(cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE));
    EXPECT_EQ(4096u, value);
    EXPECT_OK(cuCtxGetLimit(&value, CU_LIMIT_MALLOC_HEAP_SIZE));
    EXPECT_EQ(8u << 20, value);
    EXPECT_OK(cuCtxGetLimit(&value, CU_LIMIT_PRINTF_FIFO_SIZE));
    EXPECT_GT(value, 1u << 20);
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuCtxGetLimit(&value, static_cast<CUlimit>(77)));
    EXPECT_RESULT(CUDA_ERROR_UNSUPPORTED_LIMIT, cuCtxGetLimit(&value, CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH));
    EXPECT_RESULT(CUDA_ERROR_NOT_PERMITTED, cuCtxSetLimit(CU_LIMIT_SHMEM_SIZE, 1024));
    EXPECT_OK(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 1000));
    EXPECT_OK(cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE));
    EXPECT_EQ(1008u, value);
    EXPECT_OK(cuCtxGetLimit(&value, CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT));
    EXPECT_EQ(2048u, value);
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuCtxGetLimit(nullptr, CU_LIMIT_STACK_SIZE));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuCtxSetLimit(static_cast<CUlimit>(77), 1));
    EXPECT_OK(cuCtxDestroy(context));
}

namespace {

/// Whether the current device's memory holds a stack of `bytes` for every thread that it runs at the same time.
bool stacks_fit(size_t bytes) {
    CUdevice device = 0;
    int processors = 0, threads = 0;
    size_t free = 0, total = 0;
    EXPECT_OK(cuCtxGetDevice(&device));
    EXPECT_OK(cuDeviceGetAttribute(&processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device));
    EXPECT_OK(cuDeviceGetAttribute(&threads, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, device));
    EXPECT_OK(cuMemGetInfo(&free, &total));
    return bytes * static_cast<size_t>(processors) * static_cast<size_t>(threads) <= free;
}

}  // namespace

TEST_F(ContextTest, LimitsAreGrantedInSteps) {
    CUcontext context = nullptr;
    ASSERT_OK(cuCtxCreate(&context, nullptr, 0, 0));
    const auto granted = [](CUlimit which, size_t asked) {
        size_t value = 0;
        EXPECT_OK(cuCtxSetLimit(which, asked)) << asked;
        EXPECT_OK(cuCtxGetLimit(&value, which));
        return value;
    };
    EXPECT_EQ(4112u, granted(CU_LIMIT_STACK_SIZE, 4097));
    constexpr size_t most = 523264;
    if (on_cpu_device() || stacks_fit(most)) {
        EXPECT_EQ(most, granted(CU_LIMIT_STACK_SIZE, most));
        EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 524272));
    } else {
        EXPECT_RESULT(CUDA_ERROR_OUT_OF_MEMORY, cuCtxSetLimit(CU_LIMIT_STACK_SIZE, most));
    }
    EXPECT_EQ(1024u, granted(CU_LIMIT_STACK_SIZE, 1024));
    EXPECT_EQ(512u << 10, granted(CU_LIMIT_PRINTF_FIFO_SIZE, 1));
    EXPECT_EQ((512u << 10) + 256, granted(CU_LIMIT_PRINTF_FIFO_SIZE, (512 << 10) + 1));
    EXPECT_EQ(size_t{1} << 31, granted(CU_LIMIT_PRINTF_FIFO_SIZE, size_t{10} << 30));
    EXPECT_EQ(4u << 20, granted(CU_LIMIT_MALLOC_HEAP_SIZE, 1));
    EXPECT_EQ(77u << 16, granted(CU_LIMIT_MALLOC_HEAP_SIZE, 5000000));
    EXPECT_EQ(16u << 20, granted(CU_LIMIT_MALLOC_HEAP_SIZE, 16 << 20));
    EXPECT_EQ(32u, granted(CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT, 0));
    EXPECT_EQ(100u, granted(CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 100));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuCtxSetLimit(CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 512));
    EXPECT_EQ(0u, granted(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuCtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 1 << 30));
    EXPECT_RESULT(CUDA_ERROR_NOT_PERMITTED, cuCtxSetLimit(CU_LIMIT_CIG_ENABLED, 1));
    EXPECT_OK(cuCtxDestroy(context));
}

TEST_F(ContextTest, ResetEndsThePrimaryAndKeepsItsUsers) {
    CUcontext primary = nullptr, again = nullptr;
    CUdeviceptr pointer = 0;
    unsigned flags = 9;
    int active = 9;
    EXPECT_OK(cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_SPIN));
    ASSERT_OK(cuDevicePrimaryCtxRetain(&primary, 0));
    EXPECT_OK(cuCtxPushCurrent(primary));
    EXPECT_OK(cuCtxGetFlags(&flags));
    EXPECT_EQ(static_cast<unsigned>(CU_CTX_SCHED_SPIN | CU_CTX_MAP_HOST), flags);
    EXPECT_OK(cuMemAlloc(&pointer, 64));
    EXPECT_OK(cuDevicePrimaryCtxReset(0));
    EXPECT_OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    EXPECT_EQ(0u, flags);
    EXPECT_EQ(0, active);
    EXPECT_RESULT(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuMemAlloc(&pointer, 64));
    EXPECT_OK(cuDevicePrimaryCtxRelease(0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuDevicePrimaryCtxRelease(0));
    ASSERT_OK(cuDevicePrimaryCtxRetain(&again, 0));
    EXPECT_EQ(primary, again);
    EXPECT_OK(cuMemAlloc(&pointer, 64));
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuCtxDestroy(primary));
    EXPECT_OK(cuDevicePrimaryCtxRelease(0));
    EXPECT_OK(cuCtxPopCurrent(&again));
}

TEST_F(ContextTest, PrimaryIsCountedAndKeepsItsHandle) {
    CUcontext first = nullptr, second = nullptr;
    unsigned flags = 9;
    int active = 9;
    EXPECT_OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    EXPECT_EQ(0, active);
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuDevicePrimaryCtxRelease(0));
    ASSERT_OK(cuDevicePrimaryCtxRetain(&first, 0));
    ASSERT_OK(cuDevicePrimaryCtxRetain(&second, 0));
    EXPECT_EQ(first, second);
    EXPECT_OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    EXPECT_EQ(1, active);
    CUcontext current = nullptr;
    EXPECT_OK(cuCtxGetCurrent(&current));
    EXPECT_EQ(nullptr, current);
    EXPECT_OK(cuCtxPushCurrent(first));
    CUdeviceptr pointer = 0;
    EXPECT_OK(cuMemAlloc(&pointer, 64));
    EXPECT_OK(cuDevicePrimaryCtxRelease(0));
    EXPECT_OK(cuMemFree(pointer));
    EXPECT_OK(cuDevicePrimaryCtxRelease(0));
    EXPECT_OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    EXPECT_EQ(0, active);
    EXPECT_RESULT(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuMemAlloc(&pointer, 64));
    ASSERT_OK(cuDevicePrimaryCtxRetain(&second, 0));
    EXPECT_EQ(first, second);
    EXPECT_OK(cuMemAlloc(&pointer, 64));
    EXPECT_OK(cuDevicePrimaryCtxReset(0));
    EXPECT_OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    EXPECT_EQ(0, active);
    EXPECT_OK(cuDevicePrimaryCtxRelease(0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_DEVICE, cuDevicePrimaryCtxRetain(&second, 99));
    EXPECT_OK(cuCtxPopCurrent(&current));
}

TEST_F(ContextTest, PrimaryCannotBeDestroyedAndTakesFlags) {
    CUcontext context = nullptr;
    EXPECT_OK(cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_YIELD));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuDevicePrimaryCtxSetFlags(0, 0x10000));
    ASSERT_OK(cuDevicePrimaryCtxRetain(&context, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuCtxDestroy(context));
    unsigned flags = 0;
    int active = 0;
    EXPECT_OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    EXPECT_EQ(static_cast<unsigned>(CU_CTX_SCHED_YIELD), flags & CU_CTX_SCHED_MASK);
    EXPECT_OK(cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_AUTO));
    EXPECT_OK(cuDevicePrimaryCtxRelease(0));
}

TEST_F(ContextTest, EndsWithAKernelThatNeverDoes) {
    if (!on_cpu_device()) GTEST_SKIP() << "a GPU may wait for it";
    CUcontext context = nullptr;
    ASSERT_OK(cuCtxCreate(&context, nullptr, 0, 0));
    CUmodule module = nullptr;
    CUfunction endless = nullptr;
    ASSERT_OK(cuModuleLoadData(&module,
                               ".version 8.0\n.target sm_50\n.address_size 64\n"
                               ".visible .entry endless()\n{\nAGAIN: bra AGAIN;\n}\n"));
    ASSERT_OK(cuModuleGetFunction(&endless, module, "endless"));
    EXPECT_OK(cuLaunchKernel(endless, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr));
    EXPECT_OK(cuLaunchKernel(endless, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr));
    testing::internal::CaptureStderr();
    EXPECT_OK(cuCtxDestroy(context));
    EXPECT_NE(std::string::npos, testing::internal::GetCapturedStderr().find("kernel endless: ended"));
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuCtxSetCurrent(context));
}

TEST_F(ContextTest, EndsWhatItOwns) {
    CUcontext context = nullptr;
    size_t before = 0, after = 0, total = 0;
    CUcontext other = nullptr;
    ASSERT_OK(cuCtxCreate(&other, nullptr, 0, 0));
    ASSERT_OK(cuCtxCreate(&context, nullptr, 0, 0));
    EXPECT_OK(cuMemGetInfo(&before, &total));
    CUdeviceptr pointer = 0;
    ASSERT_OK(cuMemAlloc(&pointer, 64 << 20));
    EXPECT_OK(cuMemGetInfo(&after, &total));
    EXPECT_LE(after + (64 << 20), before);
    CUstream stream = nullptr;
    ASSERT_OK(cuStreamCreate(&stream, 0));
    EXPECT_OK(cuCtxDestroy(context));
    EXPECT_OK(cuMemGetInfo(&after, &total));
    EXPECT_GE(after, before);
    if (on_cpu_device()) {
        EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuStreamSynchronize(stream));
        EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemFree(pointer));
    }
    EXPECT_OK(cuCtxDestroy(other));
}

TEST_F(ContextTest, PeersAreOnOtherDevices) {
    CUcontext context = nullptr, other = nullptr;
    ASSERT_OK(cuCtxCreate(&other, nullptr, 0, 0));
    ASSERT_OK(cuCtxCreate(&context, nullptr, 0, 0));
    int can = 1;
    EXPECT_OK(cuDeviceCanAccessPeer(&can, 0, 0));
    EXPECT_EQ(0, can);
    EXPECT_RESULT(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, cuCtxEnablePeerAccess(context, 0));
    EXPECT_RESULT(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, cuCtxEnablePeerAccess(other, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuCtxEnablePeerAccess(other, 1));
    EXPECT_RESULT(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, cuCtxDisablePeerAccess(other));
    EXPECT_RESULT(CUDA_ERROR_INVALID_DEVICE,
                  cuDeviceGetP2PAttribute(&can, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 0));
    EXPECT_OK(cuCtxDestroy(context));
    EXPECT_OK(cuCtxDestroy(other));
}

TEST_F(ContextTest, StacksBelongToThreads) {
    CUcontext context = nullptr, seen = nullptr;
    ASSERT_OK(cuCtxCreate(&context, nullptr, 0, 0));
    std::thread([&] {
        EXPECT_OK(cuCtxGetCurrent(&seen));
        EXPECT_EQ(nullptr, seen);
        EXPECT_OK(cuCtxSetCurrent(context));
        CUdeviceptr pointer = 0;
        EXPECT_OK(cuMemAlloc(&pointer, 16));
        EXPECT_OK(cuMemFree(pointer));
    }).join();
    EXPECT_OK(cuCtxDestroy(context));
}
