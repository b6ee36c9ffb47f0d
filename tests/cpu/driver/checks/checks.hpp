#pragma once

#include "driver/driver_test.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <vector>

/// PYCUDA_CPU_CHECK. The variable is read only once, so every test runs in its own process.
class CheckTest : public testing::Test {
protected:
    void SetUp() override {
        const char* driver = std::getenv("PYCUDA_DRIVER");
        if (driver && std::strcmp(driver, "cuda") == 0) GTEST_SKIP() << "a check of the CPU device";
        GTEST_FLAG_SET(death_test_style, "threadsafe");
    }
};

namespace checked {

struct Shape {
    unsigned grid = 1;
    unsigned block = 64;
    unsigned dynamic_shared = 0;
};

/// A process in which kernels are checked. It exits with 0 if everything went as expected.
class Checked {
public:
    explicit Checked(const char* words) {
        setenv("PYCUDA_CPU_CHECK", words, 1);
        setenv("PYCUDA_CPU_THREADS", "3", 1);
        require(cuInit(0));
        require(cuCtxCreate(&context_, nullptr, 0, 0));
        std::ifstream in(EXEC_PTX_DIRECTORY "/faults.ptx");
        std::stringstream text;
        text << in.rdbuf();
        require(cuModuleLoadData(&module_, text.str().c_str()));
    }

    CUdeviceptr memory(size_t bytes) {
        CUdeviceptr pointer = 0;
        require(cuMemAlloc(&pointer, bytes));
        return pointer;
    }
    CUdeviceptr filled(size_t bytes) {
        const CUdeviceptr pointer = memory(bytes);
        require(cuMemsetD8(pointer, 1, bytes));
        return pointer;
    }

    template <class... T>
    void launch(const char* kernel, const Shape& shape, T... values) {
        CUfunction function = nullptr;
        require(cuModuleGetFunction(&function, module_, kernel));
        void* parameters[] = {&values..., nullptr};
        require(cuLaunchKernel(function, shape.grid, 1, 1, shape.block, 1, 1, shape.dynamic_shared, nullptr, parameters,
                               nullptr));
    }
    template <class... T>
    void succeeds(const char* kernel, const Shape& shape, T... values) {
        launch(kernel, shape, values...);
        require(cuCtxSynchronize());
    }
    /// The launch fails, and the text of the error explains why.
    template <class... T>
    [[noreturn]] void fails(std::vector<const char*> parts, const char* kernel, const Shape& shape, T... values) {
        launch(kernel, shape, values...);
        const CUresult result = cuCtxSynchronize();
        const char* text = "";
        cuGetErrorString(result, &text);
        bool as_expected = result == CUDA_ERROR_LAUNCH_FAILED && cuCtxSynchronize() == result;
        parts.insert(parts.end(), {"kernel ", kernel, "block (", "PTX line ", "faults.cu:"});
        for (const char* part : parts) {
            if (std::strstr(text, part)) continue;
            std::fprintf(stderr, "the report lacks: %s\n", part);
            as_expected = false;
        }
        std::exit(as_expected ? 0 : 20);
    }
    [[noreturn]] void is_clean() { std::exit(0); }

    static void require(CUresult result) {
        if (result == CUDA_SUCCESS) return;
        const char* text = "";
        cuGetErrorString(result, &text);
        std::fprintf(stderr, "unexpected: %s\n", text);
        std::exit(21);
    }

private:
    CUcontext context_ = nullptr;
    CUmodule module_ = nullptr;
};

#define EXPECT_AS_PLANNED(...) EXPECT_EXIT({ __VA_ARGS__; }, testing::ExitedWithCode(0), "")

inline constexpr const char* unwritten = "uninitialised read";

}  // namespace checked
