#include "pycuda/gpuarray/scan.hpp"

#include <numeric>

#include "arrays.hpp"
#include "pycuda/compiler/compiler.hpp"
#include "pycuda/kernels/function.hpp"
#include "pycuda/modules/module.hpp"

namespace pycuda::gpuarray::test {
namespace {

class ScanTest : public ArrayTest {
protected:
    Function compiled(const ScanKernelSource& source) {
        CompileRequest request;
        request.source = source.text();
        request.no_extern_c = true;
        const CompileResult result = compile(request);
        return Module::from_buffer(result.image.data(), result.image.size())->get_function(source.name());
    }
    template <class... Arguments>
    void launch(const ScanKernelSource& source, std::uint64_t n, const Arguments&... arguments) {
        const Function function = compiled(source);
        const std::uint64_t blocks = source.blocks(n);
        const DeviceAllocation scratch(source.scratch_bytes(blocks));
        memset_d8(scratch.pointer(), 0, source.scratch_bytes(blocks));
        ArgumentPacker packer(thread_argument_block(), function.layout());
        (packer.append(&arguments, sizeof arguments, alignof(Arguments), "a C++ value"), ...);
        const DevicePtr pointer = scratch.pointer();
        packer.append(&pointer, 8, 8, "scratch");
        packer.append(&n, 8, 8, "n");
        LaunchConfig config;
        config.grid[0] = static_cast<unsigned>(blocks);
        config.block[0] = source.threads();
        function.launch(config, thread_argument_block(), packer.finish());
    }
};

template <class T>
std::vector<T> mixed(std::size_t n) {
    std::vector<T> values(n);
    for (std::size_t k = 0; k < n; ++k)
        values[k] = static_cast<T>(static_cast<std::int64_t>(k * 2654435761u % 1000) - 300);
    return values;
}

TEST_F(ScanTest, SumsOfEverySize) {
    for (const std::size_t n : {1, 2, 33, 479, 480, 481, 3839, 3840, 3841, 200000}) {
        const auto values = mixed<std::int32_t>(n);
        const std::vector<std::int32_t> none(n);
        const Array in(values), out(none), exclusive(none);
        scan(*kernels, Scan::sum, ScanKind::Inclusive, out.ref(), in.ref(), 0, nullptr);
        scan(*kernels, Scan::sum, ScanKind::Exclusive, exclusive.ref(), in.ref(), 0, nullptr);
        std::vector<std::int32_t> expected(n);
        std::partial_sum(values.begin(), values.end(), expected.begin());
        ASSERT_EQ(out.values(), expected) << n;
        std::exclusive_scan(values.begin(), values.end(), expected.begin(), 0);
        ASSERT_EQ(exclusive.values(), expected) << n;
    }
}

TEST_F(ScanTest, WorksInPlaceAndInOtherTypes) {
    const auto values = mixed<std::int16_t>(50000);
    const Array in(values);
    const Array<double> wide(std::vector<double>(values.size()));
    scan(*kernels, Scan::sum, ScanKind::Inclusive, wide.ref(), in.ref(), 0, nullptr);
    std::vector<double> expected(values.begin(), values.end());
    std::partial_sum(expected.begin(), expected.end(), expected.begin());
    EXPECT_EQ(wide.values(), expected);
    scan(*kernels, Scan::max, ScanKind::Inclusive, in.ref(), in.ref(), 0, nullptr);
    std::vector<std::int16_t> running(values);
    for (std::size_t k = 1; k < running.size(); ++k) running[k] = std::max(running[k], running[k - 1]);
    EXPECT_EQ(in.values(), running);
}

TEST_F(ScanTest, GoesAlongAnyAxis) {
    for (const Shape& shape : {Shape{3, 4000, 2}, Shape{300, 50, 1}, Shape{5, 3, 700}, Shape{2, 400, 300}}) {
        const Layout layout(shape, 8);
        const auto values = mixed<std::int64_t>(static_cast<std::size_t>(layout.size()));
        const Array in(values, shape), out(std::vector<std::int64_t>(values.size()), shape);
        for (int axis = 0; axis < 3; ++axis) {
            auto expected = values;
            const auto step = static_cast<std::size_t>(layout.strides()[static_cast<std::size_t>(axis)] / 8);
            const auto length = static_cast<std::size_t>(shape[static_cast<std::size_t>(axis)]);
            for (std::size_t k = 0; k < expected.size(); ++k)
                if (k / step % length != 0) expected[k] += expected[k - step];
            scan(*kernels, Scan::sum, ScanKind::Inclusive, out.ref(), in.ref(), axis, nullptr);
            ASSERT_EQ(out.values(), expected) << shape_text(shape) << ' ' << axis;
        }
    }
}

TEST_F(ScanTest, RunsAUsersScan) {
    // Composition of affine maps: associative, not commutative.
    ScanText text;
    text.preamble =
        "struct affine { unsigned f, g; };\n__device__ affine after(affine a, affine b)\n"
        "{ affine r; r.f = a.f * b.f; r.g = a.g * b.f + b.g; return r; }";
    text.type = "affine";
    text.itemsize = 8;
    text.expression = "after(a, b)";
    const ScanKernelSource source(text);
    const std::size_t n = 30000;
    std::vector<std::uint32_t> values(2 * n);
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<std::uint32_t>(k * 2654435761u | 1);
    const Array in(values), out(std::vector<std::uint32_t>(2 * n));
    launch(source, n, in.memory.pointer(), out.memory.pointer());
    auto expected = values;
    for (std::size_t k = 1; k < n; ++k) {
        const std::uint32_t f = expected[2 * k - 2], g = expected[2 * k - 1];
        expected[2 * k + 1] += g * expected[2 * k];
        expected[2 * k] *= f;
    }
    EXPECT_EQ(out.values(), expected);
}

TEST_F(ScanTest, RunsOverSegments) {
    ScanText text;
    text.name = "segmented";
    text.type = "int";
    text.itemsize = 4;
    text.expression = "a + b";
    text.neutral = "0";
    text.parameters = "const int *x, int *sums, int *before";
    text.input = "x[i]";
    text.output = "sums[i] = item; before[i] = prev_item";
    text.segment_start = "x[i] % 7 == 0";
    const auto values = mixed<std::int32_t>(20000);
    const Array x(values), sums(std::vector<std::int32_t>(values.size())),
        before(std::vector<std::int32_t>(values.size()));
    launch(ScanKernelSource(text), values.size(), x.memory.pointer(), sums.memory.pointer(), before.memory.pointer());
    std::vector<std::int32_t> expected(values.size()), earlier(values.size());
    for (std::size_t k = 0; k < values.size(); ++k) {
        earlier[k] = k > 0 && values[k] % 7 != 0 ? expected[k - 1] : 0;
        expected[k] = values[k] + earlier[k];
    }
    EXPECT_EQ(sums.values(), expected);
    EXPECT_EQ(before.values(), earlier);
}

TEST_F(ScanTest, RejectsMismatches) {
    const Array<float> x({1, 2, 3}), two({1, 2});
    EXPECT_THROW(scan(*kernels, Scan::sum, ScanKind::Inclusive, two.ref(), x.ref(), 0, nullptr), std::invalid_argument);
    EXPECT_THROW(scan(*kernels, Scan::sum, ScanKind::Inclusive, x.ref(), x.ref(), 1, nullptr), std::invalid_argument);
    ScanText text;
    text.type = "float";
    text.itemsize = 4;
    text.expression = "a + b";
    text.output = "out[i] = prev_item";
    EXPECT_THROW(ScanKernelSource{text}, std::invalid_argument);
}

}  // namespace
}  // namespace pycuda::gpuarray::test
