// A finished launch leaves what it prepared to the kernel's next one: each must still run as its own arguments say.
#include "driver/driver_test.hpp"

#include <array>
#include <vector>

namespace {

struct Shape {
    unsigned blocks, x, y, shared;
};
constexpr Shape shapes[] = {{1, 32, 1, 0},   {2, 32, 1, 0},   {2, 32, 1, 64},  {7, 33, 1, 0}, {1, 16, 4, 0},
                            {3, 1024, 1, 0}, {1, 1, 1, 4096}, {40, 128, 2, 0}, {2, 32, 1, 0}};

/// out: blocks, threads in x and y, dynamic shared memory, the two parameters, and the number of threads that ran.
constexpr const char* text = R"(
.version 8.0
.target sm_50
.address_size 64
.extern .shared .align 4 .b8 dynamic[];
.visible .entry shape(.param .u64 out, .param .u64 wide, .param .u32 narrow)
{
    .reg .b32 %r<9>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [out];
    ld.param.u64 %rd2, [wide];
    ld.param.u32 %r1, [narrow];
    mov.u32 %r2, %nctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %ntid.y;
    mov.u32 %r5, %dynamic_smem_size;
    st.global.v4.u32 [%rd1], {%r2, %r3, %r4, %r5};
    st.global.u64 [%rd1+16], %rd2;
    st.global.u32 [%rd1+24], %r1;
    atom.global.add.u32 %r6, [%rd1+28], 1;
    ret;
}
)";

class LaunchesInTurn : public InContext {
protected:
    void SetUp() override {
        InContext::SetUp();
        ASSERT_OK(cuModuleLoadData(&module, text));
        ASSERT_OK(cuModuleGetFunction(&function, module, "shape"));
        for (Lane& lane : lanes) {
            ASSERT_OK(cuStreamCreate(&lane.stream, CU_STREAM_NON_BLOCKING));
            ASSERT_OK(cuMemAlloc(&lane.out, sizeof(Seen)));
        }
    }

    using Seen = std::array<unsigned, 8>;
    struct Lane {
        CUstream stream = nullptr;
        CUdeviceptr out = 0;
        Seen expected{};
    };

    void launch(Lane& lane, const Shape& shape, unsigned number) {
        unsigned long long wide = 0x100000001ull * number;
        void* parameters[] = {&lane.out, &wide, &number};
        ASSERT_OK(cuMemsetD32Async(lane.out, 0, 8, lane.stream));
        ASSERT_OK(cuLaunchKernel(function, shape.blocks, 1, 1, shape.x, shape.y, 1, shape.shared, lane.stream,
                                 parameters, nullptr));
        lane.expected = {shape.blocks, shape.x, shape.y, shape.shared,
                         number,       number,  number,  shape.blocks * shape.x * shape.y};
    }
    void expect_seen(const Lane& lane) {
        Seen seen{};
        ASSERT_OK(cuStreamSynchronize(lane.stream));
        ASSERT_OK(cuMemcpyDtoH(seen.data(), lane.out, sizeof seen));
        EXPECT_EQ(seen, lane.expected);
    }

    CUmodule module = nullptr;
    CUfunction function = nullptr;
    std::array<Lane, 2> lanes;
};

TEST_F(LaunchesInTurn, EveryShapeAfterEveryOther) {
    unsigned number = 0;
    for (const Shape& before : shapes)
        for (const Shape& shape : shapes) {
            launch(lanes[0], before, ++number);
            launch(lanes[0], shape, ++number);
            expect_seen(lanes[0]);
        }
}

TEST_F(LaunchesInTurn, InTwoStreamsAtOnce) {
    unsigned number = 0;
    for (const Shape& here : shapes)
        for (const Shape& there : shapes) {
            for (int i = 0; i < 3; ++i) {
                launch(lanes[0], here, ++number);
                launch(lanes[1], there, ++number);
            }
            for (const Lane& lane : lanes) expect_seen(lane);
        }
}

/// An address that was valid in an earlier launch is not in the next one, once its memory was freed.
TEST_F(LaunchesInTurn, FreedMemoryIsNotForTheNextLaunch) {
    if (!on_cpu_device()) GTEST_SKIP() << "a GPU need not notice";
    for (unsigned number = 1; number < 3; ++number) {
        launch(lanes[0], shapes[0], number);
        expect_seen(lanes[0]);
    }
    ASSERT_OK(cuMemFree(lanes[0].out));
    unsigned long long wide = 1;
    unsigned narrow = 1;
    void* parameters[] = {&lanes[0].out, &wide, &narrow};
    ASSERT_OK(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, lanes[0].stream, parameters, nullptr));
    EXPECT_RESULT(CUDA_ERROR_ILLEGAL_ADDRESS, cuStreamSynchronize(lanes[0].stream));
}

}  // namespace
