// pycuda-complex.hpp as plain C++ against std::complex; that it compiles as device code is tested with both compilers.
#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>

#define __device__
#include "../../core/device/include/pycuda-complex.hpp"
//
#include "../../core/device/include/pycuda-complex-inverse.hpp"
#undef __device__

#include "compiler_fixture.hpp"

namespace pycuda::test {
namespace {

template <class T>
class ComplexHeader : public ::testing::Test {
protected:
    using Std = std::complex<T>;

    static std::vector<Std> samples() {
        std::vector<Std> values;
        for (const T re : {T(-3), T(-0.75), T(0), T(0.125), T(2)})
            for (const T im : {T(-2.5), T(-0.5), T(0), T(0.25), T(3)}) values.emplace_back(re, im);
        return values;
    }
    static void expect_near(pycuda::complex<T> got, Std expected, const char* what, Std at) {
        const T tolerance = 20 * std::numeric_limits<T>::epsilon() * std::max(T(1), std::abs(expected));
        EXPECT_NEAR(got._M_re, expected.real(), tolerance) << what << at;
        EXPECT_NEAR(got._M_im, expected.imag(), tolerance) << what << at;
    }
};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ComplexHeader, Precisions);

TYPED_TEST(ComplexHeader, LayoutIsNumpys) {
    using Complex = pycuda::complex<TypeParam>;
    static_assert(sizeof(Complex) == 2 * sizeof(TypeParam) && std::is_trivially_copyable_v<Complex> &&
                  std::is_standard_layout_v<Complex>);
    static_assert(std::is_trivially_default_constructible_v<Complex>, "shared memory");
    static_assert(std::is_same_v<typename Complex::value_type, TypeParam>);
    const Complex z(1, 2);
    EXPECT_EQ(reinterpret_cast<const TypeParam*>(&z)[0], 1);
    EXPECT_EQ(reinterpret_cast<const TypeParam*>(&z)[1], 2);
}

TYPED_TEST(ComplexHeader, FunctionsAgreeWithTheStandardLibrary) {
    using Complex = pycuda::complex<TypeParam>;
    for (const auto& at : this->samples()) {
        const Complex z(at.real(), at.imag());
#define CHECK_FUNCTION(name) this->expect_near(pycuda::name(z), std::name(at), #name, at);
        CHECK_FUNCTION(sqrt)
        CHECK_FUNCTION(exp)
        CHECK_FUNCTION(sin)
        CHECK_FUNCTION(cos)
        CHECK_FUNCTION(tan)
        CHECK_FUNCTION(sinh)
        CHECK_FUNCTION(cosh)
        CHECK_FUNCTION(tanh)
        CHECK_FUNCTION(asinh)
        CHECK_FUNCTION(acosh)
        CHECK_FUNCTION(atan)
        CHECK_FUNCTION(conj)
        if (at != TypeParam(0)) {
            CHECK_FUNCTION(log)
            CHECK_FUNCTION(log10)
            this->expect_near(pow(z, TypeParam(1.5)), std::pow(at, TypeParam(1.5)), "pow real", at);
            this->expect_near(pow(z, Complex(TypeParam(0.5), 1)),
                              std::pow(at, std::complex<TypeParam>(TypeParam(0.5), 1)), "pow", at);
            this->expect_near(pow(z, -2), TypeParam(1) / (at * at), "pow int", at);
        }
        this->expect_near(pow(z, 3), at * at * at, "pow int", at);
        this->expect_near(pow(TypeParam(2), z), std::pow(TypeParam(2), at), "pow of real", at);
        EXPECT_NEAR(abs(z), std::abs(at), 1e-6);
        EXPECT_NEAR(arg(z), std::arg(at), 1e-6);
        EXPECT_NEAR(norm(z), std::norm(at), 1e-5);
        EXPECT_EQ(real(z), at.real());
        EXPECT_EQ(imag(z), at.imag());
    }
}

TYPED_TEST(ComplexHeader, OperatorsAgreeWithTheStandardLibrary) {
    using Complex = pycuda::complex<TypeParam>;
    const TypeParam r = 3;
    for (const auto& a : this->samples())
        for (const auto& b : this->samples()) {
            const Complex x(a.real(), a.imag()), y(b.real(), b.imag());
            this->expect_near(x + y, a + b, "+", a);
            this->expect_near(x - y, a - b, "-", a);
            this->expect_near(x * y, a * b, "*", a);
            if (b != TypeParam(0)) this->expect_near(x / y, a / b, "/", a);
            EXPECT_EQ(x == y, a == b);
            EXPECT_EQ(x != y, a != b);
            this->expect_near(x * r + r * x - x / r - r - 2, a * r + r * a - a / r - r - TypeParam(2), "real", a);
            Complex z = x;
            z += y, z *= r, z -= 1, z /= Complex(1, 1);
            this->expect_near(z, ((a + b) * r - TypeParam(1)) / std::complex<TypeParam>(1, 1), "compound", a);
        }
    EXPECT_TRUE(Complex(2) == r - 1 && 2 == Complex(2) && Complex(2, 1) != 2);
    this->expect_near(-Complex(1, -2), std::complex<TypeParam>(-1, 2), "-", {});
}

TYPED_TEST(ComplexHeader, ExtremesNeitherOverflowNorVanish) {
    using Complex = pycuda::complex<TypeParam>;
    const TypeParam huge = std::numeric_limits<TypeParam>::max() / 4, tiny = std::numeric_limits<TypeParam>::min() * 4;
    EXPECT_EQ((Complex(huge, huge) / Complex(huge, huge))._M_re, 1);
    EXPECT_EQ((Complex(tiny, tiny) / Complex(tiny, tiny))._M_re, 1);
    EXPECT_EQ(tanh(Complex(1000, 1))._M_re, 1);
    EXPECT_EQ(tanh(Complex(-1000, 1))._M_re, -1);
    EXPECT_FALSE(std::isinf(abs(Complex(huge, huge))));
    EXPECT_FALSE(std::isnan((Complex(std::numeric_limits<TypeParam>::infinity(), 0) * TypeParam(1))._M_im));
}

TYPED_TEST(ComplexHeader, VolatileObjects) {
    using Complex = pycuda::complex<TypeParam>;
    volatile Complex slot;
    slot = Complex(1, 2);
    slot = slot + slot;
    Complex z = slot;
    EXPECT_TRUE(z == Complex(2, 4) && slot * TypeParam(2) == Complex(4, 8) && slot.imag() == 4);
    slot = TypeParam(3);
    z = slot;
    EXPECT_TRUE(z == Complex(3, 0));
}

TEST(ComplexPrecisions, MixedGivesTheWider) {
    using F = pycuda::complex<float>;
    using D = pycuda::complex<double>;
    static_assert(std::is_same_v<decltype(F() * D()), D> && std::is_same_v<decltype(F() + 1.0), D>);
    static_assert(std::is_same_v<decltype(F() + 1), F> && std::is_same_v<decltype(1.0f / F()), F>);
    static_assert(std::is_convertible_v<F, D> && !std::is_convertible_v<D, F> && std::is_constructible_v<F, D>);
    EXPECT_TRUE(D(F(1, 2)) == D(1, 2) && F(D(1, 2)) == F(1, 2));
    F f;
    f = D(3, 4);
    EXPECT_TRUE(f == F(3, 4));
}

class ComplexDeviceCode : public CompilerTest {};

TEST_F(ComplexDeviceCode, CompilesInsideExternCWithBothCompilers) {
    const std::string source =
        "#include <pycuda-complex.hpp>\n"
        "#include <pycuda-complex-inverse.hpp>\n"
        "__global__ void f(pycuda::complex<float> *a, pycuda::complex<double> k)\n"
        "{\n"
        "  __shared__ volatile pycuda::complex<double> s[32];\n"
        "  s[threadIdx.x] = sqrt(a[threadIdx.x] * k) + tan(k) + 1;\n"
        "  a[threadIdx.x] = pycuda::complex<float>(s[threadIdx.x] / pow(k, 2) + pow(k, k) + asin(k) + atan(k));\n"
        "}\n";
    for (const char* backend : {"nvcc", "nvrtc"})
        for (const char* standard : {"-std=c++14", "-std=c++20"}) {
            CompileRequest complex_kernel = request(source, backend);
            complex_kernel.options = {standard};
            const CompileResult result = compile(complex_kernel);
            EXPECT_TRUE(result.warnings.empty()) << result.warnings[0];
            EXPECT_TRUE(compile(complex_kernel).cached);
        }
}

}  // namespace
}  // namespace pycuda::test
