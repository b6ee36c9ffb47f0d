// Functions of cudadevrt that need not be linked: a GPU's driver wants that library among the linker's inputs.
#include <vector>

#include "driver/driver_test.hpp"

class DeviceLibraryTest : public InContext {
protected:
    void SetUp() override {
        InContext::SetUp();
        if (!on_cpu_device()) GTEST_SKIP() << "cudadevrt is not linked";
        CUmodule module = nullptr;
        ASSERT_OK(cuModuleLoadData(&module, text));
        ASSERT_OK(cuModuleGetFunction(&sum, module, "sum_of_blocks"));
        ASSERT_OK(cuMemAlloc(&out, blocks * sizeof(unsigned)));
        ASSERT_OK(cuMemAlloc(&numbers, blocks * sizeof(unsigned)));
    }
    std::vector<unsigned> results(bool cooperative) {
        void* parameters[] = {&out, &numbers};
        EXPECT_OK(cuMemsetD32(numbers, 0, blocks));
        if (cooperative) {
            EXPECT_OK(cuLaunchCooperativeKernel(sum, blocks, 1, 1, 64, 1, 1, 0, nullptr, parameters));
        } else {
            EXPECT_OK(cuLaunchKernel(sum, blocks, 1, 1, 64, 1, 1, 0, nullptr, parameters, nullptr));
        }
        std::vector<unsigned> seen(blocks);
        EXPECT_OK(cuMemcpyDtoH(seen.data(), out, blocks * sizeof(unsigned)));
        return seen;
    }

    static constexpr unsigned blocks = 4;
    CUfunction sum = nullptr;
    CUdeviceptr out = 0, numbers = 0;

private:
    // Each block writes its number plus one; after the grid's barrier, each adds them all up. If the barrier fails,
    // each writes the error.
    static constexpr const char* text = R"(
.version 8.0
.target sm_70
.address_size 64
.extern .func (.param .b64 r) cudaCGGetIntrinsicHandle(.param .b32 scope);
.extern .func (.param .b32 r) cudaCGSynchronize(.param .b64 handle, .param .b32 flags);
.visible .entry sum_of_blocks(.param .u64 out, .param .u64 numbers)
{
    .reg .pred %p; .reg .b32 %block, %value, %sum, %error, %t; .reg .b64 %out, %numbers, %handle, %at;
    ld.param.u64 %out, [out];
    ld.param.u64 %numbers, [numbers];
    mov.u32 %block, %ctaid.x;
    mov.u32 %t, %tid.x;
    mad.wide.u32 %out, %block, 4, %out;
    mad.wide.u32 %at, %block, 4, %numbers;
    add.u32 %value, %block, 1;
    setp.ne.u32 %p, %t, 63;
    @!%p st.global.u32 [%at], %value;
    { .param .b32 a; .param .b64 r; st.param.b32 [a], 1; call (r), cudaCGGetIntrinsicHandle, (a); ld.param.b64 %handle, [r]; }
    { .param .b64 a; .param .b32 b; .param .b32 r; st.param.b64 [a], %handle; st.param.b32 [b], 0;
      call (r), cudaCGSynchronize, (a, b); ld.param.b32 %error, [r]; }
    setp.ne.u32 %p, %t, 0;
    @%p ret;
    ld.volatile.global.u32 %sum, [%numbers];
    ld.volatile.global.u32 %value, [%numbers+4];
    add.u32 %sum, %sum, %value;
    ld.volatile.global.u32 %value, [%numbers+8];
    add.u32 %sum, %sum, %value;
    ld.volatile.global.u32 %value, [%numbers+12];
    add.u32 %sum, %sum, %value;
    setp.ne.u32 %p, %error, 0;
    @%p add.u32 %sum, %error, 1000;
    st.global.u32 [%out], %sum;
    ret;
}
)";
};

TEST_F(DeviceLibraryTest, TheGridMeets) {
    for (int round = 0; round < 20; ++round) EXPECT_EQ(std::vector<unsigned>(blocks, 10), results(true));
}

TEST_F(DeviceLibraryTest, AGridThatCannotMeetIsAnInvalidGroup) {
    EXPECT_EQ(std::vector<unsigned>(blocks, 1001), results(false));
}
