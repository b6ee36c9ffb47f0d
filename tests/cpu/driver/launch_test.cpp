#include "driver/driver_test.hpp"
#include "driver/kernels.hpp"

#include <string>
#include <vector>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

class LaunchTest : public InContext {
protected:
    void SetUp() override {
        InContext::SetUp();
        ASSERT_OK(cuModuleLoadData(&module, kernels::all));
        ASSERT_OK(cuMemAlloc(&out, 4 * n));
        ASSERT_OK(cuMemAlloc(&in, 4 * n));
        std::vector<unsigned> values(n, 10);
        ASSERT_OK(cuMemcpyHtoD(in, values.data(), 4 * n));
        ASSERT_OK(cuMemsetD32(out, 0, n));
    }
    CUfunction function(const char* name) {
        CUfunction found = nullptr;
        EXPECT_OK(cuModuleGetFunction(&found, module, name));
        return found;
    }
    void expect_scaled(unsigned factor) {
        std::vector<unsigned> values(n);
        EXPECT_OK(cuMemcpyDtoH(values.data(), out, 4 * n));
        for (unsigned i = 0; i < n; ++i) ASSERT_EQ(10 * factor + i, values[i]) << i;
    }
    CUresult launch_nothing(unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                            unsigned shared = 0) {
        return cuLaunchKernel(function("nothing"), gx, gy, gz, bx, by, bz, shared, nullptr, nullptr, nullptr);
    }
    static constexpr unsigned n = 1000;
    CUmodule module = nullptr;
    CUdeviceptr out = 0, in = 0;
};

TEST_F(LaunchTest, TakesPointersToParameters) {
    unsigned factor = 3, count = n;
    void* parameters[] = {&out, &in, &factor, &count};
    EXPECT_OK(cuLaunchKernel(function("scale"), 8, 1, 1, 128, 1, 1, 0, nullptr, parameters, nullptr));
    factor = 0;  // the launch has its own copy
    expect_scaled(3);
}

TEST_F(LaunchTest, TakesAPackedBuffer) {
    struct {
        CUdeviceptr out, in;
        unsigned factor, count;
    } block{out, in, 7, n};
    size_t size = sizeof block;
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &block, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
    CUstream stream = nullptr;
    ASSERT_OK(cuStreamCreate(&stream, 0));
    EXPECT_OK(cuLaunchKernel(function("scale"), 8, 1, 1, 128, 1, 1, 0, stream, nullptr, extra));
    block.factor = 0;
    expect_scaled(7);
    EXPECT_OK(cuStreamDestroy(stream));
}

TEST_F(LaunchTest, TakesAConfiguration) {
    unsigned factor = 4, count = n;
    void* parameters[] = {&out, &in, &factor, &count};
    CUlaunchConfig config{};
    config.gridDimX = 8;
    config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
    config.blockDimX = 128;
    EXPECT_OK(cuLaunchKernelEx(&config, function("scale"), parameters, nullptr));
    expect_scaled(4);
    EXPECT_OK(cuLaunchCooperativeKernel(function("nothing"), 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr));
    EXPECT_RESULT(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
                  cuLaunchCooperativeKernel(function("nothing"), 1u << 20, 1, 1, 1024, 1, 1, 0, nullptr, nullptr));
    EXPECT_OK(cuCtxSynchronize());
}

TEST_F(LaunchTest, CompletesAnEvent) {
    CUevent done = nullptr;
    ASSERT_OK(cuEventCreate(&done, CU_EVENT_DISABLE_TIMING));
    CUlaunchAttribute attribute{};
    attribute.id = CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT;
    attribute.value.launchCompletionEvent.event = done;
    CUlaunchConfig config{};
    config.gridDimX = config.gridDimY = config.gridDimZ = 1;
    config.blockDimX = config.blockDimY = config.blockDimZ = 1;
    config.attrs = &attribute;
    config.numAttrs = 1;
    EXPECT_OK(cuLaunchKernelEx(&config, function("nothing"), nullptr, nullptr));
    EXPECT_OK(cuEventSynchronize(done));
    EXPECT_OK(cuEventQuery(done));
    EXPECT_OK(cuCtxSynchronize());
    EXPECT_OK(cuEventDestroy(done));
}

TEST_F(LaunchTest, ChecksTheShape) {
    EXPECT_OK(launch_nothing(1, 1, 1, 1024, 1, 1));
    EXPECT_OK(launch_nothing(2, 3, 4, 8, 4, 2));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, launch_nothing(1, 1, 1, 1025, 1, 1));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, launch_nothing(1, 1, 1, 64, 32, 1));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, launch_nothing(1, 1, 1, 1, 1, 65));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, launch_nothing(1, 1, 1, 0, 1, 1));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, launch_nothing(0, 1, 1, 1, 1, 1));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, launch_nothing(1, 65536, 1, 1, 1, 1));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, launch_nothing(0x80000000u, 1, 1, 1, 1, 1));
    EXPECT_OK(cuCtxSynchronize());
}

