#pragma once

#include <cuda.h>

#include <gtest/gtest.h>

#include <cstring>
#include <string>

/// Tests of the driver's C ABI. They hold for a real driver too: run them with PYCUDA_DRIVER=cuda. Where the two
/// differ, tests ask `on_cpu_device`.
inline std::string result_name(CUresult result) {
    const char* name = nullptr;
    cuGetErrorName(result, &name);
    return name ? name : "CUresult " + std::to_string(static_cast<int>(result));
}

#define EXPECT_RESULT(expected, call) EXPECT_EQ(result_name(expected), result_name(call)) << #call
#define EXPECT_OK(call) EXPECT_RESULT(CUDA_SUCCESS, call)
#define ASSERT_OK(call) ASSERT_EQ("CUDA_SUCCESS", result_name(call)) << #call

inline bool on_cpu_device() {
    char name[256] = "";
    cuDeviceGetName(name, sizeof name, 0);
    return std::strstr(name, "PyCUDA CPU") != nullptr;
}

/// Before each test the driver is initialised and no context is current.
class DriverTest : public testing::Test {
protected:
    void SetUp() override {
        ASSERT_OK(cuInit(0));
        while (cuCtxPopCurrent(nullptr) == CUDA_SUCCESS) {
        }
    }
};

/// Each test starts with a new context, which is current.
class InContext : public DriverTest {
protected:
    void SetUp() override {
        DriverTest::SetUp();
        ASSERT_OK(cuCtxCreate(&context, nullptr, 0, 0));
    }
    void TearDown() override {
        if (context) {
            EXPECT_OK(cuCtxDestroy(context));
        }
    }
    CUcontext context = nullptr;
};
