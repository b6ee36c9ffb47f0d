// Functions that the CPU device does not support say so, and do nothing else.
#include <array>

#include "driver/driver_test.hpp"
#include "driver/symbols.hpp"

namespace {

constexpr const char* not_supported[] = {
#define IMPLEMENTED(symbol, base, version, stream)
#define NOT_SUPPORTED(symbol, base, version, stream) #symbol,
#include "exports.def"
};

}  // namespace

class NotSupportedTest : public InContext {};

TEST_F(NotSupportedTest, SaysSoAndTouchesNothing) {
    if (!on_cpu_device()) GTEST_SKIP() << "a real driver has them";
    using Arguments = std::array<unsigned char, 256>;
    std::array<Arguments, 6> arguments;
    for (Arguments& each : arguments) each.fill(0x5a);
    const auto before = arguments;
    for (const char* name : not_supported) {
        // The six arguments passed in registers; a function that mistook one for a pointer could write through it.
        using Function = CUresult (*)(void*, void*, void*, void*, void*, void*);
        const auto call = reinterpret_cast<Function>(driver_symbol(name));
        ASSERT_NE(nullptr, call) << name;
        EXPECT_EQ(CUDA_ERROR_NOT_SUPPORTED,
                  call(&arguments[0], &arguments[1], &arguments[2], &arguments[3], &arguments[4], &arguments[5]))
            << name;
        EXPECT_EQ(before, arguments) << name;
    }
    EXPECT_OK(cuCtxSynchronize());
}
