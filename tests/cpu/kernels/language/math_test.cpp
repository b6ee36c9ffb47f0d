#include <cmath>
#include <limits>

#include "kernels/kernel_fixture.hpp"

namespace {

using namespace kernels;
KERNELS_OF(math, Math);

struct Function {
    std::string name;
    long double (*reference)(long double);
    double low, high, bound;
    bool single;
};

const Function functions[] = {
#define FUNCTION(type, name, reference, low, high, bound) \
    {#name, [](long double x) -> long double { return reference(x); }, low, high, bound, sizeof(type) == sizeof(float)},
#include "math_functions.def"
};

/// The distance of neighbouring numbers around `value`.
double unit(double value, bool single) {
    const double magnitude = std::fabs(value);
    if (single) {
        const float f = static_cast<float>(magnitude);
        return static_cast<double>(std::nextafter(f, std::numeric_limits<float>::infinity())) - f;
    }
    return std::nextafter(magnitude, std::numeric_limits<double>::infinity()) - magnitude;
}

TEST_P(Math, FunctionsOfOneArgument) {
    const int n = 700;
    int index = 0;
    for (const Function& f : functions) {
        std::vector<double> samples(n);
        Random random(18);
        for (double& x : samples) {
            x = random.real(f.low, f.high);
            if (f.single) x = static_cast<float>(x);
        }
        Buffer<double> in(samples), out(n);
        launch("evaluate", {blocks_for(n, 128), 128}, index, in, out, n);
        const auto got = out.values();
        // A half for rounding the exact result, and the error of the host's own function.
        for (int i = 0; i < n; ++i) {
            const long double expected = f.reference(samples[i]);
            ASSERT_NEAR(static_cast<double>(got[i] - expected), 0,
                        (f.bound + 0.51) * unit(static_cast<double>(expected), f.single))
                << f.name << '(' << samples[i] << ") is " << got[i];
        }
        const double epsilon = f.single ? 0x1p-23 : 0x1p-52;
        expect_recorded_near("math/" + f.name + "/" + std::to_string(index), got, f.bound * epsilon);
        ++index;
    }
}

TEST_P(Math, FunctionsOfTwoArguments) {
    const int n = 1000;
    Random random(19);
    const auto a = random.reals<double>(n, -20, 20), b = random.reals<double>(n, -8, 8);
    Buffer<double> da(a), db(b), wide(8 * n);
    Buffer<float> single(8 * n);
    launch("evaluate_pairs", {blocks_for(n, 96), 96}, da, db, single, wide, n);
    const auto f = single.values();
    const auto d = wide.values();
    const auto expect = [](double got, double expected, double bound, bool is_single, const char* what) {
        ASSERT_NEAR(got, expected, (bound + 0.51) * unit(expected, is_single)) << what;
    };
    for (int i = 0; i < n; ++i) {
        const double x = static_cast<float>(a[i]), y = static_cast<float>(b[i]);
        expect(f[8 * i], std::pow(std::fabs(x), y), 4, true, "powf");
        expect(f[8 * i + 1], std::atan2(x, y), 3, true, "atan2f");
        expect(f[8 * i + 2], std::hypot(x, y), 3, true, "hypotf");
        EXPECT_EQ(f[8 * i + 3], std::fmod(x, y));
        EXPECT_EQ(f[8 * i + 4], std::remainder(x, y));
        EXPECT_EQ(f[8 * i + 5], static_cast<float>(x) / static_cast<float>(y));
        EXPECT_NEAR(f[8 * i + 6], std::sin(x) - std::cos(x), 4e-7);
        int exponent = 0;
        const double fraction = std::frexp(x, &exponent);
        EXPECT_EQ(f[8 * i + 7], static_cast<float>(8 * fraction) + static_cast<float>(exponent));
        expect(d[8 * i], static_cast<double>(std::pow(std::fabs(static_cast<long double>(a[i])), b[i])), 2, false,
               "pow");
        expect(d[8 * i + 1], std::atan2(a[i], b[i]), 2, false, "atan2");
        expect(d[8 * i + 2], std::hypot(a[i], b[i]), 2, false, "hypot");
        EXPECT_EQ(d[8 * i + 3], std::fmod(a[i], b[i]));
        EXPECT_EQ(d[8 * i + 4], std::remainder(a[i], b[i]));
        EXPECT_EQ(d[8 * i + 5], a[i] / b[i]);
        EXPECT_NEAR(d[8 * i + 6], std::sin(a[i]) - std::cos(a[i]), 1e-15);
        EXPECT_EQ(d[8 * i + 7], std::nextafter(a[i], b[i]) + std::rint(b[i]) * std::logb(a[i]));
    }
    expect_recorded_near("math/pairs_float", f, 1e-6, 1e-6);
    expect_recorded_near("math/pairs_double", d, 1e-14, 1e-14);
}

}  // namespace
