// Modules, libraries, functions, launches and occupancy: one bad argument per call.
#include "driver/arguments/arguments.hpp"

class ModuleArgumentsTest : public ArgumentsTest {
protected:
    CUmodule made = nullptr;
    CUfunction function = nullptr;
    CUdeviceptr pointer = 0;
    size_t size = 0;
    unsigned count = 0;
};

TEST_F(ModuleArgumentsTest, Load) {
    CUjit_option option = CU_JIT_MAX_REGISTERS;
    CUjit_option wrong = value<CUjit_option>(1000);
    void* number = reinterpret_cast<void*>(uintptr_t{32});
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuModuleLoadData(nullptr, kernels::all));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuModuleLoadData(&made, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_IMAGE, cuModuleLoadData(&made, ""));
    EXPECT_RESULT(CUDA_ERROR_INVALID_IMAGE, cuModuleLoadData(&made, "nothing of the kind"));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuModuleLoadDataEx(nullptr, kernels::all, 0, nullptr, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuModuleLoadDataEx(&made, nullptr, 0, nullptr, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuModuleLoadDataEx(&made, kernels::all, 1, &wrong, &number));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuModuleLoadDataEx(&made, kernels::all, 1, nullptr, &number));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuModuleLoadDataEx(&made, kernels::all, 1, &option, nullptr));
    EXPECT_RESULT(CUDA_SUCCESS, cuModuleLoadDataEx(&made, kernels::all, 1, &option, &number));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuModuleLoadFatBinary(nullptr, kernels::all));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuModuleLoadFatBinary(&made, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuModuleLoad(nullptr, "/no/such/file"));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuModuleLoad(&made, nullptr));
    EXPECT_RESULT(CUDA_ERROR_FILE_NOT_FOUND, cuModuleLoad(&made, "/no/such/file"));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuModuleLoad(&made, ""));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuModuleUnload(nullptr));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_HANDLE, cuModuleUnload(garbage<CUmodule>()));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_VALUE, cuModuleGetLoadingMode(nullptr));
}

TEST_F(ModuleArgumentsTest, Symbols) {
    CUtexref texture = nullptr;
    CUsurfref surface = nullptr;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuModuleGetFunction(nullptr, module, "nothing"));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuModuleGetFunction(&function, module, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuModuleGetFunction(&function, module, ""));
    EXPECT_RESULT(CUDA_ERROR_NOT_FOUND, cuModuleGetFunction(&function, module, "missing"));
    EXPECT_RESULT(CUDA_ERROR_NOT_FOUND, cuModuleGetFunction(&function, module, "counter"));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuModuleGetFunction(&function, nullptr, "nothing"));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_HANDLE, cuModuleGetFunction(&function, garbage<CUmodule>(), "nothing"));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuModuleGetGlobal(nullptr, nullptr, module, "counter"));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuModuleGetGlobal(&pointer, &size, module, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuModuleGetGlobal(&pointer, &size, module, ""));
    EXPECT_RESULT(CUDA_ERROR_NOT_FOUND, cuModuleGetGlobal(&pointer, &size, module, "missing"));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuModuleGetGlobal(&pointer, &size, module, "nothing"));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuModuleGetGlobal(&pointer, &size, nullptr, "counter"));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuModuleGetFunctionCount(nullptr, module));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuModuleGetFunctionCount(&count, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuModuleEnumerateFunctions(nullptr, 1, module));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuModuleEnumerateFunctions(&function, 1, nullptr));
    EXPECT_RESULT(CUDA_SUCCESS, cuModuleEnumerateFunctions(&function, 0, module));
    EXPECT_RESULT(CUDA_ERROR_NOT_FOUND, cuModuleGetTexRef(&texture, module, "missing"));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuModuleGetTexRef(nullptr, module, "missing"));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuModuleGetTexRef(&texture, module, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuModuleGetTexRef(&texture, nullptr, "missing"));
    EXPECT_RESULT(CUDA_ERROR_NOT_FOUND, cuModuleGetSurfRef(&surface, module, "missing"));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuModuleGetSurfRef(nullptr, module, "missing"));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuModuleGetSurfRef(&surface, nullptr, "missing"));
}

