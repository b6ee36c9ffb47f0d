// The approximate functions through the driver's C ABI, on the CPU device or (PYCUDA_DRIVER=cuda) on hardware: within
// the errors that the PTX manual gives for each, over sweeps of the whole range, and exact where it names a value.
#include "driver/driver_test.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <vector>

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
const float nan_value = std::nanf("");

class Approximations : public InContext {};

/// One thread per element: out[i] = instruction(a[i], b[i]). `bits` is the size of an element.
std::string kernel(const std::string& instruction, unsigned bits, bool two) {
    const std::string b = ".b" + std::to_string(bits), bytes = std::to_string(bits / 8);
    return ".version 8.5\n.target sm_90\n.address_size 64\n"
           ".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 out, .param .u32 count) {\n"
           ".reg .b64 %a, %b, %o, %t; .reg .b32 %n, %c, %d; .reg .pred %p; .reg " +
           b +
           " %x, %y, %z;\n"
           "ld.param.u64 %a, [a]; ld.param.u64 %b, [b]; ld.param.u64 %o, [out];\n"
           "mov.u32 %n, %tid.x; mov.u32 %c, %ctaid.x; mov.u32 %d, %ntid.x; mad.lo.u32 %n, %c, %d, %n;\n"
           "ld.param.u32 %c, [count]; setp.ge.u32 %p, %n, %c; @%p bra DONE;\n"
           "mul.wide.u32 %t, %n, " +
           bytes +
           "; add.u64 %a, %a, %t; add.u64 %b, %b, %t; add.u64 %o, %o, %t;\n"
           "ld.global" +
           b + " %x, [%a]; ld.global" + b + " %y, [%b];\n" + instruction + " %z, %x" + (two ? ", %y" : "") +
           ";\nst.global" + b + " [%o], %z;\nDONE: ret;\n}\n";
}

template <class T>
std::vector<T> evaluate(const std::string& instruction, const std::vector<T>& a, const std::vector<T>& b = {}) {
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    EXPECT_OK(cuModuleLoadData(&module, kernel(instruction, 8 * sizeof(T), !b.empty()).c_str())) << instruction;
    EXPECT_OK(cuModuleGetFunction(&function, module, "k"));
    const std::size_t bytes = a.size() * sizeof(T);
    CUdeviceptr memory[3] = {};
    for (CUdeviceptr& address : memory) EXPECT_OK(cuMemAlloc(&address, bytes));
    EXPECT_OK(cuMemcpyHtoD(memory[0], a.data(), bytes));
    EXPECT_OK(cuMemcpyHtoD(memory[1], (b.empty() ? a : b).data(), bytes));
    unsigned count = static_cast<unsigned>(a.size());
    void* parameters[] = {&memory[0], &memory[1], &memory[2], &count};
    EXPECT_OK(cuLaunchKernel(function, (count + 127) / 128, 1, 1, 128, 1, 1, 0, nullptr, parameters, nullptr));
    std::vector<T> result(a.size());
    EXPECT_OK(cuMemcpyDtoH(result.data(), memory[2], bytes));
    for (const CUdeviceptr address : memory) EXPECT_OK(cuMemFree(address));
    EXPECT_OK(cuModuleUnload(module));
    return result;
}

// --- the values tested ---------------------------------------------------------------------------------------------

/// Every 4093rd pattern of 32 bits: a million values of every exponent, both signs.
std::vector<float> everything() {
    std::vector<float> x;
    for (std::uint64_t bits = 0; bits < 1ull << 32; bits += 4093)
        x.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    return x;
}

std::vector<float> between(double low, double high) {
    constexpr int count = 300000;
    std::vector<float> x;
    for (int n = 0; n < count; ++n) x.push_back(static_cast<float>(low + (high - low) * n / (count - 1)));
    return x;
}

enum class Measure { Ulps, Relative, Absolute };

struct Bound {
    Measure measure;
    double most;
    double smallest = 0;  ///< expected values nearer to zero are not compared
};

/// Of single precision, at `value`.
double ulp(double value) {
    int exponent = 0;
    std::frexp(value, &exponent);
    return std::ldexp(1.0, std::max(exponent - 24, -149));
}

double error(double got, double expected, Measure measure) {
    const double difference = std::fabs(got - expected);
    return measure == Measure::Absolute   ? difference
           : measure == Measure::Relative ? difference / std::fabs(expected)
                                          : difference / ulp(expected);
}

constexpr double largest = 0x1.fffffep127, smallest_normal = 0x1p-126;