TEST_F(LaunchTest, ChecksMaxntid) {
    struct {
        double pair[2];
        char small;
    } block{};
    void* parameters[] = {&block.pair, &block.small};
    const CUfunction limited = function("at_most_64");
    EXPECT_OK(cuLaunchKernel(limited, 1, 1, 1, 64, 1, 1, 0, nullptr, parameters, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE,
                  cuLaunchKernel(limited, 1, 1, 1, 65, 1, 1, 0, nullptr, parameters, nullptr));
    EXPECT_OK(cuCtxSynchronize());
}

TEST_F(LaunchTest, ChecksSharedMemory) {
    unsigned value = 77;
    void* parameters[] = {&out, &value};
    const CUfunction shared = function("through_shared");
    EXPECT_OK(cuLaunchKernel(shared, 1, 1, 1, 1, 1, 1, 40000, nullptr, parameters, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE,
                  cuLaunchKernel(shared, 1, 1, 1, 1, 1, 1, 49152, nullptr, parameters, nullptr));
    EXPECT_OK(cuFuncSetAttribute(shared, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 200000));
    EXPECT_OK(cuLaunchKernel(shared, 1, 1, 1, 1, 1, 1, 200000, nullptr, parameters, nullptr));
    unsigned seen = 0;
    EXPECT_OK(cuMemcpyDtoH(&seen, out, 4));
    EXPECT_EQ(77u, seen);
}

TEST_F(LaunchTest, ChecksParameters) {
    unsigned factor = 1, count = n;
    void* parameters[] = {&out, &in, &factor, &count};
    char block[64] = {};
    size_t size = 24;
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, block, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
    const CUfunction scale = function("scale");
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(scale, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(scale, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, extra));
    if (on_cpu_device()) {  // a real driver launches with whatever lies behind the buffer
        size = 20;
        EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(scale, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra));
    }
    size = 64;
    EXPECT_RESULT(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
                  cuLaunchKernel(scale, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
    size = 8;
    EXPECT_RESULT(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
                  cuLaunchKernel(function("nothing"), 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra));
    EXPECT_OK(cuCtxSynchronize());
}

TEST_F(LaunchTest, FunctionAndStreamAreOfOneContext) {
    CUcontext other = nullptr;
    ASSERT_OK(cuCtxCreate(&other, nullptr, 0, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE,
                  cuLaunchKernel(function("nothing"), 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
    EXPECT_OK(cuCtxDestroy(other));
}

TEST_F(LaunchTest, ChangesVariables) {
    CUdeviceptr counter = 0;
    ASSERT_OK(cuModuleGetGlobal(&counter, nullptr, module, "counter"));
    unsigned value = 123, seen = 0;
    void* parameters[] = {&counter, &value};
    EXPECT_OK(cuLaunchKernel(function("poke"), 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
    EXPECT_OK(cuMemcpyDtoH(&seen, counter, 4));
    EXPECT_EQ(123u, seen);
}

TEST_F(LaunchTest, TheProgramsFloatingPointEnvironmentIsItsOwn) {
    constexpr const char* text = R"(
.version 8.0
.target sm_50
.address_size 64
.visible .entry halve_and_add(.param .u64 out)
{
    .reg .f32 %f<6>;
    .reg .b32 %r<2>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [out];
    ld.global.f32 %f1, [%rd1];
    mul.rn.f32 %f2, %f1, 0f3F000000;
    st.global.f32 [%rd1], %f2;
    ld.global.f32 %f3, [%rd1+4];
    ld.global.f32 %f4, [%rd1+8];
    add.rn.f32 %f5, %f3, %f4;
    st.global.f32 [%rd1+4], %f5;
    ret;
}
)";
    CUmodule floats = nullptr;
    CUfunction kernel = nullptr;
    ASSERT_OK(cuModuleLoadData(&floats, text));
    ASSERT_OK(cuModuleGetFunction(&kernel, floats, "halve_and_add"));
    float values[] = {0x1p-126f, 1.0f, 0x1.8p-24f};
    EXPECT_OK(cuMemcpyHtoD(out, values, sizeof values));
    void* parameters[] = {&out};
#if defined(__x86_64__)
    const unsigned own = _mm_getcsr();
    _mm_setcsr(own | 0x8040 | 0x6000);  // subnormal numbers are zero, and rounding is to zero
#endif
    EXPECT_OK(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
    EXPECT_OK(cuCtxSynchronize());
#if defined(__x86_64__)
    EXPECT_EQ(0xe040u, _mm_getcsr() & 0xe040u);
    _mm_setcsr(own);
#endif
    EXPECT_OK(cuMemcpyDtoH(values, out, sizeof values));
    EXPECT_EQ(0x1p-127f, values[0]);
    EXPECT_EQ(1.0f + 0x1p-23f, values[1]);
}

TEST_F(LaunchTest, WritesHostMemory) {
    void* host = nullptr;
    ASSERT_OK(cuMemHostAlloc(&host, 4, CU_MEMHOSTALLOC_DEVICEMAP));
    CUdeviceptr pointer = 0;
    ASSERT_OK(cuMemHostGetDevicePointer(&pointer, host, 0));
    unsigned value = 9;
    void* parameters[] = {&pointer, &value};
    EXPECT_OK(cuLaunchKernel(function("poke"), 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
    EXPECT_OK(cuCtxSynchronize());
    EXPECT_EQ(9u, *static_cast<unsigned*>(host));
    EXPECT_OK(cuMemFreeHost(host));
}

TEST_F(LaunchTest, AFaultStaysWithTheContext) {
    CUevent event = nullptr;
    CUstream stream = nullptr;
    ASSERT_OK(cuEventCreate(&event, 0));
    ASSERT_OK(cuStreamCreate(&stream, 0));
    CUdeviceptr nowhere = 0x10;
    unsigned value = 1;
    void* parameters[] = {&nowhere, &value};
    ASSERT_OK(cuLaunchKernel(function("poke"), 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
    EXPECT_RESULT(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
    EXPECT_RESULT(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
    CUdeviceptr pointer = 0;
    size_t free = 0, total = 0;
    EXPECT_RESULT(CUDA_ERROR_ILLEGAL_ADDRESS, cuMemAlloc(&pointer, 4));
    EXPECT_RESULT(CUDA_ERROR_ILLEGAL_ADDRESS, cuMemFree(out));
    EXPECT_RESULT(CUDA_ERROR_ILLEGAL_ADDRESS, cuMemcpyHtoD(in, &value, 4));
    EXPECT_RESULT(CUDA_ERROR_ILLEGAL_ADDRESS, cuMemGetInfo(&free, &total));
    EXPECT_RESULT(CUDA_ERROR_ILLEGAL_ADDRESS, cuEventQuery(event));
    EXPECT_RESULT(CUDA_ERROR_ILLEGAL_ADDRESS, cuEventRecord(event, nullptr));
    EXPECT_RESULT(CUDA_ERROR_ILLEGAL_ADDRESS, cuStreamQuery(stream));
    EXPECT_RESULT(CUDA_ERROR_ILLEGAL_ADDRESS, cuStreamDestroy(stream));
    EXPECT_RESULT(CUDA_ERROR_ILLEGAL_ADDRESS, cuEventDestroy(event));
    EXPECT_RESULT(CUDA_ERROR_ILLEGAL_ADDRESS, cuModuleUnload(module));
    const char* text = nullptr;
    EXPECT_OK(cuGetErrorString(CUDA_ERROR_ILLEGAL_ADDRESS, &text));
    EXPECT_EQ(text, std::strstr(text, "an illegal memory access was encountered"));
    if (on_cpu_device()) {
        EXPECT_NE(nullptr, std::strstr(text, "poke")) << text;
    }
    CUcontext current = nullptr;
    CUdevice device = -1;
    EXPECT_OK(cuCtxGetCurrent(&current));
    EXPECT_EQ(context, current);
    EXPECT_OK(cuCtxGetDevice(&device));
    EXPECT_OK(cuCtxDestroy(context));
    context = nullptr;

    if (!on_cpu_device()) return;  // a real device is lost to the process
    ASSERT_OK(cuCtxCreate(&context, nullptr, 0, 0));
    EXPECT_OK(cuMemAlloc(&pointer, 4));
    EXPECT_OK(cuMemFree(pointer));
}

TEST_F(LaunchTest, ThreadsHaveNoMoreLocalMemoryThanHardwareGivesThem) {
    if (!on_cpu_device()) GTEST_SKIP() << "what a GPU says depends on its memory";
    const auto launch = [](size_t bytes) {
        const std::string text =
            ".version 8.0\n.target sm_50\n.address_size 64\n.visible .entry k()\n{\n.local .b8 l[" +
            std::to_string(bytes) + "]; .reg .b32 %r;\nst.local.b8 [l], 1;\nret;\n}\n";
        CUmodule loaded = nullptr;
        CUfunction kernel = nullptr;
        EXPECT_OK(cuModuleLoadData(&loaded, text.c_str()));
        EXPECT_OK(cuModuleGetFunction(&kernel, loaded, "k"));
        const CUresult result = cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr);
        EXPECT_OK(cuModuleUnload(loaded));
        return result;
    };
    EXPECT_EQ(CUDA_SUCCESS, launch(512 << 10));
    EXPECT_EQ(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, launch((512 << 10) + 32));
}
