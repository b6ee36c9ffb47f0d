#include "driver/driver_test.hpp"
#include "driver/kernels.hpp"

#include <cstdio>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

class ModuleTest : public InContext {};

TEST_F(ModuleTest, FindsFunctionsAndVariables) {
    CUmodule module = nullptr;
    ASSERT_OK(cuModuleLoadData(&module, kernels::all));
    CUfunction function = nullptr, again = nullptr;
    EXPECT_OK(cuModuleGetFunction(&function, module, "scale"));
    EXPECT_OK(cuModuleGetFunction(&again, module, "scale"));
    EXPECT_EQ(function, again);
    EXPECT_RESULT(CUDA_ERROR_NOT_FOUND, cuModuleGetFunction(&again, module, "missing"));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuModuleGetFunction(&again, module, ""));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuModuleGetFunction(&again, module, nullptr));
    const char* name = nullptr;
    EXPECT_OK(cuFuncGetName(&name, function));
    EXPECT_STREQ("scale", name);
    CUmodule of = nullptr;
    EXPECT_OK(cuFuncGetModule(&of, function));
    EXPECT_EQ(module, of);
    unsigned count = 0;
    EXPECT_OK(cuModuleGetFunctionCount(&count, module));
    EXPECT_EQ(5u, count);
    std::vector<CUfunction> functions(count);
    EXPECT_OK(cuModuleEnumerateFunctions(functions.data(), count, module));

    CUdeviceptr counter = 0;
    size_t size = 0;
    EXPECT_OK(cuModuleGetGlobal(&counter, &size, module, "counter"));
    EXPECT_EQ(4u, size);
    unsigned value = 0;
    EXPECT_OK(cuMemcpyDtoH(&value, counter, 4));
    EXPECT_EQ(41u, value);
    value = 5;
    EXPECT_OK(cuMemcpyHtoD(counter, &value, 4));
    value = 0;
    EXPECT_OK(cuMemcpyDtoH(&value, counter, 4));
    EXPECT_EQ(5u, value);
    EXPECT_OK(cuModuleGetGlobal(nullptr, &size, module, "table"));
    EXPECT_EQ(16u, size);
    EXPECT_OK(cuModuleGetGlobal(&counter, nullptr, module, "table"));
    EXPECT_RESULT(CUDA_ERROR_NOT_FOUND, cuModuleGetGlobal(&counter, &size, module, "missing"));
    EXPECT_OK(cuModuleUnload(module));
    if (!on_cpu_device()) return;  // undefined with a real driver
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuModuleUnload(module));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuFuncGetName(&name, function));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH(&value, counter, 4));
}

TEST_F(ModuleTest, SaysWhatIsWrongWithTheText) {
    CUmodule module = nullptr;
    char log[2000] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
    EXPECT_RESULT(CUDA_ERROR_INVALID_PTX,
                  cuModuleLoadDataEx(&module,
                                     ".version 8.0\n.target sm_50\n.address_size 64\n"
                                     ".visible .entry f()\n{\n    frobnicate.u32;\n    ret;\n}\n",
                                     2, options, values));
    EXPECT_NE(nullptr, std::strstr(log, "line")) << log;
    EXPECT_NE(nullptr, std::strstr(log, "6")) << log;
    EXPECT_LE(std::strlen(log), reinterpret_cast<size_t>(values[1]));
}

TEST_F(ModuleTest, LogIsCutToFit) {
    CUmodule module = nullptr;
    char log[8] = "xxxxxxx";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void* values[] = {log, reinterpret_cast<void*>(size_t{6})};
    EXPECT_RESULT(
        CUDA_ERROR_INVALID_PTX,
        cuModuleLoadDataEx(&module, ".version 8.0\n.target sm_50\n.address_size 64\n.garbage\n", 2, options, values));
    EXPECT_EQ(5u, std::strlen(log));
    EXPECT_EQ(6u, reinterpret_cast<size_t>(values[1]));
    EXPECT_EQ('x', log[6]);
}

TEST_F(ModuleTest, RejectsOtherData) {
    CUmodule module = nullptr;
    EXPECT_RESULT(CUDA_ERROR_INVALID_IMAGE, cuModuleLoadData(&module, ""));
    EXPECT_RESULT(CUDA_ERROR_INVALID_IMAGE, cuModuleLoadData(&module, "hello, this is no PTX"));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuModuleLoadData(&module, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuModuleLoadData(nullptr, kernels::all));
    EXPECT_RESULT(CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
                  cuModuleLoadData(&module, ".version 99.0\n.target sm_50\n.address_size 64\n"));
    EXPECT_RESULT(CUDA_ERROR_INVALID_PTX,
                  cuModuleLoadData(&module, ".version 8.0\n.target sm_120\n.address_size 64\n"));
    EXPECT_OK(cuModuleLoadData(&module, "// first\n/* second\n */ .version 8.0\n.target sm_50\n.address_size 64\n"));
    CUjit_option unknown = static_cast<CUjit_option>(1000);
    void* value = nullptr;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuModuleLoadDataEx(&module, kernels::all, 1, &unknown, &value));
}