/// The largest error in `got`, over finite values not below the bound's `smallest`.
template <class Got, class Expected>
void expect_within(const std::string& what, std::size_t count, Got&& got, Expected&& expected, Bound bound) {
    double worst = 0;
    std::size_t where = 0, looked_at = 0;
    for (std::size_t n = 0; n < count; ++n) {
        const double value = expected(n);
        if (!(std::fabs(value) <= largest) || std::fabs(value) < bound.smallest) continue;
        if (value == 0 && bound.measure != Measure::Absolute) continue;
        ++looked_at;
        const double e = error(got(n), value, bound.measure);
        if (!(e <= worst)) worst = e, where = n;
    }
    EXPECT_GT(looked_at, 100u) << what;
    EXPECT_LE(worst, bound.most) << what << ", element " << where << ": " << got(where) << ", not " << expected(where);
    testing::Test::RecordProperty(what, std::to_string(worst));
    if (std::getenv("APPROXIMATIONS_REPORT")) std::printf("%-28s %.9g of %.9g\n", what.c_str(), worst, bound.most);
}

template <class Function>
void sweep(const std::string& instruction, const std::vector<float>& x, Function&& f, Bound bound) {
    const std::vector<float> y = evaluate(instruction, x);
    expect_within(
        instruction, x.size(), [&](std::size_t n) { return y[n]; }, [&](std::size_t n) { return f(double{x[n]}); },
        bound);
}

// --- single precision ---------------------------------------------------------------------------------------------

double reciprocal(double x) {
    return 1 / x;
}
double reciprocal_root(double x) {
    return 1 / std::sqrt(x);
}
double root(double x) {
    return std::sqrt(x);
}
double exp2_of(double x) {
    return std::exp2(x);
}
double log2_of(double x) {
    return x > 0 ? std::log2(x) : NAN;
}
double sine(double x) {
    return std::sin(x);
}
double cosine(double x) {
    return std::cos(x);
}
double tanh_of(double x) {
    return std::tanh(x);
}

/// With .ftz, a subnormal number counts as zero.
template <double (*f)(double)>
double flushed(double x) {
    return f(std::fabs(x) < smallest_normal ? std::copysign(0.0, x) : x);
}

TEST_F(Approximations, Reciprocal) {
    sweep("rcp.approx.f32", everything(), reciprocal, {Measure::Ulps, 1});
    sweep("rcp.approx.f32", between(1, 2), reciprocal, {Measure::Relative, 0x1p-23});
    sweep("rcp.approx.ftz.f32", everything(), flushed<reciprocal>, {Measure::Ulps, 1, smallest_normal});
}

TEST_F(Approximations, Roots) {
    const double most = std::exp2(-22.9);
    sweep("rsqrt.approx.f32", everything(), reciprocal_root, {Measure::Relative, most});
    sweep("rsqrt.approx.ftz.f32", everything(), flushed<reciprocal_root>, {Measure::Relative, most});
    sweep("sqrt.approx.f32", everything(), root, {Measure::Relative, 0x1p-23 + 0x1p-40});
    sweep("sqrt.approx.ftz.f32", everything(), flushed<root>, {Measure::Relative, 0x1p-23 + 0x1p-40});
}

TEST_F(Approximations, Exponential) {
    sweep("ex2.approx.f32", everything(), exp2_of, {Measure::Ulps, 2});
    sweep("ex2.approx.f32", between(-150, 128), exp2_of, {Measure::Ulps, 2});
    sweep("ex2.approx.f32", between(-1, 1), exp2_of, {Measure::Ulps, 2});
    sweep("ex2.approx.ftz.f32", between(-126, 128), exp2_of, {Measure::Relative, 0x1p-22, smallest_normal});
}

TEST_F(Approximations, Logarithm) {
    const auto outside = [](double x) { return x > 0.5 && x < 2 ? NAN : log2_of(x); };
    const auto outside_flushed = [](double x) { return x < smallest_normal || (x > 0.5 && x < 2) ? NAN : log2_of(x); };
    sweep("lg2.approx.f32", between(0.5, 2), log2_of, {Measure::Absolute, 0x1p-22});
    sweep("lg2.approx.f32", everything(), outside, {Measure::Relative, 0x1p-22});
    sweep("lg2.approx.ftz.f32", between(0.5, 2), log2_of, {Measure::Absolute, 0x1p-22});
    sweep("lg2.approx.ftz.f32", everything(), outside_flushed, {Measure::Relative, 0x1p-22});
}

TEST_F(Approximations, Trigonometry) {
    const double pi = M_PI, far = std::exp2(-14.7);
    for (const char* ftz : {"", ".ftz"}) {
        const std::string sin = std::string("sin.approx") + ftz + ".f32",
                          cos = std::string("cos.approx") + ftz + ".f32";
        sweep(sin, between(-pi, pi), sine, {Measure::Absolute, std::exp2(-21.41)});
        sweep(sin, between(-100 * pi, 100 * pi), sine, {Measure::Absolute, far});
        sweep(cos, between(-pi, pi), cosine, {Measure::Absolute, std::exp2(-21.19)});
        sweep(cos, between(-100 * pi, 100 * pi), cosine, {Measure::Absolute, far});
    }
}

