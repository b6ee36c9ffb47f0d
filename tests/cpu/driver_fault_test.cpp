#include "driver_kernels.hpp"
#include "driver_test.hpp"

#include <string>

/// Memory that a kernel must not touch, though it once could or another's can. What a GPU does is left open, so that
/// these are tests of the CPU device.
class FaultTest : public InContext {
protected:
    void SetUp() override {
        InContext::SetUp();
        if (!on_cpu_device()) GTEST_SKIP() << "a GPU need not notice";
        ASSERT_OK(cuModuleLoadData(&module_, kernels::all));
        ASSERT_OK(cuModuleGetFunction(&poke_, module_, "poke"));
    }

    /// Writes there from a kernel; the text of the error that follows.
    std::string fault_of_writing(CUdeviceptr where) {
        unsigned value = 1;
        void* parameters[] = {&where, &value};
        EXPECT_OK(cuLaunchKernel(poke_, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
        const CUresult result = cuCtxSynchronize();
        EXPECT_RESULT(CUDA_ERROR_ILLEGAL_ADDRESS, result);
        const char* text = "";
        EXPECT_OK(cuGetErrorString(result, &text));
        return text;
    }

    static void expect_part(const std::string& text, const std::string& part) {
        EXPECT_NE(std::string::npos, text.find(part)) << text << "\nlacks: " << part;
    }

    CUmodule module_ = nullptr;
    CUfunction poke_ = nullptr;
};

TEST_F(FaultTest, UseAfterFree) {
    CUdeviceptr pointer = 0;
    ASSERT_OK(cuMemAlloc(&pointer, 1000));
    ASSERT_OK(cuMemFree(pointer));
    const std::string text = fault_of_writing(pointer + 100);
    expect_part(text, "kernel poke: illegal write of 4 bytes");
    expect_part(text, "100 bytes into memory freed earlier");
    expect_part(text, "of 1000 bytes");
}

TEST_F(FaultTest, UseAfterFreeInStreamOrder) {
    CUdeviceptr pointer = 0;
    ASSERT_OK(cuMemAllocAsync(&pointer, 1000, nullptr));
    ASSERT_OK(cuMemFreeAsync(pointer, nullptr));
    expect_part(fault_of_writing(pointer), "0 bytes into memory freed earlier");
}

TEST_F(FaultTest, UseOfAnUnloadedModulesVariable) {
    CUmodule other = nullptr;
    CUdeviceptr counter = 0;
    ASSERT_OK(cuModuleLoadData(&other, kernels::all));
    ASSERT_OK(cuModuleGetGlobal(&counter, nullptr, other, "counter"));
    ASSERT_OK(cuModuleUnload(other));
    expect_part(fault_of_writing(counter), "0 bytes into memory freed earlier");
}

TEST_F(FaultTest, MemoryOfAnotherContext) {
    CUcontext other = nullptr;
    CUdeviceptr theirs = 0;
    ASSERT_OK(cuCtxCreate(&other, nullptr, 0, 0));
    ASSERT_OK(cuMemAlloc(&theirs, 64));
    ASSERT_OK(cuCtxSetCurrent(context));
    expect_part(fault_of_writing(theirs + 4), "the address lies in an allocation of another context, on device 0");
    ASSERT_OK(cuCtxDestroy(other));
}

TEST_F(FaultTest, OneByteBehindTheEnd) {
    CUdeviceptr pointer = 0;
    ASSERT_OK(cuMemAlloc(&pointer, 1001));
    const std::string text = fault_of_writing(pointer + 1000);
    expect_part(text, "1000 bytes into the nearest allocation");
    EXPECT_EQ(std::string::npos, text.find("another context")) << text;
}
