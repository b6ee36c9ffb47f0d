#include "gpuarray/own/vector_loop.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace pycuda::gpuarray;

ElementwiseText text_of(const std::string& parameters, const std::string& operation) {
    ElementwiseText text;
    text.parameters = parse_parameters(parameters);
    text.operation = operation;
    return text;
}

bool has_packs(const std::string& parameters, const std::string& operation) {
    return vector_loop(text_of(parameters, operation)).has_value();
}

TEST(VectorLoop, TakesPlainFormulas) {
    EXPECT_TRUE(has_packs("float a, const float *x, float *y", "y[i] = a * x[i] + y[i]"));
    EXPECT_TRUE(has_packs("float *z, float *x, float *y", "z[i] = tanhf(x[i] * y [ i ] + 1.5f)"));
    EXPECT_TRUE(has_packs("double *z, unsigned char *x", "double t = x[i]; z[i] = t * t"));
    EXPECT_TRUE(has_packs("int *x", "x[i] += 3"));
    EXPECT_TRUE(has_packs("int *x", "x[i] <<= 3"));
    EXPECT_TRUE(has_packs("float *x, int *y", "y[i] = x[i] <= 2.f"));
    EXPECT_TRUE(has_packs("float *s, float *c, const float *x", "s[i] = sinf(x[i])"));
}

TEST(VectorLoop, LeavesEverythingElseAsItIs) {
    for (const char* operation : {"y[i] = x[i + 1]",
                                  "y[i] = x[n - i]",
                                  "y[i] = *x",
                                  "y[0] = x[i]",
                                  "if (x[i] > 0) y[i] = x[i]",
                                  "y[i] = x[i] > 0 ? 1 : 2",
                                  "y[i] = x[i]; return",
                                  "atomicAdd(&y[i], x[i])",
                                  "for (;;) y[i] = x[i]",
                                  "int i = 3; y[i] = x[i]",
                                  "y[i] = x[i++]",
                                  "y[i] = x[i]; continue",
                                  "y[i]++",
                                  "++y[i]",
                                  "y[i] = x[i]; y[i] = x[i] + 1",
                                  "y[i] = 1 // x\n",
                                  "{ y[i] = x[i]; }",
                                  "y[i] = x[i] && 1",
                                  "x[i]",
                                  "y[i] = n * x[i]",
                                  "y[i] = f(x)",
                                  "y[i] = x[j]",
                                  "y[i] = x[i][0]",
                                  "y[i] = x[i].v",
                                  "#define A\n y[i] = x[i]"})
        EXPECT_FALSE(has_packs("float *x, float *y", operation)) << operation;
    EXPECT_FALSE(has_packs("float4 *x", "x[i] = x[i]"));
    EXPECT_FALSE(has_packs("pycuda::complex<float> *x", "x[i] = x[i]"));
    EXPECT_FALSE(has_packs("float *x, my_type *y", "x[i] = y[i]"));
    ElementwiseText text = text_of("float *x", "x[i] = f(x[i])");
    text.preamble = "__device__ float f(float& x) { return x = 2; }";
    EXPECT_FALSE(vector_loop(text));
    text = text_of("float *x", "x[i] = 2");
    text.use_range = true;
    EXPECT_FALSE(vector_loop(text));
    text = text_of("float *x", "x[i] = t");
    text.loop_prep = "float t = n";
    EXPECT_FALSE(vector_loop(text));
}

TEST(VectorLoop, LoadsOnlyWhatIsRead) {
    const auto loop = vector_loop(text_of("float *z, const float *x, float *y", "y[i] -= x[i] * .5f; z[i] = 1"));
    ASSERT_TRUE(loop);
    const auto has = [&](const char* part) { return loop->loop.find(part) != std::string::npos; };
    EXPECT_TRUE(has("pycuda_pack<float> z_pycuda;") && has("(z)[pycuda_k] = z_pycuda"));
    EXPECT_TRUE(has("x_pycuda = ") && !has("(x)[pycuda_k] = x_pycuda"));
    EXPECT_TRUE(has("y_pycuda = ") && has("(y)[pycuda_k] = y_pycuda"));
    EXPECT_TRUE(has("y_pycuda.v[pycuda_j] -= x_pycuda.v[pycuda_j] * .5f; z_pycuda.v[pycuda_j] = 1"));
}

TEST(VectorLoop, WritesInTheOrderOfTheCode) {
    const auto loop = vector_loop(text_of("float *x, float *y", "y[i] = 1; x[i] = 2"));
    ASSERT_TRUE(loop);
    EXPECT_LT(loop->loop.find("(y)[pycuda_k] ="), loop->loop.find("(x)[pycuda_k] ="));
}

}  // namespace