TEST_F(ModuleArgumentsTest, Link) {
    CUlinkState link = nullptr;
    CUjit_option wrong = value<CUjit_option>(1000);
    void* number = nullptr;
    void* image = nullptr;
    char text[] = "no PTX";
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuLinkCreate(0, nullptr, nullptr, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuLinkCreate(1, &wrong, &number, &link));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuLinkCreate(1, nullptr, nullptr, &link));
    ASSERT_OK(cuLinkCreate(0, nullptr, nullptr, &link));
    const auto add = [&](CUlinkState to, CUjitInputType type, void* data, size_t length) {
        return cuLinkAddData(to, type, data, length, "name", 0, nullptr, nullptr);
    };
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, add(nullptr, CU_JIT_INPUT_PTX, text, sizeof text));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, add(link, value<CUjitInputType>(77), text, sizeof text));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, add(link, CU_JIT_INPUT_PTX, nullptr, sizeof text));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, add(link, CU_JIT_INPUT_PTX, text, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_IMAGE, add(link, CU_JIT_INPUT_PTX, text, sizeof text));
    EXPECT_RESULT(CUDA_ERROR_INVALID_IMAGE, add(link, CU_JIT_INPUT_CUBIN, text, sizeof text));
    EXPECT_RESULT(CUDA_ERROR_FILE_NOT_FOUND,
                  cuLinkAddFile(link, CU_JIT_INPUT_PTX, "/no/such/file", 0, nullptr, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuLinkAddFile(link, CU_JIT_INPUT_PTX, nullptr, 0, nullptr, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE,
                  cuLinkAddFile(nullptr, CU_JIT_INPUT_PTX, "/no/such/file", 0, nullptr, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuLinkComplete(link, nullptr, &size));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuLinkComplete(nullptr, &image, &size));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuLinkDestroy(nullptr));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_HANDLE, cuLinkDestroy(garbage<CUlinkState>()));
    EXPECT_OK(cuLinkDestroy(link));
}

TEST_F(ModuleArgumentsTest, NothingCurrent) {
    ASSERT_OK(cuCtxPopCurrent(nullptr));
    CUlinkState link = nullptr;
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuModuleLoadData(&made, kernels::all));
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuModuleLoadData(nullptr, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuModuleLoad(&made, "/no/such/file"));
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuLinkCreate(0, nullptr, nullptr, &link));
    EXPECT_RESULT(CUDA_SUCCESS, cuModuleGetFunction(&function, module, "nothing"));
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuLaunchKernel(nothing, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
    EXPECT_RESULT(CUDA_SUCCESS, cuLaunchKernel(nothing, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, nullptr));
    EXPECT_OK(cuCtxPushCurrent(context));
}

class LibraryArgumentsTest : public ArgumentsTest {
protected:
    void SetUp() override {
        ArgumentsTest::SetUp();
        ASSERT_OK(cuLibraryLoadData(&library, kernels::all, nullptr, nullptr, 0, nullptr, nullptr, 0));
        ASSERT_OK(cuLibraryGetKernel(&kernel, library, "poke"));
    }
    void TearDown() override {
        EXPECT_OK(cuLibraryUnload(library));
        ArgumentsTest::TearDown();
    }
    CUlibrary library = nullptr;
    CUkernel kernel = nullptr;
    unsigned count = 0;
    size_t size = 0;
    int number = 0;
};

TEST_F(LibraryArgumentsTest, Load) {
    CUlibrary made = nullptr;
    CUlibraryOption option = value<CUlibraryOption>(99);
    void* nothing_given = nullptr;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE,
                  cuLibraryLoadData(nullptr, kernels::all, nullptr, nullptr, 0, nullptr, nullptr, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE,
                  cuLibraryLoadData(&made, nullptr, nullptr, nullptr, 0, nullptr, nullptr, 0));
    // A real driver checks only when the library is used.
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_IMAGE,
                         cuLibraryLoadData(&made, "no PTX", nullptr, nullptr, 0, nullptr, nullptr, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE,
                  cuLibraryLoadData(&made, kernels::all, nullptr, nullptr, 0, &option, &nothing_given, 1));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE,
                  cuLibraryLoadFromFile(&made, nullptr, nullptr, nullptr, 0, nullptr, nullptr, 0));
    EXPECT_RESULT(CUDA_ERROR_FILE_NOT_FOUND,
                  cuLibraryLoadFromFile(&made, "/no/such/file", nullptr, nullptr, 0, nullptr, nullptr, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuLibraryUnload(nullptr));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_HANDLE, cuLibraryUnload(garbage<CUlibrary>()));
}

