#pragma once

#include <vector>

#include "driver/driver_test.hpp"
#include "gl_program.hpp"

extern "C" {
CUresult cuGLGetDevices_v2(unsigned int*, CUdevice*, unsigned int, unsigned int);
CUresult cuGraphicsGLRegisterBuffer(CUgraphicsResource*, unsigned int, unsigned int);
CUresult cuGraphicsGLRegisterImage(CUgraphicsResource*, unsigned int, unsigned int, unsigned int);
}

/// OpenGL's buffers and images, in a program that draws nothing (tests/gl).
namespace graphics_test {

constexpr unsigned texture_2d = 0x0DE1, texture_rectangle = 0x84F5, texture_cube_map = 0x8513, texture_3d = 0x806F,
                   texture_2d_array = 0x8C1A, renderbuffer = 0x8D41, texture_1d = 0x0DE0;
inline bool is_of_the_driver() {
    return on_cpu_device() || std::strstr(gl_program_vendor(), "NVIDIA") != nullptr;
}

/// With contexts of CUDA and of OpenGL.
class GraphicsTest : public InContext {
protected:
    void SetUp() override {
        InContext::SetUp();
        const char* const why_not = gl_program_start();
        if (why_not && !on_cpu_device()) GTEST_SKIP() << why_not;
        ASSERT_EQ(nullptr, why_not) << why_not;
        started_ = true;
        if (!is_of_the_driver()) GTEST_SKIP() << "OpenGL of " << gl_program_vendor() << " is not the driver's own";
    }
    void TearDown() override {
        if (started_) {
            if (!IsSkipped()) {
                EXPECT_EQ(0u, gl_program_error()) << "an error of OpenGL is left over";
            }
            gl_program_stop();
        }
        InContext::TearDown();
    }

private:
    bool started_ = false;
};

inline std::vector<unsigned char> counting(std::size_t bytes, unsigned start = 0) {
    std::vector<unsigned char> made(bytes);
    for (std::size_t i = 0; i < bytes; ++i) made[i] = static_cast<unsigned char>(start + i * 7);
    return made;
}

}  // namespace graphics_test
