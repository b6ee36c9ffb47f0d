#pragma once

#include <cstdint>
#include <vector>

#include "driver/driver_test.hpp"
#include "driver/kernels.hpp"

/// The result of a call with a handle that never was valid or no longer is: a real driver follows it, the CPU device
/// refuses it.
#define EXPECT_RESULT_ON_CPU(expected, call) \
    do {                                     \
        if (on_cpu_device()) {               \
            EXPECT_RESULT(expected, call);   \
        }                                    \
    } while (false)

/// Tests of arguments: a context with one object of each kind, so that every call has exactly one bad argument.
class ArgumentsTest : public InContext {
protected:
    void SetUp() override {
        InContext::SetUp();
        ASSERT_OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
        ASSERT_OK(cuEventCreate(&event, CU_EVENT_DEFAULT));
        ASSERT_OK(cuMemAlloc(&memory, bytes));
        void* pinned = nullptr;
        ASSERT_OK(cuMemAllocHost(&pinned, bytes));
        host = static_cast<char*>(pinned);
        CUDA_ARRAY_DESCRIPTOR description{width, height, CU_AD_FORMAT_FLOAT, 1};
        ASSERT_OK(cuArrayCreate(&array, &description));
        ASSERT_OK(cuModuleLoadData(&module, kernels::all));
        ASSERT_OK(cuModuleGetFunction(&nothing, module, "nothing"));
        ASSERT_OK(cuModuleGetFunction(&poke, module, "poke"));
    }

    static constexpr size_t bytes = 1 << 16;
    static constexpr size_t width = 32, height = 16;
    static constexpr size_t huge = size_t{1} << 50;
    static constexpr CUdeviceptr nowhere = 0x10;

    template <class Handle>
    static Handle garbage() {
        static char memory[4096];  // zeros, for a driver that reads before it checks
        return reinterpret_cast<Handle>(memory + 1024);
    }
    template <class Enum>
    static Enum value(int number) {
        return static_cast<Enum>(number);
    }

    CUstream stream = nullptr;
    CUevent event = nullptr;
    CUdeviceptr memory = 0;
    char* host = nullptr;
    CUarray array = nullptr;
    CUmodule module = nullptr;
    CUfunction nothing = nullptr, poke = nullptr;
};