TEST_F(LibraryArgumentsTest, Contents) {
    CUkernel found = nullptr;
    CUmodule of = nullptr;
    CUdeviceptr pointer = 0;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuLibraryGetKernel(nullptr, library, "poke"));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuLibraryGetKernel(&found, library, nullptr));
    EXPECT_RESULT(CUDA_ERROR_NOT_FOUND, cuLibraryGetKernel(&found, library, "missing"));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuLibraryGetKernel(&found, nullptr, "poke"));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuLibraryGetKernelCount(nullptr, library));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuLibraryGetKernelCount(&count, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuLibraryEnumerateKernels(nullptr, 1, library));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuLibraryEnumerateKernels(&found, 1, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuLibraryGetModule(nullptr, library));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuLibraryGetModule(&of, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuLibraryGetGlobal(&pointer, &size, library, nullptr));
    EXPECT_RESULT(CUDA_ERROR_NOT_FOUND, cuLibraryGetGlobal(&pointer, &size, library, "missing"));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuLibraryGetGlobal(&pointer, &size, nullptr, "counter"));
    EXPECT_RESULT(CUDA_ERROR_NOT_FOUND, cuLibraryGetManaged(&pointer, &size, library, "missing"));
    EXPECT_RESULT(CUDA_ERROR_NOT_FOUND, cuLibraryGetManaged(&pointer, &size, library, "counter"));
}

TEST_F(LibraryArgumentsTest, Kernels) {
    CUfunction function = nullptr;
    CUlibrary of = nullptr;
    const char* name = nullptr;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuKernelGetFunction(nullptr, kernel));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuKernelGetFunction(&function, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuKernelGetLibrary(nullptr, kernel));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuKernelGetLibrary(&of, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuKernelGetName(nullptr, kernel));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuKernelGetName(&name, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuKernelGetParamInfo(kernel, 2, &size, &size));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuKernelGetParamInfo(kernel, 0, nullptr, &size));
    EXPECT_RESULT(CUDA_SUCCESS, cuKernelGetParamInfo(kernel, 0, &size, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuKernelGetParamInfo(nullptr, 0, &size, &size));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuKernelGetAttribute(nullptr, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuKernelGetAttribute(&number, value<CUfunction_attribute>(99), kernel, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuKernelGetAttribute(&number, CU_FUNC_ATTRIBUTE_NUM_REGS, nullptr, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_DEVICE, cuKernelGetAttribute(&number, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel, 99));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_NUM_REGS, 1, kernel, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE,
                  cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1, nullptr, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuKernelSetCacheConfig(kernel, value<CUfunc_cache>(9), 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuKernelSetCacheConfig(nullptr, CU_FUNC_CACHE_PREFER_L1, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_DEVICE, cuKernelSetCacheConfig(kernel, CU_FUNC_CACHE_PREFER_L1, 99));
}

class FunctionArgumentsTest : public ArgumentsTest {
protected:
    int number = 0;
    size_t size = 0;
};

TEST_F(FunctionArgumentsTest, Attributes) {
    const auto set = [this](CUfunction_attribute which, int to) { return cuFuncSetAttribute(nothing, which, to); };
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuFuncGetAttribute(nullptr, CU_FUNC_ATTRIBUTE_NUM_REGS, nothing));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuFuncGetAttribute(&number, value<CUfunction_attribute>(99), nothing));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuFuncGetAttribute(&number, value<CUfunction_attribute>(-1), nothing));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuFuncGetAttribute(&number, CU_FUNC_ATTRIBUTE_NUM_REGS, nullptr));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_HANDLE,
                         cuFuncGetAttribute(&number, CU_FUNC_ATTRIBUTE_NUM_REGS, garbage<CUfunction>()));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, set(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 64));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, set(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, 64));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, set(CU_FUNC_ATTRIBUTE_NUM_REGS, 64));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, set(value<CUfunction_attribute>(99), 64));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, set(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, -1));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, set(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 232449));
    EXPECT_RESULT(CUDA_SUCCESS, set(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 232448));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, set(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 101));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, set(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, -2));
    EXPECT_RESULT(CUDA_SUCCESS, set(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, -1));
    EXPECT_RESULT(CUDA_SUCCESS, set(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 100));
    EXPECT_RESULT(CUDA_SUCCESS, set(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
    EXPECT_RESULT(CUDA_SUCCESS, set(CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE, 1));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE,
                  cuFuncSetAttribute(nullptr, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 50));
}