TEST_F(ModuleTest, TakesWhatLaterCompilersOfCuda13Emit) {
    if (!on_cpu_device()) GTEST_SKIP() << "the driver of CUDA 13.0 takes PTX 9.0 at most";
    CUmodule module = nullptr;
    EXPECT_OK(
        cuModuleLoadData(&module, ".version 9.5\n.target sm_90\n.address_size 64\n.visible .entry f() { ret; }\n"));
    EXPECT_OK(cuModuleUnload(module));
    EXPECT_RESULT(CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
                  cuModuleLoadData(&module, ".version 10.0\n.target sm_90\n.address_size 64\n"));
}

TEST_F(ModuleTest, TakesVolatileLocalMemoryFromPtx91On) {
    if (!on_cpu_device()) GTEST_SKIP() << "the driver of CUDA 13.0 takes PTX 9.0 at most";
    const auto text = [](const std::string& version) {
        return ".version " + version + R"(
.target sm_90
.address_size 64
.visible .entry swap(.param .u64 out)
{
    .reg .b64 %out, %at, %low, %high;
    .local .align 16 .b8 places[16];
    ld.param.u64 %out, [out];
    mov.u64 %at, places;
    st.volatile.local.u64 [%at], 3;
    st.volatile.local.u64 [%at+8], 5;
    ld.volatile.local.v2.u64 {%low, %high}, [%at];
    st.volatile.local.v2.u64 [%at], {%high, %low};
    ld.local.volatile.u64 %low, [%at];
    st.global.u64 [%out], %low;
    ret;
}
)";
    };
    CUmodule module = nullptr;
    EXPECT_RESULT(CUDA_ERROR_INVALID_PTX, cuModuleLoadData(&module, text("9.0").c_str()));
    ASSERT_OK(cuModuleLoadData(&module, text("9.1").c_str()));
    CUfunction swap = nullptr;
    ASSERT_OK(cuModuleGetFunction(&swap, module, "swap"));
    CUdeviceptr out = 0;
    ASSERT_OK(cuMemAlloc(&out, 8));
    void* parameters[] = {&out};
    EXPECT_OK(cuLaunchKernel(swap, 1, 1, 1, 32, 1, 1, 0, nullptr, parameters, nullptr));
    unsigned long long seen = 0;
    EXPECT_OK(cuMemcpyDtoH(&seen, out, 8));
    EXPECT_EQ(5u, seen);
    EXPECT_OK(cuMemFree(out));
}

TEST_F(ModuleTest, LoadsFiles) {
    const std::string path = testing::TempDir() + "driver_module_test.ptx";
    std::ofstream(path) << kernels::all;
    CUmodule module = nullptr;
    EXPECT_OK(cuModuleLoad(&module, path.c_str()));
    CUfunction function = nullptr;
    EXPECT_OK(cuModuleGetFunction(&function, module, "nothing"));
    EXPECT_OK(cuModuleUnload(module));
    std::remove(path.c_str());
    EXPECT_RESULT(CUDA_ERROR_FILE_NOT_FOUND, cuModuleLoad(&module, path.c_str()));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuModuleLoad(&module, nullptr));
}

class FunctionTest : public InContext {
protected:
    void SetUp() override {
        InContext::SetUp();
        ASSERT_OK(cuModuleLoadData(&module, kernels::all));
    }
    CUfunction function(const char* name) {
        CUfunction found = nullptr;
        EXPECT_OK(cuModuleGetFunction(&found, module, name));
        return found;
    }
    int attribute(const char* name, CUfunction_attribute which) {
        int value = -99;
        EXPECT_OK(cuFuncGetAttribute(&value, which, function(name)));
        return value;
    }
    CUmodule module = nullptr;
};

