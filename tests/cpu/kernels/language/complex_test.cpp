#include <complex>

#include "kernels/kernel_fixture.hpp"

namespace {

using namespace kernels;
KERNELS_OF(complex, ComplexNumbers);

template <class T>
std::vector<double> parts(const std::vector<std::complex<T>>& values) {
    std::vector<double> result;
    for (const auto& z : values) result.insert(result.end(), {z.real(), z.imag()});
    return result;
}

template <class T>
std::vector<std::complex<T>> points(std::size_t count, std::uint32_t seed) {
    Random random(seed);
    std::vector<std::complex<T>> result;
    for (std::size_t i = 0; i < count; ++i) {
        // In this order everywhere: compilers for AArch64 and for x86-64 evaluate arguments in different orders.
        const T imaginary = static_cast<T>(random.real(-3, 3)), real = static_cast<T>(random.real(-3, 3));
        result.emplace_back(real, imaginary);
    }
    return result;
}

TEST_P(ComplexNumbers, Arithmetic) {
    const auto run = [&]<class T>(const char* kernel, T epsilon) {
        using Complex = std::complex<T>;
        const unsigned n = 2048;
        const auto a = points<T>(n, 43);
        auto b = points<T>(n, 44);
        b[5] = a[5];
        Buffer<Complex> da(a), db(b), out(8 * n);
        launch(kernel, {n / 128, 128}, da, db, out);
        const auto got = out.values();
        for (unsigned i = 0; i < n; ++i) {
            const Complex x = a[i], y = b[i];
            const Complex expected[] = {x + y * T(2),
                                        x * y,
                                        x / y,
                                        std::conj(x) - y,
                                        T(1) / x,
                                        {std::abs(x), std::arg(y)},
                                        {std::norm(x), T(x == y)},
                                        (y - x) * Complex(0, 1)};
            for (int k = 0; k < 8; ++k)
                ASSERT_LE(std::abs(got[8 * i + k] - expected[k]), 8 * epsilon * (std::abs(expected[k]) + 1))
                    << i << ", " << k;
        }
        expect_recorded_near(std::string("complex/") + kernel, parts(got), 8 * epsilon, 8 * epsilon);
    };
    run("arithmetic_float", 0x1p-23f);
    run("arithmetic_double", 0x1p-52);
}

TEST_P(ComplexNumbers, Functions) {
    using Complex = std::complex<double>;
    const unsigned n = 1024;
    const auto a = points<double>(n, 45);
    Buffer<Complex> in(a), out(8 * n);
    launch("functions", {n / 64, 64}, in, out);
    const auto got = out.values();
    for (unsigned i = 0; i < n; ++i) {
        const Complex x = a[i];
        const Complex expected[] = {std::sqrt(x),
                                    std::exp(x),
                                    std::log(x),
                                    std::sin(x),
                                    std::cos(x),
                                    std::tanh(x),
                                    std::pow(x, Complex(0.5, 1)),
                                    x * x * x};
        for (int k = 0; k < 8; ++k)
            ASSERT_LE(std::abs(got[8 * i + k] - expected[k]), 1e-13 * (std::abs(expected[k]) + 1)) << x << ", " << k;
    }
    expect_recorded_near("complex/functions", parts(got), 1e-13, 1e-13);
}

TEST_P(ComplexNumbers, Mandelbrot) {
    const int width = 65, height = 64, most = 60;
    Buffer<int> steps(width * height);
    launch("mandelbrot", {{5, 8}, {16, 8}}, steps, width, height, most);
    const auto got = steps.values();
    int different = 0;  // a point on the edge may escape one step sooner when sums are fused
    for (int i = 0; i < width * height; ++i) {
        const std::complex<double> c(i % width * (3.0 / 64) - 2, i / width * (2.5 / 64) - 1.25);
        std::complex<double> z;
        int k = 0;
        while (k < most && std::norm(z) <= 4) z = z * z + c, ++k;
        different += got[i] != k;
    }
    EXPECT_LE(different, width * height / 1000);
    expect_recorded_near("complex/mandelbrot", got, 0);
}

}  // namespace