TEST_F(FunctionArgumentsTest, Others) {
    const char* name = nullptr;
    CUmodule of = nullptr;
    CUfunctionLoadingState state;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuFuncSetCacheConfig(nothing, value<CUfunc_cache>(4)));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuFuncSetCacheConfig(nullptr, CU_FUNC_CACHE_PREFER_L1));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuFuncSetSharedMemConfig(nothing, value<CUsharedconfig>(3)));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuFuncSetSharedMemConfig(nullptr, CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuFuncGetModule(nullptr, nothing));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuFuncGetModule(&of, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuFuncGetName(nullptr, nothing));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuFuncGetName(&name, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuFuncGetParamInfo(poke, 2, &size, &size));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuFuncGetParamInfo(poke, 0, nullptr, &size));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuFuncGetParamInfo(nullptr, 0, &size, &size));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuFuncIsLoaded(nullptr, nothing));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuFuncIsLoaded(&state, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuFuncLoad(nullptr));
}

class LaunchArgumentsTest : public ArgumentsTest {
protected:
    CUresult launch(unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared = 0) {
        return cuLaunchKernel(nothing, gx, gy, gz, bx, by, bz, shared, stream, nullptr, nullptr);
    }
    CUresult launch_with(CUlaunchAttributeID id, CUlaunchAttributeValue value) {
        CUlaunchAttribute attribute{};
        attribute.id = id;
        attribute.value = value;
        CUlaunchConfig config = one_thread();
        config.attrs = &attribute;
        config.numAttrs = 1;
        return cuLaunchKernelEx(&config, nothing, nullptr, nullptr);
    }
    CUlaunchConfig one_thread() const {
        CUlaunchConfig config{};
        config.gridDimX = config.gridDimY = config.gridDimZ = 1;
        config.blockDimX = config.blockDimY = config.blockDimZ = 1;
        config.hStream = stream;
        return config;
    }
};

TEST_F(LaunchArgumentsTest, Shape) {
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, launch(0, 1, 1, 1, 1, 1));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, launch(1, 0, 1, 1, 1, 1));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, launch(1, 1, 0, 1, 1, 1));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, launch(1, 1, 1, 0, 1, 1));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, launch(1, 1, 1, 1, 0, 1));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, launch(1, 1, 1, 1, 1, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, launch(0x80000000, 1, 1, 1, 1, 1));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, launch(1, 65536, 1, 1, 1, 1));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, launch(1, 1, 65536, 1, 1, 1));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, launch(1, 1, 1, 1025, 1, 1));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, launch(1, 1, 1, 1, 1025, 1));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, launch(1, 1, 1, 1, 1, 65));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, launch(1, 1, 1, 32, 32, 2));
    EXPECT_RESULT(CUDA_SUCCESS, launch(1, 1, 1, 1, 1, 1, 49152));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, launch(1, 1, 1, 1, 1, 1, 49153));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, launch(1, 1, 1, 1, 1, 1, 0xffffffff));
    EXPECT_OK(cuStreamSynchronize(stream));
}