TEST_F(FunctionTest, KnowsItsParameters) {
    size_t offset = 9, size = 9;
    const size_t want[][2] = {{0, 8}, {8, 8}, {16, 4}, {20, 4}};
    const CUfunction scale = function("scale");
    for (size_t i = 0; i < 4; ++i) {
        EXPECT_OK(cuFuncGetParamInfo(scale, i, &offset, &size));
        EXPECT_EQ(want[i][0], offset);
        EXPECT_EQ(want[i][1], size);
    }
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuFuncGetParamInfo(scale, 4, &offset, &size));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuFuncGetParamInfo(function("nothing"), 0, &offset, &size));
    EXPECT_OK(cuFuncGetParamInfo(function("at_most_64"), 0, &offset, &size));
    EXPECT_EQ(16u, size);
    EXPECT_OK(cuFuncGetParamInfo(function("at_most_64"), 1, &offset, &size));
    EXPECT_EQ(16u, offset);
    EXPECT_EQ(1u, size);
    EXPECT_OK(cuFuncGetParamInfo(scale, 1, &offset, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuFuncGetParamInfo(scale, 1, nullptr, &size));
}

TEST_F(FunctionTest, TellsItsAttributes) {
    EXPECT_EQ(1024, attribute("scale", CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK));
    EXPECT_EQ(64, attribute("at_most_64", CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK));
    EXPECT_EQ(0, attribute("scale", CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES));
    EXPECT_EQ(400, attribute("through_shared", CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES));
    EXPECT_EQ(0, attribute("scale", CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES));
    EXPECT_EQ(16, attribute("scale", CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES));
    EXPECT_GT(attribute("scale", CU_FUNC_ATTRIBUTE_NUM_REGS), 0);
    EXPECT_EQ(50, attribute("scale", CU_FUNC_ATTRIBUTE_PTX_VERSION));
    EXPECT_EQ(90, attribute("scale", CU_FUNC_ATTRIBUTE_BINARY_VERSION));
    EXPECT_EQ(0, attribute("scale", CU_FUNC_ATTRIBUTE_CACHE_MODE_CA));
    EXPECT_EQ(49152, attribute("scale", CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES));
    EXPECT_EQ(49152 - 400, attribute("through_shared", CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES));
    EXPECT_EQ(-1, attribute("scale", CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT));
    int value = 0;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE,
                  cuFuncGetAttribute(&value, static_cast<CUfunction_attribute>(99), function("scale")));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuFuncGetAttribute(nullptr, CU_FUNC_ATTRIBUTE_NUM_REGS, function("scale")));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, nullptr));
}

TEST_F(FunctionTest, TakesAttributes) {
    const CUfunction scale = function("scale");
    EXPECT_OK(cuFuncSetAttribute(scale, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100000));
    EXPECT_EQ(100000, attribute("scale", CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE,
                  cuFuncSetAttribute(scale, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1 << 20));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE,
                  cuFuncSetAttribute(scale, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, -1));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuFuncSetAttribute(scale, CU_FUNC_ATTRIBUTE_NUM_REGS, 10));
    EXPECT_OK(cuFuncSetAttribute(scale, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 50));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE,
                  cuFuncSetAttribute(scale, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 101));
    EXPECT_OK(cuFuncSetCacheConfig(scale, CU_FUNC_CACHE_PREFER_SHARED));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuFuncSetCacheConfig(scale, static_cast<CUfunc_cache>(9)));
}

TEST_F(FunctionTest, Occupancy) {
    int blocks = 0, grid = 0, block = 0;
    EXPECT_OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function("nothing"), 256, 0));
    EXPECT_EQ(8, blocks);
    EXPECT_OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function("nothing"), 32, 0));
    EXPECT_EQ(32, blocks);
    EXPECT_OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function("nothing"), 64, 40000));
    EXPECT_EQ(5, blocks);
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE,
                  cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function("nothing"), 0, 0));
    EXPECT_OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function("at_most_64"), 128, 0));
    EXPECT_EQ(16, blocks) << "a kernel's own .maxntid does not count";
    EXPECT_OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function("nothing"), 1025, 0));
    EXPECT_EQ(0, blocks);
    EXPECT_OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, function("nothing"), nullptr, 0, 0));
    EXPECT_EQ(1024, block);
    int processors = 0;
    EXPECT_OK(cuDeviceGetAttribute(&processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
    EXPECT_EQ(2 * processors, grid);
    size_t bytes = 0;
    EXPECT_OK(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, function("nothing"), 1, 64));
    EXPECT_EQ(49152u, bytes);
    EXPECT_OK(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, function("nothing"), 5, 64));
    EXPECT_EQ(46592u, bytes);
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE,
                  cuOccupancyAvailableDynamicSMemPerBlock(&bytes, function("nothing"), 33, 64));
}

class LibraryTest : public InContext {};

