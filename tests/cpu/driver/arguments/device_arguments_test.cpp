// Devices and contexts: one bad argument per call.
#include <cstring>
#include <limits>
#include <thread>

#include "driver/arguments/arguments.hpp"

// From cudaProfiler.h, which few toolkits install.
extern "C" CUresult cuProfilerStart();
extern "C" CUresult cuProfilerInitialize(const char*, const char*, int);
extern "C" CUresult cuProfilerStop();

TEST(DriverBeforeInit, EveryKindOfCallNeedsIt) {
    int count = 0;
    if (cuDeviceGetCount(&count) == CUDA_SUCCESS) GTEST_SKIP() << "cuInit was called already";
    char text[64] = "";
    size_t size = 0;
    CUdeviceptr pointer = 0;
    void* host = nullptr;
    CUstream stream = nullptr;
    CUevent event = nullptr;
    CUmodule module = nullptr;
    CUcontext context = nullptr;
    CUlinkState link = nullptr;
    CUlibrary library = nullptr;
    CUmemoryPool pool = nullptr;
    EXPECT_RESULT(CUDA_ERROR_NOT_INITIALIZED, cuDeviceGet(&count, 0));
    EXPECT_RESULT(CUDA_ERROR_NOT_INITIALIZED, cuDeviceGet(nullptr, 0));
    EXPECT_RESULT(CUDA_ERROR_NOT_INITIALIZED, cuDeviceGetName(text, sizeof text, 0));
    EXPECT_RESULT(CUDA_ERROR_NOT_INITIALIZED, cuDeviceTotalMem(&size, 0));
    EXPECT_RESULT(CUDA_ERROR_NOT_INITIALIZED, cuDeviceGetAttribute(&count, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
    EXPECT_RESULT(CUDA_ERROR_NOT_INITIALIZED, cuDeviceCanAccessPeer(&count, 0, 0));
    EXPECT_RESULT(CUDA_ERROR_NOT_INITIALIZED, cuDeviceGetDefaultMemPool(&pool, 0));
    EXPECT_RESULT(CUDA_ERROR_NOT_INITIALIZED, cuDevicePrimaryCtxRetain(&context, 0));
    EXPECT_RESULT(CUDA_ERROR_NOT_INITIALIZED, cuCtxCreate(&context, nullptr, 0, 0));
    EXPECT_RESULT(CUDA_ERROR_NOT_INITIALIZED, cuCtxGetCurrent(&context));
    EXPECT_RESULT(CUDA_ERROR_NOT_INITIALIZED, cuCtxSetCurrent(nullptr));
    EXPECT_RESULT(CUDA_ERROR_NOT_INITIALIZED, cuCtxPopCurrent(&context));
    EXPECT_RESULT(CUDA_ERROR_NOT_INITIALIZED, cuCtxSynchronize());
    EXPECT_RESULT(CUDA_ERROR_NOT_INITIALIZED, cuMemAlloc(&pointer, 4));
    EXPECT_RESULT(CUDA_ERROR_NOT_INITIALIZED, cuMemFree(0));
    EXPECT_RESULT(CUDA_ERROR_NOT_INITIALIZED, cuMemHostAlloc(&host, 4, 0));
    EXPECT_RESULT(CUDA_ERROR_NOT_INITIALIZED, cuMemGetInfo(&size, &size));
    EXPECT_RESULT(CUDA_ERROR_NOT_INITIALIZED, cuMemcpyHtoD(16, text, 4));
    EXPECT_RESULT(CUDA_ERROR_NOT_INITIALIZED, cuMemsetD8(16, 0, 4));
    EXPECT_RESULT(CUDA_ERROR_NOT_INITIALIZED, cuStreamCreate(&stream, 0));
    EXPECT_RESULT(CUDA_ERROR_NOT_INITIALIZED, cuStreamSynchronize(nullptr));
    EXPECT_RESULT(CUDA_ERROR_NOT_INITIALIZED, cuEventCreate(&event, 0));
    EXPECT_RESULT(CUDA_ERROR_NOT_INITIALIZED, cuModuleLoadData(&module, kernels::all));
    EXPECT_RESULT(CUDA_ERROR_NOT_INITIALIZED, cuLinkCreate(0, nullptr, nullptr, &link));
    EXPECT_RESULT(CUDA_ERROR_NOT_INITIALIZED,
                  cuLibraryLoadData(&library, kernels::all, nullptr, nullptr, 0, nullptr, nullptr, 0));
    EXPECT_RESULT(CUDA_ERROR_NOT_INITIALIZED, cuLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuDriverGetVersion(nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuInit(1));
    EXPECT_RESULT(CUDA_ERROR_NOT_INITIALIZED, cuDeviceGetCount(&count));
}

class DeviceArgumentsTest : public DriverTest {
protected:
    void SetUp() override {
        DriverTest::SetUp();
        ASSERT_OK(cuDeviceGetCount(&none));
    }
    CUdevice none = 0;  ///< the first ordinal that does not exist
    int number = 0;
    size_t size = 0;
    char text[64] = "";
};

TEST_F(DeviceArgumentsTest, Get) {
    CUdevice device = 0;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuDeviceGet(nullptr, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet(&device, none));
    EXPECT_RESULT(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet(&device, -1));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuDeviceGetCount(nullptr));
}

TEST_F(DeviceArgumentsTest, NameAndIdentity) {
    CUuuid uuid{};
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuDeviceGetName(nullptr, 64, 0));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_VALUE, cuDeviceGetName(text, 0, 0));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_VALUE, cuDeviceGetName(text, -1, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetName(text, 64, none));
    EXPECT_RESULT(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetName(text, 64, -1));
    EXPECT_RESULT(CUDA_SUCCESS, cuDeviceGetName(text, 1, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuDeviceGetUuid(nullptr, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetUuid(&uuid, none));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuDeviceGetPCIBusId(nullptr, 64, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuDeviceGetPCIBusId(text, 0, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuDeviceGetPCIBusId(text, 12, 0));
    EXPECT_RESULT(CUDA_SUCCESS, cuDeviceGetPCIBusId(text, 13, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetPCIBusId(text, 64, none));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuDeviceGetByPCIBusId(nullptr, "0000:01:00.0"));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuDeviceGetByPCIBusId(&number, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuDeviceGetByPCIBusId(&number, ""));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuDeviceGetByPCIBusId(&number, "elsewhere"));
    EXPECT_RESULT(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetByPCIBusId(&number, "0000:fe:1f.0"));
    EXPECT_RESULT(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetByPCIBusId(&number, "fe:1f.0"));
    EXPECT_RESULT(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetByPCIBusId(&number, "0000:fe:1f"));
}

TEST_F(DeviceArgumentsTest, Properties) {
    int major = 0, minor = 0;
    CUdevprop properties;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuDeviceTotalMem(nullptr, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_DEVICE, cuDeviceTotalMem(&size, none));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuDeviceGetAttribute(nullptr, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetAttribute(&number, CU_DEVICE_ATTRIBUTE_WARP_SIZE, none));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuDeviceGetAttribute(&number, static_cast<CUdevice_attribute>(0), 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuDeviceGetAttribute(&number, static_cast<CUdevice_attribute>(-1), 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuDeviceGetAttribute(&number, static_cast<CUdevice_attribute>(9999), 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuDeviceComputeCapability(nullptr, &minor, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuDeviceComputeCapability(&major, nullptr, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_DEVICE, cuDeviceComputeCapability(&major, &minor, none));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuDeviceGetProperties(nullptr, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetProperties(&properties, none));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuDeviceGetTexture1DLinearMaxWidth(nullptr, CU_AD_FORMAT_FLOAT, 1, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE,
                  cuDeviceGetTexture1DLinearMaxWidth(&size, static_cast<CUarray_format>(0x77), 1, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuDeviceGetTexture1DLinearMaxWidth(&size, CU_AD_FORMAT_FLOAT, 3, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuDeviceGetTexture1DLinearMaxWidth(&size, CU_AD_FORMAT_FLOAT, 0, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetTexture1DLinearMaxWidth(&size, CU_AD_FORMAT_FLOAT, 1, none));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuDeviceGetExecAffinitySupport(nullptr, CU_EXEC_AFFINITY_TYPE_SM_COUNT, 0));
    EXPECT_RESULT(CUDA_SUCCESS, cuDeviceGetExecAffinitySupport(&number, static_cast<CUexecAffinityType>(7), 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_DEVICE,
                  cuDeviceGetExecAffinitySupport(&number, CU_EXEC_AFFINITY_TYPE_SM_COUNT, none));
}

TEST_F(DeviceArgumentsTest, Peers) {
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuDeviceCanAccessPeer(nullptr, 0, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_DEVICE, cuDeviceCanAccessPeer(&number, none, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_DEVICE, cuDeviceCanAccessPeer(&number, 0, none));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE,
                  cuDeviceGetP2PAttribute(nullptr, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_DEVICE,
                  cuDeviceGetP2PAttribute(&number, static_cast<CUdevice_P2PAttribute>(99), 0, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_DEVICE,
                  cuDeviceGetP2PAttribute(&number, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, none));
    EXPECT_RESULT(CUDA_ERROR_INVALID_DEVICE,
                  cuDeviceGetP2PAttribute(&number, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 0));
}

TEST_F(DeviceArgumentsTest, Pools) {
    CUmemoryPool pool = nullptr;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuDeviceGetDefaultMemPool(nullptr, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetDefaultMemPool(&pool, none));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuDeviceGetMemPool(nullptr, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuDeviceGetMemPool(&pool, none));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuDeviceSetMemPool(0, nullptr));
    EXPECT_OK(cuDeviceGetDefaultMemPool(&pool, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuDeviceSetMemPool(none, pool));
}

TEST_F(DeviceArgumentsTest, PrimaryContext) {
    CUcontext context = nullptr;
    unsigned flags = 0;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuDevicePrimaryCtxRetain(nullptr, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_DEVICE, cuDevicePrimaryCtxRetain(&context, none));
    EXPECT_RESULT(CUDA_ERROR_INVALID_DEVICE, cuDevicePrimaryCtxRelease(none));
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuDevicePrimaryCtxRelease(0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_DEVICE, cuDevicePrimaryCtxReset(none));
    EXPECT_RESULT(CUDA_SUCCESS, cuDevicePrimaryCtxReset(0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_DEVICE, cuDevicePrimaryCtxSetFlags(none, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuDevicePrimaryCtxSetFlags(0, 0x1000));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_SPIN | CU_CTX_SCHED_YIELD));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuDevicePrimaryCtxGetState(0, nullptr, &number));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuDevicePrimaryCtxGetState(0, &flags, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_DEVICE, cuDevicePrimaryCtxGetState(none, &flags, &number));
}

class ContextArgumentsTest : public ArgumentsTest {
protected:
    size_t size = 0;
    unsigned number = 0;
    unsigned long long id = 0;
};

TEST_F(ContextArgumentsTest, CreateAndDestroy) {
    CUcontext made = nullptr;
    CUctxCreateParams parameters{};
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuCtxCreate(nullptr, nullptr, 0, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_DEVICE, cuCtxCreate(&made, nullptr, 0, 99));
    EXPECT_RESULT(CUDA_ERROR_INVALID_DEVICE, cuCtxCreate(&made, nullptr, 0, -1));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuCtxCreate(&made, nullptr, 0x1000, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuCtxCreate(&made, nullptr, CU_CTX_SCHED_SPIN | CU_CTX_SCHED_YIELD, 0));
    CUexecAffinityParam affinity{};
    parameters.numExecAffinityParams = 1;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuCtxCreate(&made, &parameters, 0, 0));
    parameters.execAffinityParams = &affinity;
    EXPECT_RESULT(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY, cuCtxCreate(&made, &parameters, 0, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuCtxDestroy(nullptr));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_CONTEXT, cuCtxDestroy(garbage<CUcontext>()));
}

TEST_F(ContextArgumentsTest, Stack) {
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuCtxPushCurrent(nullptr));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_CONTEXT, cuCtxPushCurrent(garbage<CUcontext>()));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_CONTEXT, cuCtxSetCurrent(garbage<CUcontext>()));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuCtxGetCurrent(nullptr));
    EXPECT_RESULT(CUDA_SUCCESS, cuCtxPopCurrent(nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuCtxPopCurrent(nullptr));
    EXPECT_OK(cuCtxPushCurrent(context));
}

TEST_F(ContextArgumentsTest, Questions) {
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuCtxGetDevice(nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuCtxGetFlags(nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuCtxGetId(context, nullptr));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_CONTEXT, cuCtxGetId(garbage<CUcontext>(), &id));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuCtxGetApiVersion(context, nullptr));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_CONTEXT, cuCtxGetApiVersion(garbage<CUcontext>(), &number));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuCtxGetCacheConfig(nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuCtxGetSharedMemConfig(nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuCtxGetLimit(nullptr, CU_LIMIT_STACK_SIZE));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuCtxGetLimit(&size, value<CUlimit>(99)));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuCtxGetLimit(&size, value<CUlimit>(-1)));
    EXPECT_RESULT(CUDA_SUCCESS, cuCtxGetStreamPriorityRange(nullptr, nullptr));
}

TEST_F(ContextArgumentsTest, ExecAffinity) {
    CUexecAffinityParam affinity{};
    int processors = 0;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuCtxGetExecAffinity(nullptr, CU_EXEC_AFFINITY_TYPE_SM_COUNT));
    EXPECT_RESULT(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY, cuCtxGetExecAffinity(&affinity, value<CUexecAffinityType>(9)));
    EXPECT_RESULT(CUDA_SUCCESS, cuCtxGetExecAffinity(&affinity, CU_EXEC_AFFINITY_TYPE_SM_COUNT));
    EXPECT_OK(cuDeviceGetAttribute(&processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
    EXPECT_EQ(static_cast<unsigned>(processors), affinity.param.smCount.val);
}

TEST_F(ContextArgumentsTest, ExportTable) {
    const void* table = nullptr;
    const CUuuid unknown{};
    if (on_cpu_device()) {  // a driver may have one of that name
        CUuuid of_cudart;
        std::memcpy(of_cudart.bytes, "\x6b\xd5\xfb\x6c\x5b\xf4\xe7\x4a\x89\x87\xd9\x39\x12\xfd\x9d\xf9",
                    sizeof of_cudart.bytes);
        testing::internal::CaptureStderr();
        EXPECT_RESULT(CUDA_ERROR_NOT_SUPPORTED, cuGetExportTable(&table, &unknown));
        EXPECT_EQ("", testing::internal::GetCapturedStderr()) << "NVRTC requests one, and works without it";
        testing::internal::CaptureStderr();
        EXPECT_RESULT(CUDA_ERROR_NOT_SUPPORTED, cuGetExportTable(&table, &of_cudart));
        EXPECT_RESULT(CUDA_ERROR_NOT_SUPPORTED, cuGetExportTable(&table, &of_cudart));
        const std::string said = testing::internal::GetCapturedStderr();
        EXPECT_NE(said.npos, said.find("the CUDA runtime library (cudart)")) << said;
        EXPECT_EQ(said.find("cudart"), said.rfind("cudart")) << "it is said once";
    }
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGetExportTable(nullptr, &unknown));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGetExportTable(&table, nullptr));
}

TEST_F(ContextArgumentsTest, Settings) {
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuCtxSetFlags(0x1000));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuCtxSetFlags(CU_CTX_SCHED_SPIN | CU_CTX_SCHED_YIELD));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuCtxSetCacheConfig(value<CUfunc_cache>(4)));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuCtxSetCacheConfig(value<CUfunc_cache>(-1)));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuCtxSetSharedMemConfig(value<CUsharedconfig>(3)));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuCtxSetLimit(value<CUlimit>(99), 1));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuCtxSetLimit(value<CUlimit>(-1), 1));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuCtxSetLimit(CU_LIMIT_STACK_SIZE, std::numeric_limits<size_t>::max()));
    EXPECT_RESULT(CUDA_SUCCESS, cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, huge));
    EXPECT_RESULT(CUDA_SUCCESS, cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, huge));
    EXPECT_RESULT(CUDA_ERROR_UNSUPPORTED_LIMIT, cuCtxSetLimit(CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH, 2));
    EXPECT_RESULT(CUDA_SUCCESS, cuCtxSetLimit(CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT, 4096));
    EXPECT_RESULT(CUDA_SUCCESS, cuCtxSetLimit(CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 64));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuCtxSetLimit(CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 1000));
    EXPECT_RESULT(CUDA_SUCCESS, cuCtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 0));
}