TEST_F(LaunchArgumentsTest, Parameters) {
    unsigned number = 0;
    void* parameters[] = {&memory, &number};
    char block[16] = {};
    size_t size = 12;
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, block, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
    void* no_size[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, block, CU_LAUNCH_PARAM_END};
    void* no_pointer[] = {CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
    void* unknown[] = {reinterpret_cast<void*>(uintptr_t{77}), block, CU_LAUNCH_PARAM_END};
    void* empty[] = {CU_LAUNCH_PARAM_END};
    const auto launch = [this](void** given, void** packed) {
        return cuLaunchKernel(poke, 1, 1, 1, 1, 1, 1, 0, stream, given, packed);
    };
    std::memcpy(block, &memory, sizeof memory);
    EXPECT_RESULT(CUDA_SUCCESS, launch(parameters, nullptr));
    EXPECT_RESULT(CUDA_SUCCESS, launch(nullptr, extra));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, launch(nullptr, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, launch(parameters, extra));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, launch(nullptr, no_size));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, launch(nullptr, no_pointer));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, launch(nullptr, unknown));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, launch(nullptr, empty));
    size = 16;
    EXPECT_RESULT(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, launch(nullptr, extra));
    size = 17;
    EXPECT_RESULT(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, launch(nullptr, extra));
    void* missing[] = {&memory, nullptr};
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_VALUE, launch(missing, nullptr));
    EXPECT_OK(cuStreamSynchronize(stream));
}

TEST_F(LaunchArgumentsTest, Handles) {
    const auto launch = [](CUfunction function, CUstream on) {
        return cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, on, nullptr, nullptr);
    };
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, launch(nullptr, stream));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_HANDLE, launch(garbage<CUfunction>(), stream));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_HANDLE, launch(nothing, garbage<CUstream>()));
    CUcontext other = nullptr;
    CUstream there = nullptr;
    ASSERT_OK(cuCtxCreate(&other, nullptr, 0, 0));
    ASSERT_OK(cuStreamCreate(&there, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, launch(nothing, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, launch(nothing, there));
    EXPECT_RESULT(CUDA_SUCCESS, launch(nothing, stream));
    EXPECT_OK(cuCtxDestroy(other));
    EXPECT_OK(cuStreamSynchronize(stream));
}

TEST_F(LaunchArgumentsTest, Cooperative) {
    const auto launch = [this](unsigned grid, unsigned block, unsigned shared) {
        return cuLaunchCooperativeKernel(nothing, grid, 1, 1, block, 1, 1, shared, stream, nullptr);
    };
    int processors = 0, each = 0;
    ASSERT_OK(cuDeviceGetAttribute(&processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
    ASSERT_OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&each, nothing, 256, 0));
    const auto most = static_cast<unsigned>(processors * each);
    EXPECT_RESULT(CUDA_SUCCESS, launch(most, 256, 0));
    EXPECT_RESULT(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, launch(most + 1, 256, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, launch(0, 256, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, launch(1, 1025, 0));
    EXPECT_RESULT(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, launch(1, 1, 49153));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuLaunchCooperativeKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, stream, nullptr));
    EXPECT_OK(cuStreamSynchronize(stream));
}

TEST_F(LaunchArgumentsTest, Configuration) {
    CUlaunchConfig config = one_thread();
    EXPECT_RESULT(CUDA_SUCCESS, cuLaunchKernelEx(&config, nothing, nullptr, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuLaunchKernelEx(&config, nullptr, nullptr, nullptr));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_VALUE, cuLaunchKernelEx(nullptr, nothing, nullptr, nullptr));
    config.gridDimX = 0;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuLaunchKernelEx(&config, nothing, nullptr, nullptr));
    config = one_thread();
    config.numAttrs = 1;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuLaunchKernelEx(&config, nothing, nullptr, nullptr));
    EXPECT_OK(cuStreamSynchronize(stream));
}

