#pragma once

#include <cuda.h>

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

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

/// Each test has a context, which is current. On the CPU device it is a new one. A GPU's driver takes 0.2 seconds for
/// each, one after the other for all processes: there the tests of a process share one, until a test leaves it
/// unusable. PYCUDA_TEST_SHARED_CONTEXT=1 does the same on the CPU device.
class InContext : public DriverTest {
protected:
    InContext() = default;
    struct NotShared {};
    /// For tests that change what the others of their process would meet, such as limits.
    explicit InContext(NotShared) : shares_(false) {}
    void SetUp() override {
        DriverTest::SetUp();
        if (shares()) context = std::exchange(kept_context, nullptr);
        if (context)
            ASSERT_OK(cuCtxPushCurrent(context));
        else
            ASSERT_OK(cuCtxCreate(&context, nullptr, 0, 0));
    }
    void TearDown() override {
        if (!context) return;
        if (shares() && is_usable(context))
            kept_context = context;
        else
            EXPECT_OK(cuCtxDestroy(context));
    }
    CUcontext context = nullptr;

private:
    bool shares() const { return shares_ && (!on_cpu_device() || std::getenv("PYCUDA_TEST_SHARED_CONTEXT")); }
    /// False after a fault, and while a capture is open. The context is then not current any more.
    static bool is_usable(CUcontext context) {
        while (cuCtxPopCurrent(nullptr) == CUDA_SUCCESS) {
        }
        if (cuCtxPushCurrent(context) != CUDA_SUCCESS) return false;
        const CUresult result = cuCtxSynchronize();
        cuCtxPopCurrent(nullptr);
        return result == CUDA_SUCCESS;
    }
    const bool shares_ = true;
    static inline CUcontext kept_context = nullptr;
};
