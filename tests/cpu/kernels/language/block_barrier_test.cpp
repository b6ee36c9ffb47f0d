#include "driver/driver_test.hpp"
#include "kernels/kernel_fixture.hpp"

namespace {

using namespace kernels;

/// The CPU device has no mbarrier instructions and must say so when the module is loaded.
class BlockBarrier : public KernelTest {
protected:
    BlockBarrier() : KernelTest("block_barrier") {}
    void SetUp() override { EXPECT_OK(cuInit(0)); }
};
COMPILED_EACH_WAY(block_barrier, BlockBarrier);

TEST_P(BlockBarrier, RunsOrIsRefusedByName) {
    if (on_cpu_device()) {
        try {
            KernelTest::SetUp();
            FAIL() << "it was accepted";
        } catch (const std::runtime_error& error) {
            const std::string text = error.what();
            EXPECT_NE(text.find("CUDA_ERROR_NO_BINARY_FOR_GPU"), std::string::npos) << text;
            EXPECT_NE(text.find("mbarrier"), std::string::npos) << text;
        }
        return;
    }
    KernelTest::SetUp();
    std::vector<int> values(7 * 128), expected(7 * 128);
    for (int i = 0; i < 7 * 128; ++i) {
        values[i] = i * i;
        expected[i / 128 * 128 + (i + 127) % 128] = i * i;
    }
    Buffer<int> in(values), out(values.size());
    launch("rotate_by_barrier", {7, 128}, in, out);
    EXPECT_EQ(out.values(), expected);
}

}  // namespace