TEST_F(LaunchArgumentsTest, LaunchAttributes) {
    CUlaunchAttributeValue zero{}, number{};
    EXPECT_RESULT(CUDA_SUCCESS, launch_with(CU_LAUNCH_ATTRIBUTE_IGNORE, zero));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, launch_with(value<CUlaunchAttributeID>(99), zero));
    EXPECT_RESULT(CUDA_SUCCESS, launch_with(CU_LAUNCH_ATTRIBUTE_COOPERATIVE, zero));
    number.cooperative = 1;
    EXPECT_RESULT(CUDA_SUCCESS, launch_with(CU_LAUNCH_ATTRIBUTE_COOPERATIVE, number));
    number = zero;
    number.clusterDim = {1, 1, 1};
    EXPECT_RESULT(CUDA_SUCCESS, launch_with(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, number));
    EXPECT_RESULT(CUDA_SUCCESS, launch_with(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, zero));
    number.clusterDim = {0, 1, 1};
    EXPECT_RESULT(CUDA_ERROR_INVALID_CLUSTER_SIZE, launch_with(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, number));
    number = zero;
    number.priority = -3;
    EXPECT_RESULT(CUDA_SUCCESS, launch_with(CU_LAUNCH_ATTRIBUTE_PRIORITY, number));
    number.priority = 77;
    EXPECT_RESULT(CUDA_SUCCESS, launch_with(CU_LAUNCH_ATTRIBUTE_PRIORITY, number));
    number = zero;
    number.programmaticStreamSerializationAllowed = 1;
    EXPECT_RESULT(CUDA_SUCCESS, launch_with(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION, number));
    number = zero;
    number.memSyncDomain = CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE;
    EXPECT_RESULT(CUDA_SUCCESS, launch_with(CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN, number));
    number = zero;
    number.clusterSchedulingPolicyPreference = CU_CLUSTER_SCHEDULING_POLICY_SPREAD;
    EXPECT_RESULT(CUDA_SUCCESS, launch_with(CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE, number));
    number = zero;
    number.sharedMemCarveout = 50;
    EXPECT_RESULT(CUDA_SUCCESS, launch_with(CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, number));
    number.sharedMemCarveout = 101;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, launch_with(CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, number));
    number = zero;
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, launch_with(CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT, zero));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, launch_with(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT, zero));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, launch_with(CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, zero));
    EXPECT_RESULT(CUDA_ERROR_NOT_SUPPORTED, launch_with(CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE, zero));
    EXPECT_RESULT(CUDA_SUCCESS, launch_with(CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION, zero));
    EXPECT_OK(cuStreamSynchronize(stream));
}

TEST_F(LaunchArgumentsTest, Occupancy) {
    int blocks = 0, grid = 0, block = 0;
    size_t size = 0;
    const auto flags = CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, nothing, 64, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, 0, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, -1, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nullptr, 64, 0));
    EXPECT_RESULT(CUDA_SUCCESS, cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, 64, 1 << 20));
    EXPECT_EQ(0, blocks);
    EXPECT_RESULT(CUDA_SUCCESS, cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, nothing, 64, 0, flags));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE,
                  cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, nothing, 64, 0, 2));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuOccupancyMaxPotentialBlockSize(nullptr, &block, nothing, nullptr, 0, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuOccupancyMaxPotentialBlockSize(&grid, nullptr, nothing, nullptr, 0, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuOccupancyMaxPotentialBlockSize(&grid, &block, nullptr, nullptr, 0, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuOccupancyMaxPotentialBlockSize(&grid, &block, nothing, nullptr, 0, -1));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE,
                  cuOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, nothing, nullptr, 0, 0, 2));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_VALUE, cuOccupancyAvailableDynamicSMemPerBlock(nullptr, nothing, 1, 64));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuOccupancyAvailableDynamicSMemPerBlock(&size, nothing, 0, 64));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuOccupancyAvailableDynamicSMemPerBlock(&size, nothing, 1, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuOccupancyAvailableDynamicSMemPerBlock(&size, nothing, 33, 64));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuOccupancyAvailableDynamicSMemPerBlock(&size, nullptr, 1, 64));
    CUlaunchConfig config = one_thread();
    EXPECT_RESULT(CUDA_SUCCESS, cuOccupancyMaxPotentialClusterSize(&blocks, nothing, &config));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuOccupancyMaxPotentialClusterSize(nullptr, nothing, &config));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuOccupancyMaxPotentialClusterSize(&blocks, nothing, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuOccupancyMaxActiveClusters(nullptr, nothing, &config));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuOccupancyMaxActiveClusters(&blocks, nothing, nullptr));
}
