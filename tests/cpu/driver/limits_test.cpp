// What the limits of a context mean to its kernels.
#include "driver/driver_test.hpp"

#include <vector>

namespace {

const char* const kernels = R"(.version 8.5
.target sm_90
.address_size 64
.extern .func (.param .b64 r) malloc(.param .b64 size);
.extern .func free(.param .b64 address);
.extern .func (.param .b32 r) vprintf(.param .b64 format, .param .b64 arguments);
.global .align 1 .b8 text[1] = {0};

.visible .entry plain(.param .u64 out)
{
    ret;
}

.visible .entry print(.param .u64 out)
{
    .reg .b64 %format;
    mov.u64 %format, text;
    cvta.global.u64 %format, %format;
    { .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %format; st.param.b64 [a], 0; call (r), vprintf, (f, a); }
    ret;
}

.extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);
// It never does.
.visible .entry may_assert(.param .u64 out, .param .u32 fails)
{
    .reg .b32 %fails; .reg .b64 %text; .reg .pred %p;
    ld.param.u32 %fails, [fails];
    setp.eq.u32 %p, %fails, 0;
    @%p ret;
    mov.u64 %text, text;
    cvta.global.u64 %text, %text;
    { .param .b64 m; .param .b64 f; .param .b32 l; .param .b64 n; .param .b64 s;
      st.param.b64 [m], %text; st.param.b64 [f], %text; st.param.b32 [l], 1; st.param.b64 [n], %text; st.param.b64 [s], 1;
      call __assertfail, (m, f, l, n, s); }
    ret;
}

.visible .entry only_free(.param .u64 out)
{
    { .param .b64 a; st.param.b64 [a], 0; call free, (a); }
    ret;
}

.func allocate()
{
    .reg .b64 %block;
    { .param .b64 a; .param .b64 r; st.param.b64 [a], 16; call (r), malloc, (a); ld.param.b64 %block, [r]; }
    { .param .b64 a; st.param.b64 [a], %block; call free, (a); }
    ret;
}
// It never gets to the heap.
.visible .entry may_allocate(.param .u64 out, .param .u32 much)
{
    .reg .b32 %much; .reg .pred %p;
    ld.param.u32 %much, [much];
    setp.eq.u32 %p, %much, 0;
    @%p ret;
    call allocate;
    ret;
}

// How many blocks of 1 MiB there are; all of them are given back.
.visible .entry count_blocks(.param .u64 out)
{
    .reg .b64 %out, %first, %block; .reg .b32 %n; .reg .pred %p;
    ld.param.u64 %out, [out];
    mov.u64 %first, 0;
    mov.u32 %n, 0;
MORE:
    { .param .b64 a; .param .b64 r; st.param.b64 [a], 1048576; call (r), malloc, (a); ld.param.b64 %block, [r]; }
    setp.eq.u64 %p, %block, 0;
    @%p bra FULL;
    st.u64 [%block], %first;
    st.u64 [%block+1048568], %first;
    mov.u64 %first, %block;
    add.u32 %n, %n, 1;
    bra MORE;
FULL:
    setp.eq.u64 %p, %first, 0;
    @%p bra DONE;
    ld.u64 %block, [%first];
    { .param .b64 a; st.param.b64 [a], %first; call free, (a); }
    mov.u64 %first, %block;
    bra FULL;
DONE:
    st.u32 [%out], %n;
    ret;
}

// n + (n - 1) + ... + 1, with a kilobyte of the stack for each.
.func (.param .b32 r) sum(.param .b32 n)
{
    .local .align 4 .b8 kilobyte[1024];
    .reg .b32 %n, %m, %sum, %at; .reg .b64 %a; .reg .pred %p;
    ld.param.b32 %n, [n];
    st.param.b32 [r], 0;
    setp.eq.u32 %p, %n, 0;
    @%p ret;
    and.b32 %at, %n, 255;
    mov.u64 %a, kilobyte;
    mad.wide.u32 %a, %at, 4, %a;
    st.local.b32 [%a], %n;
    sub.u32 %m, %n, 1;
    { .param .b32 x; .param .b32 y; st.param.b32 [x], %m; call (y), sum, (x); ld.param.b32 %sum, [y]; }
    ld.local.b32 %n, [%a];
    add.u32 %sum, %sum, %n;
    st.param.b32 [r], %sum;
    ret;
}
.visible .entry deep(.param .u64 out, .param .u32 depth)
{
    .reg .b64 %out; .reg .b32 %n;
    ld.param.u64 %out, [out];
    ld.param.u32 %n, [depth];
    { .param .b32 x; .param .b32 y; st.param.b32 [x], %n; call (y), sum, (x); ld.param.b32 %n, [y]; }
    st.u32 [%out], %n;
    ret;
}
)";