/// The same answer as for the kernel's function in the current context.
TEST_F(LibraryTest, OccupancyTakesKernels) {
    CUlibrary library = nullptr;
    CUkernel kernel = nullptr;
    CUfunction function = nullptr;
    ASSERT_OK(cuLibraryLoadData(&library, kernels::all, nullptr, nullptr, 0, nullptr, nullptr, 0));
    ASSERT_OK(cuLibraryGetKernel(&kernel, library, "nothing"));
    ASSERT_OK(cuKernelGetFunction(&function, kernel));
    const auto both = [&](auto ask) {
        std::pair<size_t, size_t> of_function, of_kernel;
        EXPECT_OK(ask(function, of_function));
        EXPECT_OK(ask(reinterpret_cast<CUfunction>(kernel), of_kernel));
        EXPECT_EQ(of_function, of_kernel);
        EXPECT_NE(0u, of_kernel.first);
    };
    using Answer = std::pair<size_t, size_t>;
    const auto numbers = [](auto call) {
        return [call](CUfunction f, Answer& answer) {
            int first = 0, second = 0;
            const CUresult result = call(f, &first, &second);
            answer = {static_cast<size_t>(first), static_cast<size_t>(second)};
            return result;
        };
    };
    CUlaunchConfig config{};
    config.gridDimX = config.gridDimY = config.gridDimZ = 2;
    config.blockDimX = 64;
    config.blockDimY = config.blockDimZ = 1;
    CUlaunchAttribute cluster{};
    cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    cluster.value.clusterDim = {2, 1, 1};
    config.attrs = &cluster;
    config.numAttrs = 1;
    both(numbers([](CUfunction f, int* n, int*) { return cuOccupancyMaxActiveBlocksPerMultiprocessor(n, f, 64, 0); }));
    both(numbers([](CUfunction f, int* n, int*) {
        return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(n, f, 64, 0, 0);
    }));
    both(
        numbers([](CUfunction f, int* n, int* m) { return cuOccupancyMaxPotentialBlockSize(n, m, f, nullptr, 0, 0); }));
    both(numbers([](CUfunction f, int* n, int* m) {
        return cuOccupancyMaxPotentialBlockSizeWithFlags(n, m, f, nullptr, 0, 0, 0);
    }));
    both([](CUfunction f, Answer& answer) { return cuOccupancyAvailableDynamicSMemPerBlock(&answer.first, f, 1, 64); });
    both(numbers([&](CUfunction f, int* n, int*) { return cuOccupancyMaxPotentialClusterSize(n, f, &config); }));
    both(numbers([&](CUfunction f, int* n, int*) { return cuOccupancyMaxActiveClusters(n, f, &config); }));
    EXPECT_OK(cuLibraryUnload(library));
}

TEST_F(LibraryTest, GivesKernelsToEveryContext) {
    CUlibrary library = nullptr;
    ASSERT_OK(cuLibraryLoadData(&library, kernels::all, nullptr, nullptr, 0, nullptr, nullptr, 0));
    CUkernel kernel = nullptr, nothing = nullptr;
    EXPECT_OK(cuLibraryGetKernel(&kernel, library, "poke"));
    EXPECT_OK(cuLibraryGetKernel(&nothing, library, "nothing"));
    EXPECT_RESULT(CUDA_ERROR_NOT_FOUND, cuLibraryGetKernel(&nothing, library, "missing"));
    unsigned count = 0;
    EXPECT_OK(cuLibraryGetKernelCount(&count, library));
    EXPECT_EQ(5u, count);
    const char* name = nullptr;
    EXPECT_OK(cuKernelGetName(&name, kernel));
    EXPECT_STREQ("poke", name);
    CUfunction function = nullptr;
    EXPECT_OK(cuKernelGetFunction(&function, kernel));
    CUdeviceptr counter = 0;
    size_t size = 0;
    EXPECT_OK(cuLibraryGetGlobal(&counter, &size, library, "counter"));
    unsigned value = 17, seen = 0;
    void* parameters[] = {&counter, &value};
    EXPECT_OK(cuLaunchKernel(reinterpret_cast<CUfunction>(kernel), 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
    EXPECT_OK(cuMemcpyDtoH(&seen, counter, 4));
    EXPECT_EQ(17u, seen);
    CUmodule module = nullptr;
    EXPECT_OK(cuLibraryGetModule(&module, library));
    EXPECT_RESULT(CUDA_ERROR_NOT_PERMITTED, cuModuleUnload(module));
    CUcontext other = nullptr;
    ASSERT_OK(cuCtxCreate(&other, nullptr, 0, 0));
    CUfunction there = nullptr;
    EXPECT_OK(cuKernelGetFunction(&there, kernel));
    EXPECT_NE(function, there);
    EXPECT_OK(cuCtxDestroy(other));
    EXPECT_OK(cuLibraryUnload(library));
    if (!on_cpu_device()) return;  // undefined with a real driver
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuLibraryGetKernel(&kernel, library, "poke"));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuKernelGetFunction(&there, kernel));
}
