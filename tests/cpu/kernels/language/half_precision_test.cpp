#include <cmath>

#include "kernels/kernel_fixture.hpp"

namespace {

using namespace kernels;
KERNELS_OF(half_precision, HalfPrecision);

double from_half(std::uint16_t bits) {
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double magnitude = exponent == 31  ? (fraction ? NAN : INFINITY)
                             : exponent == 0 ? std::ldexp(fraction, -24)
                                             : std::ldexp(1024 + fraction, exponent - 25);
    return bits >> 15 ? -magnitude : magnitude;
}

double from_bfloat(std::uint16_t bits) {
    const std::uint32_t wide = std::uint32_t{bits} << 16;
    float value;
    std::memcpy(&value, &wide, sizeof value);
    return value;
}

/// All bit patterns in turn, in an order that mixes them.
std::vector<std::uint16_t> patterns(unsigned count, unsigned step) {
    std::vector<std::uint16_t> result(count);
    for (unsigned i = 0; i < count; ++i) result[i] = static_cast<std::uint16_t>(i * step + i / 65536);
    return result;
}

/// The error of what should be the nearest of its format, in units of its last place.
void expect_nearest(double got, double exact, double unit, double largest, unsigned i) {
    if (std::isnan(exact) || std::isnan(got)) {
        EXPECT_EQ(std::isnan(exact), std::isnan(got)) << i;
    } else if (std::fabs(exact) >= largest) {
        EXPECT_TRUE(std::isinf(got)) << i;
    } else {
        EXPECT_LE(std::fabs(got - exact), unit / 2) << i << ": " << got << " for " << exact;
    }
}

TEST_P(HalfPrecision, MultiplyAndAdd) {
    const unsigned n = 30000;
    const auto x = patterns(n, 24593), y = patterns(n, 40507);
    Buffer<std::uint16_t> dx(x), single(y), pairs(y), bfloat(y), bfloat_pairs(y);
    launch("axpy", {blocks_for(n, 256), 256}, 1.5f, dx, single, static_cast<int>(n));
    launch("axpy_pairs", {blocks_for(n / 2, 256), 256}, 1.5f, dx, pairs, static_cast<int>(n / 2));
    launch("axpy_bf16", {blocks_for(n, 256), 256}, 1.5f, dx, bfloat, static_cast<int>(n));
    launch("axpy_bf16_pairs", {blocks_for(n / 2, 256), 256}, 1.5f, dx, bfloat_pairs, static_cast<int>(n / 2));
    const auto s = single.values(), b = bfloat.values();
    for (unsigned i = 0; i < n; ++i) {
        const double exact = 1.5 * from_half(x[i]) + from_half(y[i]);
        const double unit = std::ldexp(1, std::max(std::ilogb(exact), -14) - 10);
        expect_nearest(from_half(s[i]), exact, unit, 65520, i);
        const double sum = 1.5 * from_bfloat(x[i]) + from_bfloat(y[i]);
        expect_nearest(from_bfloat(b[i]), sum, std::ldexp(1, std::max(std::ilogb(sum), -126) - 7), 0x1.ffp127, i);
    }
    EXPECT_EQ(pairs.values(), s);
    EXPECT_EQ(bfloat_pairs.values(), b);
    expect_recorded("half/axpy", s);
    expect_recorded("half/axpy_bf16", b);
}

TEST_P(HalfPrecision, DotProduct) {
    const int pairs = 20001;
    std::vector<std::uint16_t> ones(2 * pairs), values(2 * pairs);
    double expected[5] = {};
    for (int i = 0; i < 2 * pairs; ++i) {
        ones[i] = static_cast<std::uint16_t>(i % 3 ? 0x3c00 : 0x4000);      // 1 or 2
        values[i] = static_cast<std::uint16_t>(0x3c00 + (i * 7 % 5 << 8));  // 1 to 2 by quarters
        expected[i / 2 / 128 % 5] += 2 * from_half(ones[i]) * from_half(values[i]);
    }
    Buffer<std::uint16_t> a(ones), b(values);
    Buffer<float> out(5);
    launch("dot", {5, 128}, a, b, out, pairs);
    EXPECT_EQ(out.values(), std::vector<float>(expected, expected + 5));
    expect_recorded("half/dot", out.values());
}

TEST_P(HalfPrecision, ChoicesAndSaturation) {
    const int pairs = 20000;
    Buffer<std::uint16_t> a(patterns(2 * pairs, 24593)), b(patterns(2 * pairs, 40507)), out(8 * pairs);
    Buffer<unsigned> bits(pairs);
    launch("choices", {blocks_for(pairs, 192), 192}, a, b, out, bits, pairs);
    expect_recorded("half/choices", out.values());
    expect_recorded("half/comparisons", bits.values());
}

TEST_P(HalfPrecision, Conversions) {
    const int n = 20000;
    std::vector<float> values(n);
    Random random(39);
    for (int i = 0; i < n; ++i) {
        const int exponent =
            i % 4 ? random.integer(-26, 17) : 3;  // first, also where compilers evaluate arguments from left to right
        values[i] = static_cast<float>(std::ldexp(random.real(-2, 2), exponent));
    }
    Buffer<float> in(values), back(2 * n);
    Buffer<std::uint16_t> halves(4 * n), bfloats(4 * n);
    Buffer<int> integers(4 * n);
    launch("conversions", {blocks_for(n, 128), 128}, in, halves, bfloats, integers, back, n);
    const auto h = halves.values(), b = bfloats.values();
    for (int i = 0; i < n; ++i) {
        const double v = values[i];
        EXPECT_LE(std::fabs(from_half(h[4 * i + 1])), std::fabs(v)) << i;
        EXPECT_GE(from_half(h[4 * i + 2]), v) << i;
        EXPECT_LE(from_half(h[4 * i + 3]), v) << i;
        EXPECT_LE(std::fabs(from_bfloat(b[4 * i + 1])), std::fabs(v)) << i;
        EXPECT_GE(from_bfloat(b[4 * i + 2]), v) << i;
        EXPECT_LE(from_bfloat(b[4 * i + 3]), v) << i;
        EXPECT_LE(std::fabs(from_bfloat(b[4 * i]) - v), std::fabs(v) / 256) << i;
    }
    expect_recorded("half/from_float", h);
    expect_recorded("half/bfloat_from_float", b);
    expect_recorded("half/integers", integers.values());
    expect_recorded("half/back", back.values());
}

TEST_P(HalfPrecision, Functions) {
    const int n = 5000;
    std::vector<std::uint16_t> values(n);  // 1/16 to about 3, and also bfloat16
    for (int i = 0; i < n; ++i) values[i] = static_cast<std::uint16_t>((0x2c00 + i * 6000 / n) & ~7);
    Buffer<std::uint16_t> in(values);
    Buffer<float> out(8 * n);
    launch("functions", {blocks_for(n, 64), 64}, in, out, n);
    const auto got = out.values();
    for (int i = 0; i < n; ++i) {
        const double x = from_half(values[i]);
        const double expected[] = {std::exp(x), std::log(x),  std::sin(x), std::sqrt(x),
                                   1 / x,       std::tanh(x), std::exp(x), 1 / std::sqrt(x)};
        for (int k = 0; k < 8; ++k)
            EXPECT_NEAR(got[8 * i + k], expected[k], (k < 6 ? 0x1p-10 : 0x1p-7) * (std::fabs(expected[k]) + 0.01)) << x;
    }
    expect_recorded_near("half/functions", got, 0x1p-7);  // one unit of bfloat16
}

}  // namespace