TEST_F(Approximations, HyperbolicTangent) {
    sweep("tanh.approx.f32", everything(), tanh_of, {Measure::Relative, 0x1p-11});
    sweep("tanh.approx.f32", between(-10, 10), tanh_of, {Measure::Relative, 0x1p-11});
}

TEST_F(Approximations, Quotients) {
    std::vector<float> a = everything(), b(a.size());
    for (std::size_t n = 0; n < b.size(); ++n) b[n] = a[n * 2654435761u % b.size()];
    const auto test = [&](const std::string& instruction, double low, double high, bool flush, Bound bound) {
        const std::vector<float> q = evaluate(instruction, a, b);
        const auto expected = [&](std::size_t n) -> double {
            const double divisor = std::fabs(b[n]);
            const bool flushed = flush && (std::fabs(a[n]) < smallest_normal || divisor < smallest_normal);
            return flushed || divisor < low || divisor > high ? NAN : double{a[n]} / b[n];
        };
        expect_within(instruction, a.size(), [&](std::size_t n) { return q[n]; }, expected, bound);
    };
    test("div.approx.f32", 0x1p-126, 0x1p126, false, {Measure::Ulps, 2});
    test("div.approx.ftz.f32", 0x1p-126, 0x1p126, true, {Measure::Ulps, 2, smallest_normal});
    test("div.full.f32", 0, largest, false, {Measure::Ulps, 2});
    test("div.full.ftz.f32", 0, largest, true, {Measure::Ulps, 2, smallest_normal});
}

// --- double precision: the upper half of the result only ------------------------------------------------------------

TEST_F(Approximations, DoublePrecision) {
    std::vector<double> x;
    for (int n = 0; n < 200000; ++n) x.push_back(std::ldexp(1.0 + n * 4.9e-6, n % 2000 - 1000));
    const auto test = [&](const std::string& instruction, double (*f)(double), double most, bool upper_half) {
        const std::vector<double> y = evaluate(instruction, x);
        double worst = 0;
        for (std::size_t n = 0; n < x.size(); ++n) {
            worst = std::max(worst, error(y[n], f(x[n]), Measure::Relative));
            if (upper_half) {
                ASSERT_EQ(std::bit_cast<std::uint64_t>(y[n]) & 0xffffffffu, 0u) << instruction << x[n];
            }
        }
        EXPECT_LE(worst, most) << instruction;
        if (std::getenv("APPROXIMATIONS_REPORT")) std::printf("%-28s %.9g of %.9g\n", instruction.c_str(), worst, most);
    };
    test("rcp.approx.ftz.f64", reciprocal, 0x1p-19, true);
    test("rsqrt.approx.ftz.f64", reciprocal_root, 0x1p-19, true);
    test("rsqrt.approx.f64", reciprocal_root, 0x1p-19, false);
}

// --- half precision: all values -----------------------------------------------------------------------------------

double value_of_half(std::uint32_t bits, bool brain) {
    if (brain) return std::bit_cast<float>(bits << 16);
    const double sign = bits & 0x8000 ? -1 : 1;
    const std::uint32_t exponent = bits >> 10 & 31, mantissa = bits & 1023;
    if (exponent == 31) return mantissa ? NAN : sign * double{infinity};
    return exponent ? sign * std::ldexp(1024 + mantissa, static_cast<int>(exponent) - 25)
                    : sign * std::ldexp(mantissa, -24);
}

/// The packed form must give the same in both halves.
void sweep_half(const std::string& name, const std::string& type, double (*f)(double), Bound bound) {
    const bool brain = type == "bf16";
    std::vector<std::uint16_t> x;
    std::vector<std::uint32_t> pairs;
    for (std::uint32_t n = 0; n < 0x10000; ++n)
        x.push_back(static_cast<std::uint16_t>(n)), pairs.push_back(n | (n ^ 0x8001u) << 16);
    const auto y = evaluate(name + "." + type, x);
    const auto packed = evaluate(name + "." + type + "x2", pairs);
    const double top = brain ? largest : 65504, least = std::max(bound.smallest, 0.0);
    expect_within(
        name + "." + type, x.size(), [&](std::size_t n) { return value_of_half(y[n], brain); },
        [&](std::size_t n) {
            const double expected = f(value_of_half(x[n], brain));
            return std::fabs(expected) > top ? NAN : expected;
        },
        {bound.measure, bound.most, least});
    for (std::uint32_t n = 0; n < 0x10000; ++n)
        ASSERT_EQ(packed[n], y[n] | std::uint32_t{y[n ^ 0x8001u]} << 16) << name << "." << type << "x2 of " << n;
}

