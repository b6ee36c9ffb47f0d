// Settings of core dumps, of the process and of a context.
#include "driver/arguments/arguments.hpp"
#include "driver/driver_test.hpp"

#include <cstring>
#include <string>

namespace {

class CoreDumpsTest : public InContext {
protected:
    void TearDown() override {
        flags = 0;
        size = sizeof flags;
        EXPECT_OK(cuCoredumpSetAttributeGlobal(CU_COREDUMP_GENERATION_FLAGS, &flags, &size));
        InContext::TearDown();
    }
    int flags = 0;
    bool on = false;
    char text[1024] = "";
    size_t size = 0;
};

TEST_F(CoreDumpsTest, SizesAreToldWithoutAValue) {
    for (const auto setting : {CU_COREDUMP_ENABLE_ON_EXCEPTION, CU_COREDUMP_TRIGGER_HOST, CU_COREDUMP_LIGHTWEIGHT}) {
        EXPECT_OK(cuCoredumpGetAttributeGlobal(setting, nullptr, &size));
        EXPECT_EQ(sizeof(bool), size);
    }
    EXPECT_OK(cuCoredumpGetAttribute(CU_COREDUMP_GENERATION_FLAGS, nullptr, &size));
    EXPECT_EQ(sizeof(int), size);
    EXPECT_OK(cuCoredumpSetAttribute(CU_COREDUMP_FILE, nullptr, &size));
    EXPECT_LE(1023u, size);
}

TEST_F(CoreDumpsTest, AContextFollowsTheProcess) {
    flags = CU_COREDUMP_SKIP_ABORT;
    size = sizeof flags;
    EXPECT_OK(cuCoredumpSetAttributeGlobal(CU_COREDUMP_GENERATION_FLAGS, &flags, &size));
    flags = 0;
    EXPECT_OK(cuCoredumpGetAttribute(CU_COREDUMP_GENERATION_FLAGS, &flags, &size));
    if (on_cpu_device()) {  // an H200's context does not follow (driver 580)
        EXPECT_EQ(CU_COREDUMP_SKIP_ABORT, flags);
    }
    flags = CU_COREDUMP_SKIP_GLOBAL_MEMORY;
    EXPECT_OK(cuCoredumpSetAttribute(CU_COREDUMP_GENERATION_FLAGS, &flags, &size));
    EXPECT_OK(cuCoredumpGetAttributeGlobal(CU_COREDUMP_GENERATION_FLAGS, &flags, &size));
    EXPECT_EQ(CU_COREDUMP_SKIP_ABORT, flags);
    EXPECT_OK(cuCoredumpGetAttribute(CU_COREDUMP_GENERATION_FLAGS, &flags, &size));
    EXPECT_EQ(CU_COREDUMP_SKIP_GLOBAL_MEMORY, flags);
}

TEST_F(CoreDumpsTest, Defaults) {
    size = sizeof on;
    EXPECT_OK(cuCoredumpGetAttributeGlobal(CU_COREDUMP_TRIGGER_HOST, &on, &size));
    EXPECT_TRUE(on);
    size = sizeof on;
    EXPECT_OK(cuCoredumpGetAttributeGlobal(CU_COREDUMP_ENABLE_USER_TRIGGER, &on, &size));
    EXPECT_FALSE(on);
    size = sizeof text;
    EXPECT_OK(cuCoredumpGetAttributeGlobal(CU_COREDUMP_FILE, text, &size));
    if (on_cpu_device()) {  // an H200's driver (580) has chosen no file before a dump
        EXPECT_NE(nullptr, std::strstr(text, "core"));
    }
}

TEST_F(CoreDumpsTest, Arguments) {
    const auto none = static_cast<CUcoredumpSettings>(99);
    size = sizeof text;
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_VALUE, cuCoredumpGetAttributeGlobal(none, text, &size));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_VALUE, cuCoredumpSetAttributeGlobal(none, text, &size));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_VALUE, cuCoredumpGetAttributeGlobal(CU_COREDUMP_FILE, text, nullptr));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_NOT_PERMITTED, cuCoredumpSetAttribute(CU_COREDUMP_PIPE, text, &size));
    size = 1;
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_VALUE, cuCoredumpGetAttributeGlobal(CU_COREDUMP_FILE, text, &size));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_VALUE,
                         cuCoredumpGetAttributeGlobal(CU_COREDUMP_GENERATION_FLAGS, &flags, &size));
    on = true;
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_NOT_SUPPORTED,
                         cuCoredumpSetAttributeGlobal(CU_COREDUMP_ENABLE_USER_TRIGGER, &on, &size));
}

}  // namespace
