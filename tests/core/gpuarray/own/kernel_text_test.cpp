#include "pycuda/gpuarray/own/kernel_text.hpp"

#include <numeric>

#include "gpuarray/arrays.hpp"
#include "pycuda/compiler/compiler.hpp"
#include "pycuda/kernels/function.hpp"
#include "pycuda/modules/module.hpp"

namespace pycuda::gpuarray::test {
namespace {

using pycuda::test::message_of;

TEST(KernelText, ReadsParameters) {
    const auto parse = [](const char* text) {
        const KernelParameterText p = parse_parameter(text);
        return p.type + "|" + p.name + (p.is_vector ? "|*" : "");
    };
    EXPECT_EQ(parse("float *x"), "float|x|*");
    EXPECT_EQ(parse("const float* __restrict__ x"), "float|x|*");
    EXPECT_EQ(parse("  unsigned   int\tn "), "unsigned int|n");
    EXPECT_EQ(parse("pycuda::complex<float> *z"), "pycuda::complex<float>|z|*");
    EXPECT_EQ(parse("int y[]"), "int|y|*");
    EXPECT_EQ(parse("int y[10]"), "int|y|*");
    EXPECT_EQ(parse("my_constant restrictive"), "my_constant|restrictive");  // words are whole
    EXPECT_EQ(parse("double **p"), "double|p|*");
    for (const char* bad : {"", "float", "*x", "float 3x", "float x y[", "float &x", "f(x) y"})
        EXPECT_THROW(parse_parameter(bad), std::invalid_argument) << bad;
    EXPECT_EQ(parse_parameters("float a, pair<int, int> *b ,int c").size(), 3u);
    EXPECT_TRUE(parse_parameters(" ").empty());
    EXPECT_THROW(parse_parameters("float a,"), std::invalid_argument);
    EXPECT_EQ(parse_parameter("const int *a").declarator(), "int *a");
}

TEST(KernelText, KnowsTheSpellingsOfTypes) {
    EXPECT_EQ(dtype_of_c_name("unsigned int"), DType::UInt32);
    EXPECT_EQ(dtype_of_c_name("unsigned"), DType::UInt32);
    EXPECT_EQ(dtype_of_c_name("short signed int"), DType::Int16);
    EXPECT_EQ(dtype_of_c_name("long unsigned int"), sizeof(long) == 8 ? DType::UInt64 : DType::UInt32);
    EXPECT_EQ(dtype_of_c_name("long long"), DType::Int64);
    EXPECT_EQ(dtype_of_c_name("char"), DType::Int8);
    EXPECT_EQ(dtype_of_c_name("pycuda::complex<double>"), DType::Complex128);
    EXPECT_EQ(dtype_of_c_name("float4"), std::nullopt);
    EXPECT_EQ(dtype_of_c_name("char int"), std::nullopt);
}

TEST(KernelText, ReductionsHaveAGeometry) {
    const auto of = [](std::uint64_t n) {
        const ReductionGeometry g = reduction_geometry(n);
        EXPECT_GE(std::uint64_t{g.blocks} * g.seq_count * 512, n);
        return g;
    };
    EXPECT_EQ(of(1).blocks, 1u);
    EXPECT_EQ(of(2048).blocks, 1u);
    EXPECT_EQ(of(2049).blocks, 2u);
    EXPECT_EQ(of(2048 * 1024).blocks, 1024u);
    EXPECT_EQ(of(2048 * 1024).seq_count, 4u);
    EXPECT_EQ(of(2048 * 1024 + 1).seq_count, 5u);
    EXPECT_EQ(of(1ull << 40).blocks, 1024u);
}

TEST(KernelText, KnowsHowVectorsAreUsed) {
    const auto parameters = parse_parameters("float *x, float *y, float *z, float a, float *unused");
    VectorUse use = vector_use(parameters, "y[ i ] = x[i + 1] - x[i] + z[i] * a", "");
    EXPECT_EQ(use.at_every_index, (std::vector<bool>{false, true, true, false, false}));
    EXPECT_FALSE(use.names_count);
    use = vector_use(parameters, "y[ i ] = x[i + 1] - x[i] + z[i] * a; ; *z = n", "");
    EXPECT_EQ(use.at_every_index, (std::vector<bool>{false, true, false, false, false}));
    EXPECT_TRUE(use.names_count);
}

TEST(KernelText, CodeThatMayLeaveOutIndicesSaysNothingOfItsVectors) {
    const auto parameters = parse_parameters("float *y, const float *x, int m");
    const std::vector<bool> nothing(3, false);
    for (const char* code :
         {"y[i] = i < m ? x[i] : 0.f", "if (i < m) y[i] = x[i]", "y[i] = 0; for (int i = 0; i < 3; ++i) y[m] += x[i]",
          "{ int i = m; y[i] = x[i]; }", "i = m; y[i] = x[i]", "i += m; y[i] = x[i]", "++i; y[i] = x[i]",
          "y[i--] = 0; y[i] = x[i]", "y[i] = 1; m > 3 && (y[i] = x[i])", "y[i] = 1; while (m--) y[i] += x[i]"})
        EXPECT_EQ(vector_use(parameters, code, "").at_every_index, nothing) << code;
    EXPECT_EQ(vector_use(parameters, "y[i] = PICK(i < m, x[i])", "#define PICK(c, a) ((c) ? (a) : 0)").at_every_index,
              nothing);
    const std::vector<bool> both{true, true, false};
    for (const char* code :
         {"y[i] = x[i]", "y[i] += m * i - x[i]; y[i] -= i", "y[i] = m < i * x[i]", "y[i] = i == x[i]",
          "y[i] = table[int(x[i])]; y[i] = t[u[i * 2]]", "y[i] = x[i] + (i << 2) + i"})
        EXPECT_EQ(vector_use(parameters, code, "#include <a.h>").at_every_index, both) << code;
}

class KernelTextTest : public ArrayTest {
protected:
    Function compiled(const std::string& source, const std::string& name) {
        CompileRequest request;
        request.source = source;
        request.no_extern_c = true;
        CompileResult result = compile(request);
        return Module::from_buffer(result.image.data(), result.image.size())->get_function(name);
    }
    template <class... Arguments>
    void launch(const Function& function, unsigned blocks, unsigned threads, const Arguments&... arguments) {
        ArgumentPacker packer(thread_argument_block(), function.layout());
        (packer.append(&arguments, sizeof arguments, alignof(Arguments), "a C++ value"), ...);
        LaunchConfig config;
        config.grid[0] = blocks;
        config.block[0] = threads;
        function.launch(config, thread_argument_block(), packer.finish());
    }
};

TEST_F(KernelTextTest, RunsAUsersElementwiseKernel) {
    ElementwiseText text;
    text.parameters = parse_parameters("float a, const float *x, float *y");
    text.operation = "y[i] = twice(a) * x[i] + offset";
    text.name = "scaled";
    text.preamble = "template <class T> __device__ T twice(T x) { return x + x; }";
    text.loop_prep = "const float offset = n";
    const Array<float> x(std::vector<float>(1000, 2)), y(std::vector<float>(1000));
    launch(compiled(elementwise_text(text), "scaled"), 2, 64, 1.5f, x.memory.pointer(), y.memory.pointer(),
           std::uint64_t{1000});
    EXPECT_EQ(y.values(), std::vector<float>(1000, 1006));
}

TEST_F(KernelTextTest, RunsOverRangesInBothDirections) {
    ElementwiseText text;
    text.parameters = parse_parameters("int *y");
    text.operation = "y[i] = start";
    text.use_range = true;
    const Function kernel = compiled(elementwise_text(text), "kernel");
    const Array<std::int32_t> y(std::vector<std::int32_t>(10));
    launch(kernel, 1, 2, y.memory.pointer(), std::int64_t{1}, std::int64_t{6}, std::int64_t{2});
    launch(kernel, 2, 1, y.memory.pointer(), std::int64_t{9}, std::int64_t{5}, std::int64_t{-3});
    EXPECT_EQ(y.values(), (std::vector<std::int32_t>{0, 1, 0, 1, 0, 1, 9, 0, 0, 9}));
}

TEST_F(KernelTextTest, RunsAUsersReductionInTwoStages) {
    ReductionText text;
    text.parameters = parse_parameters("const int *x, const int *y");
    text.out_type = "long long";
    text.neutral = "0";
    text.reduce_expr = "a + b";
    text.map_expr = "(long long) x[i]\n * y[i]";
    const std::size_t n = 10000;
    std::vector<std::int32_t> xs(n), ys(n);
    std::iota(xs.begin(), xs.end(), 0);
    std::iota(ys.begin(), ys.end(), -5000);
    const Array x(xs), y(ys);
    text.name = "reduce_kernel_stage1";
    const ReductionGeometry g = reduction_geometry(n);
    const Array<std::int64_t> partial(std::vector<std::int64_t>(g.blocks)), out(std::vector<std::int64_t>(1));
    launch(compiled(reduction_text(text), "reduce_kernel_stage1"), g.blocks, 512, partial.memory.pointer(),
           x.memory.pointer(), y.memory.pointer(), g.seq_count, std::uint64_t{n});
    text.stage = 2;
    text.name = "reduce_kernel_stage2";
    launch(compiled(reduction_text(text), "reduce_kernel_stage2"), 1, 512, out.memory.pointer(),
           partial.memory.pointer(), x.memory.pointer(), y.memory.pointer(), 4u, std::uint64_t{g.blocks});
    std::int64_t expected = 0;
    for (std::size_t k = 0; k < n; ++k) expected += std::int64_t{xs[k]} * ys[k];
    EXPECT_EQ(out.values()[0], expected);
}

TEST_F(KernelTextTest, ReducesStructures) {
    ReductionText text;
    text.preamble =
        "struct extent { int low, high; __device__ extent() {} __device__ extent(int l, int h) : low(l), high(h) {} };";
    text.parameters = parse_parameters("int *in");
    text.out_type = "extent";
    text.neutral = "extent(1000000, -1000000)";
    text.reduce_expr = "extent(min(a.low, b.low), max(a.high, b.high))";
    text.map_expr = "extent(in[i], in[i])";
    text.name = "range_stage1";
    std::vector<std::int32_t> values(700);
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<std::int32_t>(k * 37 % 701) - 50;
    const Array in(values);
    const Array<std::int32_t> out(std::vector<std::int32_t>(2));
    launch(compiled(reduction_text(text), "range_stage1"), 1, 512, out.memory.pointer(), in.memory.pointer(), 4u,
           std::uint64_t{700});
    EXPECT_EQ(out.values(), (std::vector<std::int32_t>{*std::min_element(values.begin(), values.end()),
                                                       *std::max_element(values.begin(), values.end())}));
}

TEST_F(KernelTextTest, TakesHalfPrecision) {
    ElementwiseText text;
    text.parameters = parse_parameters("__half *x");
    text.operation = "x[i] = __hadd(x[i], x[i])";
    const Array<std::int16_t> x({static_cast<std::int16_t>(float16_bits(1.25))});
    launch(compiled(elementwise_text(text), "kernel"), 1, 32, x.memory.pointer(), std::uint64_t{1});
    EXPECT_EQ(float16_value(static_cast<std::uint16_t>(x.values()[0])), 2.5);
}

TEST(KernelText, RefusesNonsense) {
    ElementwiseText text;
    text.name = "two words";
    EXPECT_EQ(message_of<std::invalid_argument>([&] { elementwise_text(text); }),
              "'two words' is not a valid kernel name: expected a C identifier");
    ReductionText reduction;
    reduction.block_size = 100;
    EXPECT_THROW(reduction_text(reduction), std::invalid_argument);
}

}  // namespace
}  // namespace pycuda::gpuarray::test
