#include <cstring>
#include <string>
#include <utility>

#include "driver/driver_test.hpp"

class LinkTest : public InContext {};

namespace {

constexpr const char* caller = R"(
.version 8.0
.target sm_50
.address_size 64
.extern .func (.param .b32 result) twice(.param .b32 value);
.extern .global .align 4 .u32 shift;
.visible .entry compute(.param .u64 out, .param .u32 value)
{
    .reg .b32 %r<5>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [value];
    cvta.to.global.u64 %rd2, %rd1;
    {
    .param .b32 argument;
    .param .b32 returned;
    st.param.b32 [argument], %r1;
    call.uni (returned), twice, (argument);
    ld.param.b32 %r2, [returned];
    }
    ld.global.u32 %r3, [shift];
    add.u32 %r4, %r2, %r3;
    st.global.u32 [%rd2], %r4;
    ret;
}
)";

constexpr const char* callee = R"(
.version 8.0
.target sm_50
.address_size 64
.visible .global .align 4 .u32 shift = 100;
.visible .func (.param .b32 result) twice(.param .b32 value)
{
    .reg .b32 %r<3>;
    ld.param.u32 %r1, [value];
    add.u32 %r2, %r1, %r1;
    st.param.b32 [result], %r2;
    ret;
}
)";

void add(CUlinkState state, const char* ptx, const char* name) {
    EXPECT_OK(cuLinkAddData(state, CU_JIT_INPUT_PTX, const_cast<char*>(ptx), std::strlen(ptx) + 1, name, 0, nullptr,
                            nullptr));
}

}  // namespace

class LinkOrderTest : public LinkTest, public testing::WithParamInterface<bool> {};
INSTANTIATE_TEST_SUITE_P(Caller, LinkOrderTest, testing::Bool(),
                         [](const auto& order) { return order.param ? "First" : "Last"; });

TEST_P(LinkOrderTest, JoinsTexts) {
    CUlinkState state = nullptr;
    ASSERT_OK(cuLinkCreate(0, nullptr, nullptr, &state));
    if (GetParam()) add(state, caller, "caller.ptx");
    add(state, callee, "callee.ptx");
    if (!GetParam()) add(state, caller, "caller.ptx");
    void* image = nullptr;
    size_t size = 0;
    ASSERT_OK(cuLinkComplete(state, &image, &size));
    EXPECT_GT(size, 0u);
    CUmodule module = nullptr;
    ASSERT_OK(cuModuleLoadData(&module, image));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuLinkComplete(state, &image, &size));
    EXPECT_OK(cuLinkDestroy(state));
    CUfunction compute = nullptr;
    ASSERT_OK(cuModuleGetFunction(&compute, module, "compute"));
    CUdeviceptr out = 0;
    ASSERT_OK(cuMemAlloc(&out, 4));
    unsigned value = 21, seen = 0;
    void* parameters[] = {&out, &value};
    EXPECT_OK(cuLaunchKernel(compute, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
    EXPECT_OK(cuMemcpyDtoH(&seen, out, 4));
    EXPECT_EQ(142u, seen);
}

namespace {

/// A text with its own variable and function, both named like those of another text.
std::string text_with_locals(const std::string& kernel, int text, int factor) {
    return R"(
.version 8.0
.target sm_50
.address_size 64
.global .align 1 .b8 $str[2] = {)" +
           std::to_string(text) + R"(, 0};
.func (.param .b32 result) times(.param .b32 value)
{
    .reg .b32 %r<3>;
    ld.param.u32 %r1, [value];
    mul.lo.u32 %r2, %r1, )" +
           std::to_string(factor) + R"(;
    st.param.b32 [result], %r2;
    ret;
}
.visible .entry )" +
           kernel + R"((.param .u64 out)
{
    .reg .b32 %r<5>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    mov.u64 %rd2, $str;
    ld.global.u8 %r1, [%rd2];
    {
    .param .b32 argument;
    .param .b32 returned;
    st.param.b32 [argument], %r1;
    call.uni (returned), times, (argument);
    ld.param.b32 %r2, [returned];
    }
    st.global.u32 [%rd1], %r2;
    ret;
}
)";
}

}  // namespace

TEST_F(LinkTest, LocalSymbolsOfTheSameNameAreSeparate) {
    CUlinkState state = nullptr;
    ASSERT_OK(cuLinkCreate(0, nullptr, nullptr, &state));
    add(state, text_with_locals("first", 3, 10).c_str(), "first.ptx");
    add(state, text_with_locals("second", 5, 100).c_str(), "second.ptx");
    void* image = nullptr;
    size_t size = 0;
    ASSERT_OK(cuLinkComplete(state, &image, &size));
    CUmodule module = nullptr;
    ASSERT_OK(cuModuleLoadData(&module, image));
    EXPECT_OK(cuLinkDestroy(state));
    CUdeviceptr out = 0;
    ASSERT_OK(cuMemAlloc(&out, 4));
    for (const auto& [name, expected] : {std::pair("first", 30u), std::pair("second", 500u)}) {
        CUfunction kernel = nullptr;
        unsigned seen = 0;
        void* parameters[] = {&out};
        ASSERT_OK(cuModuleGetFunction(&kernel, module, name));
        EXPECT_OK(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
        EXPECT_OK(cuMemcpyDtoH(&seen, out, 4));
        EXPECT_EQ(expected, seen) << name;
    }
}

TEST_F(LinkTest, SaysWhatIsMissing) {
    CUlinkState state = nullptr;
    char log[1000] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
    ASSERT_OK(cuLinkCreate(2, options, values, &state));
    add(state, caller, "caller.ptx");
    void* image = nullptr;
    size_t size = 0;
    EXPECT_NE(CUDA_SUCCESS, cuLinkComplete(state, &image, &size));
    EXPECT_TRUE(std::strstr(log, "twice") || std::strstr(log, "shift")) << log;
    EXPECT_OK(cuLinkDestroy(state));
}

TEST_F(LinkTest, RefusesBadInput) {
    CUlinkState state = nullptr;
    ASSERT_OK(cuLinkCreate(0, nullptr, nullptr, &state));
    char garbage[] = "garbage";
    EXPECT_RESULT(CUDA_ERROR_INVALID_IMAGE,
                  cuLinkAddData(state, CU_JIT_INPUT_PTX, garbage, sizeof garbage, "x", 0, nullptr, nullptr));
    EXPECT_RESULT(CUDA_ERROR_FILE_NOT_FOUND,
                  cuLinkAddFile(state, CU_JIT_INPUT_PTX, "/no/such/file.ptx", 0, nullptr, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE,
                  cuLinkAddData(state, static_cast<CUjitInputType>(77), garbage, 7, "x", 0, nullptr, nullptr));
    EXPECT_OK(cuLinkDestroy(state));
}