TEST_F(Approximations, HalfPrecision) {
    sweep_half("ex2.approx", "f16", exp2_of, {Measure::Relative, std::exp2(-9.9), 0x1p-14});
    sweep_half("ex2.approx.ftz", "bf16", exp2_of, {Measure::Relative, 0x1p-7, smallest_normal});
    sweep_half("tanh.approx", "f16", tanh_of, {Measure::Absolute, std::exp2(-10.987)});
    // An H200 exceeds the manual's 2^-8 by one part in 15,000.
    sweep_half("tanh.approx", "bf16", tanh_of, {Measure::Absolute, 0x1p-8 * 1.0001});
}

// --- values that the manual names -----------------------------------------------------------------------------------

void expect_values(const std::string& instruction, const std::vector<float>& x, const std::vector<float>& expected,
                   const std::vector<float>& divisor = {}) {
    const std::vector<float> y = evaluate(instruction, x, divisor);
    for (std::size_t n = 0; n < x.size(); ++n) {
        const bool same = std::isnan(expected[n])
                              ? std::isnan(y[n])
                              : y[n] == expected[n] && std::signbit(y[n]) == std::signbit(expected[n]);
        EXPECT_TRUE(same) << instruction << " of " << x[n] << ": " << y[n] << ", not " << expected[n];
    }
}

TEST_F(Approximations, SpecialValues) {
    const float nan = nan_value, tiny = 0x1p-149f;
    expect_values("ex2.approx.f32", {-infinity, -0.0f, 0.0f, infinity, nan, 10, -149, -200, tiny},
                  {0, 1, 1, infinity, nan, 1024, tiny, 0, 1});
    expect_values("ex2.approx.ftz.f32", {-infinity, -tiny, tiny, infinity, nan, -140}, {0, 1, 1, infinity, nan, 0});
    expect_values("lg2.approx.f32", {-infinity, -0.0f, 0.0f, infinity, nan, -1, 1, 1024, tiny},
                  {nan, -infinity, -infinity, infinity, nan, nan, 0, 10, -149});
    expect_values("lg2.approx.ftz.f32", {-infinity, -tiny, tiny, infinity, nan, -1},
                  {nan, -infinity, -infinity, infinity, nan, nan});
    for (const char* name : {"sin.approx.f32", "sin.approx.ftz.f32"})
        expect_values(name, {-infinity, -0.0f, 0.0f, infinity, nan}, {nan, -0.0f, 0, nan, nan});
    expect_values("sin.approx.ftz.f32", {-tiny, tiny}, {-0.0f, 0});
    for (const char* name : {"cos.approx.f32", "cos.approx.ftz.f32"})
        expect_values(name, {-infinity, -tiny, -0.0f, 0.0f, tiny, infinity, nan}, {nan, 1, 1, 1, 1, nan, nan});
    expect_values("rcp.approx.f32", {-infinity, -0.0f, 0.0f, infinity, nan, tiny, 0x1p127f},
                  {-0.0f, -infinity, infinity, 0, nan, infinity, 0x1p-127f});
    expect_values("rcp.approx.ftz.f32", {-infinity, -tiny, tiny, infinity, nan, 0x1p127f},
                  {-0.0f, -infinity, infinity, 0, nan, 0});
    expect_values("rsqrt.approx.f32", {-infinity, -0.0f, 0.0f, infinity, nan, -1},
                  {nan, -infinity, infinity, 0, nan, nan});
    expect_values("rsqrt.approx.ftz.f32", {-tiny, tiny}, {-infinity, infinity});
    expect_values("sqrt.approx.f32", {-infinity, -0.0f, 0.0f, infinity, nan, -1}, {nan, -0.0f, 0, infinity, nan, nan});
    expect_values("sqrt.approx.ftz.f32", {-tiny, tiny, 4}, {-0.0f, 0, 2});
    expect_values("tanh.approx.f32", {-infinity, -0.0f, 0.0f, infinity, nan}, {-1, -0.0f, 0, 1, nan});
}

/// Beyond 2^126, div.approx.ftz gives 0, or NaN for an infinite dividend.
TEST_F(Approximations, QuotientsOfLargeDivisors) {
    const std::vector<float> a = {1, -1, 0x1p127f, -0x1p127f, infinity, -infinity, 0}, b(a.size(), 0x1.8p126f);
    expect_values("div.approx.ftz.f32", a, {0, -0.0f, 0, -0.0f, nan_value, nan_value, 0}, b);
    expect_values("div.approx.f32", a, {0, -0.0f, 0, -0.0f, nan_value, nan_value, 0}, b);
    expect_values("div.full.f32", {0x1p127f, infinity, -infinity}, {4.0f / 3, infinity, -infinity}, {b[0], b[0], b[0]});
}

}  // namespace
