// The approximate functions stay within the errors that the PTX manual gives, and at special values do as it says.
#include <cmath>
#include <functional>
#include <limits>

#include "exec_test.hpp"

namespace exec_test {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

std::vector<float> apply(const std::string& instruction, const std::vector<float>& x) {
    Device device(
        ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out) {\n"
        ".reg .b64 %i, %o, %t; .reg .b32 %n, %c, %d; .reg .f32 %x, %y;\n"
        "ld.param.u64 %i, [in]; ld.param.u64 %o, [out]; mov.u32 %n, %tid.x; mov.u32 %c, %ctaid.x; mov.u32 %d, "
        "%ntid.x;\n"
        "mad.lo.u32 %n, %c, %d, %n; mul.wide.u32 %t, %n, 4; add.u64 %i, %i, %t; add.u64 %o, %o, %t;\n"
        "ld.global.f32 %x, [%i];\n" +
        instruction + " %y, %x;\nst.global.f32 [%o], %y;\nret;\n}\n");
    const std::size_t blocks = (x.size() + 127) / 128;
    std::vector<float> padded = x;
    padded.resize(blocks * 128);
    Buffer<float> in(device.memory, padded), out(device.memory, padded.size());
    EXPECT_TRUE(succeeds(device.run("k", {static_cast<unsigned>(blocks), 128}, Arguments(in, out))));
    return {out.begin(), out.begin() + static_cast<std::ptrdiff_t>(x.size())};
}

std::vector<float> range(double low, double high, int count = 20000) {
    std::vector<float> x;
    for (int n = 0; n < count; ++n) x.push_back(static_cast<float>(low + (high - low) * n / (count - 1)));
    return x;
}

/// Largest |f - expected| of what lies in the range of normal numbers, relative to the expected value if `relative`.
double error(const std::string& instruction, const std::vector<float>& x, const std::function<double(double)>& f,
             bool relative) {
    const std::vector<float> y = apply(instruction, x);
    double worst = 0;
    for (std::size_t n = 0; n < x.size(); ++n) {
        const double expected = f(x[n]);
        if (!(std::fabs(expected) < 3.4e38) || (relative && std::fabs(expected) < 1.2e-38)) continue;
        worst = std::max(worst, std::fabs(y[n] - expected) / (relative ? std::fabs(expected) : 1));
    }
    return worst;
}

TEST(Approximations, StayWithinTheManualsErrors) {
    const auto exp2 = [](double v) { return std::exp2(v); };
    const auto log2 = [](double v) { return std::log2(v); };
    EXPECT_LT(error("ex2.approx.ftz.f32", range(-126, 128), exp2, true), std::ldexp(1, -22));
    EXPECT_LT(error("ex2.approx.f32", range(-2, 2), exp2, true), std::ldexp(1, -22));
    EXPECT_LT(error("lg2.approx.f32", range(0.5, 2), log2, false), std::ldexp(1, -22));
    EXPECT_LT(error("lg2.approx.f32", range(2.01, 1e6), log2, true), std::ldexp(1, -22));
    EXPECT_LT(error("lg2.approx.f32", range(1e-38, 0.49), log2, true), std::ldexp(1, -22));
    EXPECT_LT(error(
                  "sin.approx.f32", range(-M_PI, M_PI), [](double v) { return std::sin(v); }, false),
              std::ldexp(1, -20.5));
    EXPECT_LT(error(
                  "cos.approx.f32", range(-M_PI, M_PI), [](double v) { return std::cos(v); }, false),
              std::ldexp(1, -20.5));
    EXPECT_LT(error(
                  "sin.approx.ftz.f32", range(-1e5, 1e5), [](double v) { return std::sin(v); }, false),
              std::ldexp(1, -14.7));
    EXPECT_LT(error(
                  "rcp.approx.f32", range(1e-3, 1e3), [](double v) { return 1 / v; }, true),
              std::ldexp(1, -23));
    EXPECT_LT(error(
                  "rsqrt.approx.f32", range(1e-6, 1e6), [](double v) { return 1 / std::sqrt(v); }, true),
              std::ldexp(1, -22.9));
    EXPECT_LT(error(
                  "sqrt.approx.f32", range(1e-6, 1e6), [](double v) { return std::sqrt(v); }, true),
              std::ldexp(1, -23));
    EXPECT_LT(error(
                  "tanh.approx.f32", range(-12, 12), [](double v) { return std::tanh(v); }, true),
              std::ldexp(1, -11));
    EXPECT_LT(error(
                  "tanh.approx.f32", range(-0.03, 0.03), [](double v) { return std::tanh(v); }, true),
              std::ldexp(1, -11));
}

void expect_values(const std::string& instruction, const std::vector<float>& x, const std::vector<float>& expected) {
    const std::vector<float> y = apply(instruction, x);
    for (std::size_t n = 0; n < x.size(); ++n) {
        const bool same = std::isnan(expected[n])
                              ? std::isnan(y[n])
                              : y[n] == expected[n] && std::signbit(y[n]) == std::signbit(expected[n]);
        EXPECT_TRUE(same) << instruction << " of " << x[n] << ": " << y[n];
    }
}

TEST(Approximations, SpecialValues) {
    const float nan = std::nanf("");
    expect_values("ex2.approx.f32", {-infinity, -0.0f, 0.0f, infinity, nan, 10, -149, -200},
                  {0, 1, 1, infinity, nan, 1024, 0x1p-149f, 0});
    expect_values("ex2.approx.ftz.f32", {-140}, {0});
    expect_values("lg2.approx.f32", {-infinity, -0.0f, 0.0f, infinity, nan, -1, 1, 1024, 0x1p-149f},
                  {nan, -infinity, -infinity, infinity, nan, nan, 0, 10, -149});
    expect_values("lg2.approx.ftz.f32", {0x1p-149f}, {-infinity});
    expect_values("sin.approx.f32", {-infinity, -0.0f, 0.0f, infinity, nan}, {nan, -0.0f, 0, nan, nan});
    expect_values("cos.approx.f32", {-infinity, -0.0f, 0.0f, infinity, nan}, {nan, 1, 1, nan, nan});
    expect_values("rcp.approx.f32", {-infinity, -0.0f, 0.0f, infinity, nan}, {-0.0f, -infinity, infinity, 0, nan});
    expect_values("rsqrt.approx.f32", {-infinity, -0.0f, 0.0f, infinity, nan, -1},
                  {nan, -infinity, infinity, 0, nan, nan});
    expect_values("sqrt.approx.f32", {-infinity, -0.0f, 0.0f, infinity, nan, -1}, {nan, -0.0f, 0, infinity, nan, nan});
    expect_values("tanh.approx.f32", {-infinity, -0.0f, 0.0f, infinity, nan}, {-1, -0.0f, 0, 1, nan});
}

}  // namespace
}  // namespace exec_test