TEST_F(ContextArgumentsTest, Peers) {
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuCtxEnablePeerAccess(nullptr, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuCtxEnablePeerAccess(context, 1));
    EXPECT_RESULT(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, cuCtxEnablePeerAccess(context, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuCtxDisablePeerAccess(nullptr));
    EXPECT_RESULT(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, cuCtxDisablePeerAccess(context));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_CONTEXT, cuCtxEnablePeerAccess(garbage<CUcontext>(), 0));
}

TEST_F(ContextArgumentsTest, AttachAndDetach) {
    CUcontext same = nullptr;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuCtxAttach(nullptr, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuCtxAttach(&same, 1));
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuCtxDetach(nullptr));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_CONTEXT, cuCtxDetach(garbage<CUcontext>()));
}

TEST_F(ContextArgumentsTest, Events) {
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuCtxRecordEvent(context, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuCtxWaitEvent(context, nullptr));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_CONTEXT, cuCtxRecordEvent(garbage<CUcontext>(), event));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_CONTEXT, cuCtxWaitEvent(garbage<CUcontext>(), event));
}

TEST_F(ContextArgumentsTest, NothingCurrent) {
    ASSERT_OK(cuCtxPopCurrent(nullptr));
    CUfunc_cache cache;
    CUsharedconfig shared;
    CUcontext same = nullptr;
    int least = 0;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuCtxGetDevice(nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuCtxGetFlags(&number));
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuCtxSetFlags(0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuCtxGetId(nullptr, &id));
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuCtxGetLimit(&size, CU_LIMIT_STACK_SIZE));
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuCtxGetLimit(nullptr, CU_LIMIT_STACK_SIZE));
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 1024));
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuCtxSetLimit(value<CUlimit>(99), 1024));
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuCtxGetCacheConfig(&cache));
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_L1));
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuCtxGetSharedMemConfig(&shared));
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuCtxSetSharedMemConfig(CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE));
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuCtxGetStreamPriorityRange(&least, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuCtxResetPersistingL2Cache());
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuCtxSynchronize());
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuCtxAttach(&same, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuCtxEnablePeerAccess(context, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuCtxDisablePeerAccess(context));
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuProfilerStart());
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuProfilerStop());
    EXPECT_OK(cuCtxPushCurrent(context));
    EXPECT_OK(cuProfilerStart());
    if (on_cpu_device()) {  // a real driver may refuse it while a tool profiles, and since CUDA 12 always
        EXPECT_OK(cuProfilerInitialize("", "", 0));
        EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuProfilerInitialize("", "", 2));
    }
    EXPECT_OK(cuProfilerStop());
}