class LimitsTest : public InContext {
protected:
    LimitsTest() : InContext(NotShared{}) {}
    void SetUp() override {
        InContext::SetUp();
        ASSERT_OK(cuMemAlloc(&out_, 4));
    }
    /// The module is loaded late: a limit takes effect at a context's first launch.
    CUresult run(const char* name, unsigned depth = 0) {
        CUmodule module = nullptr;
        CUfunction function = nullptr;
        EXPECT_OK(cuModuleLoadData(&module, kernels));
        EXPECT_OK(cuModuleGetFunction(&function, module, name));
        void* parameters[] = {&out_, &depth};
        EXPECT_OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
        return cuCtxSynchronize();
    }
    unsigned result() {
        unsigned value = 0;
        EXPECT_OK(cuMemcpyDtoH(&value, out_, sizeof value));
        return value;
    }
    static std::string set(CUlimit limit, size_t value) { return result_name(cuCtxSetLimit(limit, value)); }
    CUdeviceptr out_ = 0;
};

TEST_F(LimitsTest, OtherKernelsLeaveLimitsOpen) {
    EXPECT_OK(run("plain"));
    EXPECT_EQ(set(CU_LIMIT_MALLOC_HEAP_SIZE, 16u << 20), "CUDA_SUCCESS");
    EXPECT_EQ(set(CU_LIMIT_PRINTF_FIFO_SIZE, 2u << 20), "CUDA_SUCCESS");
}

TEST_F(LimitsTest, AKernelWithAHeapSettlesItsSize) {
    EXPECT_OK(run("may_allocate"));
    size_t before = 0, after = 0;
    ASSERT_OK(cuCtxGetLimit(&before, CU_LIMIT_MALLOC_HEAP_SIZE));
    for (const size_t value : {before, 2 * before, size_t{0}})
        EXPECT_EQ(set(CU_LIMIT_MALLOC_HEAP_SIZE, value), "CUDA_ERROR_INVALID_VALUE");
    ASSERT_OK(cuCtxGetLimit(&after, CU_LIMIT_MALLOC_HEAP_SIZE));
    EXPECT_EQ(before, after);
    EXPECT_EQ(set(CU_LIMIT_PRINTF_FIFO_SIZE, 2u << 20), "CUDA_SUCCESS");
    EXPECT_EQ(set(CU_LIMIT_STACK_SIZE, 2048), "CUDA_SUCCESS");
}

TEST_F(LimitsTest, AKernelThatPrintsSettlesTheBuffersSize) {
    EXPECT_OK(run("print"));
    EXPECT_EQ(set(CU_LIMIT_PRINTF_FIFO_SIZE, 2u << 20), "CUDA_ERROR_INVALID_VALUE");
    EXPECT_EQ(set(CU_LIMIT_MALLOC_HEAP_SIZE, 16u << 20), "CUDA_SUCCESS");
}

TEST_F(LimitsTest, SoDoFreeAndAssert) {
    EXPECT_OK(run("may_assert"));
    EXPECT_EQ(set(CU_LIMIT_PRINTF_FIFO_SIZE, 2u << 20), "CUDA_ERROR_INVALID_VALUE");
    EXPECT_EQ(set(CU_LIMIT_MALLOC_HEAP_SIZE, 16u << 20), "CUDA_SUCCESS");
    EXPECT_OK(run("only_free"));
    EXPECT_EQ(set(CU_LIMIT_MALLOC_HEAP_SIZE, 16u << 20), "CUDA_ERROR_INVALID_VALUE");
}

TEST_F(LimitsTest, AnotherContextsLimitsStayOpen) {
    EXPECT_OK(run("may_allocate"));
    CUcontext other = nullptr;
    ASSERT_OK(cuCtxCreate(&other, nullptr, 0, 0));
    EXPECT_EQ(set(CU_LIMIT_MALLOC_HEAP_SIZE, 16u << 20), "CUDA_SUCCESS");
    EXPECT_OK(cuCtxDestroy(other));
}

TEST_F(LimitsTest, MallocEndsAtTheHeapLimit) {
    ASSERT_OK(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 24u << 20));
    for (int round = 0; round < 2; ++round) {  // what was freed is there again
        EXPECT_OK(run("count_blocks"));
        const unsigned blocks = result();
        EXPECT_GE(blocks, 16u);
        EXPECT_LE(blocks, 24u);
    }
}

TEST_F(LimitsTest, TheHeapHasEightMegabytesByDefault) {
    EXPECT_OK(run("count_blocks"));
    EXPECT_GE(result(), 4u);
    EXPECT_LE(result(), 8u);
}

TEST_F(LimitsTest, RecursionEndsWithTheStack) {
    EXPECT_NE("CUDA_SUCCESS", result_name(run("deep", 80)));
}

TEST_F(LimitsTest, TheStackLimitMakesRoomForRecursion) {
    ASSERT_OK(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 112u << 10));
    EXPECT_OK(run("deep", 80));
    EXPECT_EQ(result(), 3240u);
}

}  // namespace
