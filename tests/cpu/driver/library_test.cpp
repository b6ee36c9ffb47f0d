// Libraries without a context, their attributes, and their managed variables.
#include "driver/arguments/arguments.hpp"
#include "driver/driver_test.hpp"
#include "driver/kernels.hpp"

#include <string>

namespace {

constexpr auto dynamic_shared = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;

const std::string managed = R"(
.version 8.0
.target sm_50
.address_size 64
.visible .global .attribute(.managed) .align 4 .u32 both = 7;
.visible .global .align 4 .u32 plain = 8;
.visible .entry nothing() { ret; }
)";

class LibraryWithoutContext : public DriverTest {
protected:
    void SetUp() override {
        DriverTest::SetUp();
        ASSERT_OK(cuLibraryLoadData(&library, kernels::all, nullptr, nullptr, 0, nullptr, nullptr, 0));
        ASSERT_OK(cuLibraryGetKernel(&kernel, library, "poke"));
    }
    void TearDown() override {
        if (library) {
            EXPECT_OK(cuLibraryUnload(library));
        }
        DriverTest::TearDown();
    }
    CUlibrary library = nullptr;
    CUkernel kernel = nullptr;
    int value = 0;
};

TEST_F(LibraryWithoutContext, IsAskedAboutItsKernels) {
    unsigned count = 0;
    EXPECT_OK(cuLibraryGetKernelCount(&count, library));
    EXPECT_EQ(5u, count);
    CUkernel all[5] = {};
    EXPECT_OK(cuLibraryEnumerateKernels(all, 5, library));
    const char* name = nullptr;
    EXPECT_OK(cuKernelGetName(&name, kernel));
    EXPECT_STREQ("poke", name);
    EXPECT_OK(cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel, 0));
    EXPECT_LT(0, value);
    EXPECT_OK(cuKernelSetCacheConfig(kernel, CU_FUNC_CACHE_PREFER_L1, 0));
}

TEST_F(LibraryWithoutContext, NeedsOneForWhatBelongsToIt) {
    CUfunction function = nullptr;
    CUmodule module = nullptr;
    CUdeviceptr pointer = 0;
    size_t size = 0;
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuKernelGetFunction(&function, kernel));
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuLibraryGetModule(&module, library));
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuLibraryGetGlobal(&pointer, &size, library, "counter"));
}

TEST_F(LibraryWithoutContext, InvalidCodeIsRefused) {
    CUlibrary made = nullptr;
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_PTX,
                         cuLibraryLoadData(&made, ".version 8.0\n.target sm_50\n.address_size 64\nmistake", nullptr,
                                           nullptr, 0, nullptr, nullptr, 0));
}

TEST_F(LibraryWithoutContext, AttributesHoldInContextsThatComeLater) {
    EXPECT_OK(cuKernelSetAttribute(dynamic_shared, 1024, kernel, 0));
    CUcontext context = nullptr;
    ASSERT_OK(cuCtxCreate(&context, nullptr, 0, 0));
    CUfunction function = nullptr;
    EXPECT_OK(cuKernelGetFunction(&function, kernel));
    EXPECT_OK(cuFuncGetAttribute(&value, dynamic_shared, function));
    EXPECT_EQ(1024, value);
    EXPECT_OK(cuKernelSetAttribute(dynamic_shared, 2048, kernel, 0));
    EXPECT_OK(cuFuncGetAttribute(&value, dynamic_shared, function));
    EXPECT_EQ(2048, value);
    EXPECT_OK(cuFuncSetAttribute(function, dynamic_shared, 512));
    EXPECT_OK(cuKernelSetAttribute(dynamic_shared, 4096, kernel, 0));
    EXPECT_OK(cuFuncGetAttribute(&value, dynamic_shared, function));
    EXPECT_EQ(512, value) << "the function's own dynamic_shared takes precedence";
    EXPECT_OK(cuKernelGetAttribute(&value, dynamic_shared, kernel, 0));
    EXPECT_EQ(4096, value);
    EXPECT_OK(cuCtxDestroy(context));
}

TEST_F(LibraryWithoutContext, ManagedVariablesExistOnceAContextHasThem) {
    CUlibrary with = nullptr;
    ASSERT_OK(cuLibraryLoadData(&with, managed.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    CUdeviceptr pointer = 0, again = 0;
    size_t size = 0;
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_NOT_FOUND, cuLibraryGetManaged(&pointer, &size, with, "both"));
    CUcontext context = nullptr;
    ASSERT_OK(cuCtxCreate(&context, nullptr, 0, 0));
    EXPECT_OK(cuLibraryGetManaged(&pointer, &size, with, "both"));
    EXPECT_EQ(4u, size);
    unsigned seen = 0;
    EXPECT_OK(cuMemcpyDtoH(&seen, pointer, 4));
    EXPECT_EQ(7u, seen);
    EXPECT_RESULT(CUDA_ERROR_NOT_FOUND, cuLibraryGetManaged(&pointer, &size, with, "plain"));
    CUcontext popped = nullptr;
    EXPECT_OK(cuCtxPopCurrent(&popped));
    EXPECT_OK(cuLibraryGetManaged(&again, nullptr, with, "both"));
    EXPECT_EQ(pointer, again);
    EXPECT_OK(cuLibraryUnload(with));
    EXPECT_OK(cuCtxDestroy(context));
}

}  // namespace
