#include "driver/driver_test.hpp"
#include "driver/symbols.hpp"

namespace {

void* look_up(const char* name, int version, cuuint64_t flags = CU_GET_PROC_ADDRESS_DEFAULT) {
    void* function = nullptr;
    CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SUCCESS;
    EXPECT_OK(cuGetProcAddress(name, &function, version, flags, &status));
    EXPECT_EQ(status == CU_GET_PROC_ADDRESS_SUCCESS, function != nullptr) << name;
    return function;
}

}  // namespace

class ProcAddressTest : public DriverTest {};

TEST_F(ProcAddressTest, PicksTheVariantOfTheVersion) {
    if (!on_cpu_device()) GTEST_SKIP() << "a real driver hands out addresses of its own";
    EXPECT_EQ(driver_symbol("cuMemAlloc_v2"), look_up("cuMemAlloc", 12000));
    EXPECT_NE(driver_symbol("cuMemAlloc_v2"), look_up("cuMemAlloc", 3010));
    EXPECT_EQ(driver_symbol("cuEventElapsedTime"), look_up("cuEventElapsedTime", 12000));
    EXPECT_EQ(driver_symbol("cuEventElapsedTime_v2"), look_up("cuEventElapsedTime", 13000));
    EXPECT_EQ(driver_symbol("cuMemcpyHtoD_v2"), look_up("cuMemcpyHtoD", 13000));
    EXPECT_EQ(driver_symbol("cuMemcpyHtoD_v2_ptds"),
              look_up("cuMemcpyHtoD", 13000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM));
    EXPECT_EQ(driver_symbol("cuMemFree_v2"),
              look_up("cuMemFree", 13000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM));
}

TEST_F(ProcAddressTest, SaysWhyThereIsNone) {
    void* function = &function;
    CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SUCCESS;
    EXPECT_OK(cuGetProcAddress("cuNoSuchThing", &function, 13000, CU_GET_PROC_ADDRESS_DEFAULT, &status));
    EXPECT_EQ(CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND, status);
    EXPECT_EQ(nullptr, function);
    EXPECT_OK(cuGetProcAddress("cuMemAllocAsync", &function, 11000, CU_GET_PROC_ADDRESS_DEFAULT, &status));
    EXPECT_EQ(CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT, status);
    EXPECT_OK(cuGetProcAddress("cuNoSuchThing", &function, 13000, CU_GET_PROC_ADDRESS_DEFAULT, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGetProcAddress("cuMemAlloc", &function, 13000, 0x80, &status));
    if (!on_cpu_device()) return;  // a real driver reads through these
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE,
                  cuGetProcAddress(nullptr, &function, 13000, CU_GET_PROC_ADDRESS_DEFAULT, &status));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE,
                  cuGetProcAddress("cuMemAlloc", nullptr, 13000, CU_GET_PROC_ADDRESS_DEFAULT, &status));
}

TEST_F(ProcAddressTest, EveryResultHasANameAndAText) {
    const CUresult known[] = {
        CUDA_SUCCESS,           CUDA_ERROR_INVALID_VALUE,   CUDA_ERROR_OUT_OF_MEMORY, CUDA_ERROR_INVALID_PTX,
        CUDA_ERROR_NOT_FOUND,   CUDA_ERROR_ILLEGAL_ADDRESS, CUDA_ERROR_UNKNOWN,       CUDA_ERROR_CONTEXT_IS_DESTROYED,
        CUDA_ERROR_KEY_ROTATION};
    for (CUresult code : known) {
        const char *name = nullptr, *text = nullptr;
        EXPECT_OK(cuGetErrorName(code, &name));
        EXPECT_OK(cuGetErrorString(code, &text));
        ASSERT_TRUE(name && text);
        EXPECT_EQ(0, std::strncmp(name, "CUDA_", 5));
    }
    const char* text = nullptr;
    EXPECT_OK(cuGetErrorString(CUDA_ERROR_INVALID_VALUE, &text));
    EXPECT_STREQ("invalid argument", text);
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGetErrorString(static_cast<CUresult>(12345), &text));
    EXPECT_EQ(nullptr, text);
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGetErrorName(static_cast<CUresult>(-1), &text));
}
