#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "kernels/kernel_fixture.hpp"

namespace {

using namespace kernels;

constexpr unsigned count = 1000, each = 8;
constexpr std::uint64_t seed = 0x123456789abcull;

/// Normal numbers in single precision are a radius, at most 7, times an approximate sine or cosine, which PTX allows an
/// absolute error of 2^-20.5.
constexpr double of_sine = 7 * 0x1p-20;

struct Outputs {
    Buffer<unsigned> bits{count * each};
    Buffer<float> uniform{count * each}, normal{count * each};
    Buffer<double> uniform_double{count * each}, normal_double{count * each};
    Buffer<unsigned> poisson{count * each};

    struct Pointers {
        CUdeviceptr bits, uniform, normal, uniform_double, normal_double, poisson;
    };
    Pointers pointers() const {
        return {bits.address(),           uniform.address(),       normal.address(),
                uniform_double.address(), normal_double.address(), poisson.address()};
    }

    /// Integer arithmetic gives the bits and uniform numbers; the others come from logarithms, sines and roots.
    void expect_recorded_as(const std::string& name) const {
        expect_recorded(name + "/bits", bits.values());
        expect_recorded(name + "/uniform", uniform.values());
        expect_recorded(name + "/uniform_double", uniform_double.values());
        expect_recorded_near(name + "/normal", normal.values(), 2e-6, of_sine);
        expect_recorded_near(name + "/normal_double", normal_double.values(), 1e-14, 1e-15);
        expect_recorded_near(name + "/poisson", poisson.values(), 0);
    }
    void expect_moments() const {
        const auto mean = [](const auto& values, auto&& f) {
            return std::accumulate(values.begin(), values.end(), 0.0,
                                   [&](double sum, double x) { return sum + f(x); }) /
                   static_cast<double>(values.size());
        };
        const auto itself = [](double x) { return x; };
        const auto square = [](double x) { return x * x; };
        EXPECT_NEAR(mean(uniform.values(), itself), 0.5, 0.02);
        EXPECT_NEAR(mean(uniform_double.values(), square), 1.0 / 3, 0.02);
        EXPECT_NEAR(mean(normal.values(), itself), 0, 0.05);
        EXPECT_NEAR(mean(normal.values(), square), 1, 0.08);
        EXPECT_NEAR(mean(normal_double.values(), square), 1, 0.08);
        EXPECT_NEAR(mean(poisson.values(), itself), (3.5 + 200) / 2, 1);
    }
};

std::vector<unsigned> transposed(const std::vector<std::vector<unsigned>>& sequences) {
    std::vector<unsigned> result;
    for (unsigned k = 0; k < each; ++k)
        for (const auto& sequence : sequences) result.push_back(sequence[k]);
    return result;
}

/// Marsaglia's recurrence, from the state that seeding leaves.
std::vector<unsigned> xorwow(const unsigned* state) {
    std::array<unsigned, 5> v;
    std::copy(state, state + 5, v.begin());
    unsigned d = state[5];
    std::vector<unsigned> result;
    for (unsigned k = 0; k < each; ++k) {
        const unsigned t = v[0] ^ v[0] >> 2;
        std::rotate(v.begin(), v.begin() + 1, v.end());
        v[4] = v[3] ^ v[3] << 4 ^ t ^ t << 1;
        result.push_back(v[4] + (d += 362437));
    }
    return result;
}

/// L'Ecuyer's two recurrences and their difference, which cuRAND stretches to 32 bits.
std::vector<unsigned> mrg32k3a(const unsigned* state) {
    constexpr std::int64_t m1 = 4294967087, m2 = 4294944443;
    std::array<std::int64_t, 3> a{state[0], state[1], state[2]}, b{state[3], state[4], state[5]};
    const auto modulo = [](std::int64_t x, std::int64_t m) { return (x % m + m) % m; };
    std::vector<unsigned> result;
    for (unsigned k = 0; k < each; ++k) {
        a = {a[1], a[2], modulo(modulo(1403580 * a[1], m1) - modulo(810728 * a[0], m1), m1)};
        b = {b[1], b[2], modulo(modulo(527612 * b[2], m2) - modulo(1370589 * b[0], m2), m2)};
        const std::int64_t difference = a[2] - b[2] + (a[2] <= b[2] ? m1 : 0);
        result.push_back(static_cast<unsigned>(static_cast<double>(difference) * 1.000000048662));
    }
    return result;
}

/// Philox4x32-10 of Salmon and others.
std::array<unsigned, 4> philox(std::array<unsigned, 4> counter, std::uint64_t key) {
    auto low = static_cast<unsigned>(key), high = static_cast<unsigned>(key >> 32);
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t a = 0xd2511f53ull * counter[0], b = 0xcd9e8d57ull * counter[2];
        counter = {static_cast<unsigned>(b >> 32) ^ counter[1] ^ low, static_cast<unsigned>(b),
                   static_cast<unsigned>(a >> 32) ^ counter[3] ^ high, static_cast<unsigned>(a)};
        low += 0x9e3779b9;
        high += 0xbb67ae85;
    }
    return counter;
}

class Generators : public KernelTest {
protected:
    Generators() : KernelTest("random") {}

    /// The kernel draws the numbers that `sequence` makes from each seed's six words of state, which `seeded` writes to
    /// its `place`-th array.
    void expect_sequences(const std::string& kernel, std::vector<unsigned> sequence(const unsigned*),
                          std::size_t place) {
        Outputs out;
        launch(kernel.c_str(), {8, 128}, out.pointers(), seed, std::uint64_t{0}, count);
        const Buffer<unsigned> states[2]{Buffer<unsigned>(6 * count), Buffer<unsigned>(6 * count)};
        launch("seeded", {8, 128}, states[0], states[1], seed, count);
        const auto words = states[place].values();
        std::vector<std::vector<unsigned>> expected;
        for (unsigned i = 0; i < count; ++i) expected.push_back(sequence(&words[6 * i]));
        EXPECT_EQ(out.bits.values(), transposed(expected));
        out.expect_moments();
        out.expect_recorded_as("random/" + kernel);
        launch(kernel.c_str(), {8, 128}, out.pointers(), seed + 1, std::uint64_t{1000003}, count);
        expect_recorded("random/" + kernel + "_offset", out.bits.values());
    }
};
COMPILED_EACH_WAY(random, Generators);

TEST_P(Generators, Xorwow) {
    expect_sequences("xorwow", xorwow, 0);
}

TEST_P(Generators, Mrg32k3a) {
    expect_sequences("mrg32k3a", mrg32k3a, 1);
}

TEST_P(Generators, Philox) {
    Outputs out;
    launch("philox", {8, 128}, out.pointers(), seed, std::uint64_t{4000}, count);
    std::vector<std::vector<unsigned>> expected(count);
    for (unsigned i = 0; i < count; ++i)
        for (unsigned block = 0; block < 2; ++block) {
            const auto words = philox({1000 + block, 0, i, 0}, seed);
            expected[i].insert(expected[i].end(), words.begin(), words.end());
        }
    EXPECT_EQ(out.bits.values(), transposed(expected));
    out.expect_moments();
    out.expect_recorded_as("random/philox");

    Buffer<std::array<unsigned, 4>> bits(count);
    Buffer<float> normal(4 * count);
    launch("philox_fours", {8, 128}, bits, normal, seed, count);
    const auto fours = bits.values();
    for (unsigned i = 0; i < count; ++i) EXPECT_EQ(fours[i], philox({0, 0, i, 0}, seed)) << i;
    expect_recorded_near("random/philox_fours", normal.values(), 2e-6, of_sine);
}

TEST_P(Generators, SkippingAheadIsTheSameAsDrawing) {
    for (const char* kernel : {"skip_xorwow", "skip_mrg32k3a", "skip_philox"})
        for (const unsigned length : {1u, 6u, 131u}) {
            Buffer<int> different(192, -1);
            launch(kernel, {3, 64}, different, length);
            EXPECT_EQ(different.values(), std::vector<int>(192)) << kernel << ' ' << length;
        }
}

/// Direction numbers by the recurrence of Bratley and Fox: the polynomial's inner coefficients and the first odd
/// numbers of each dimension.
template <class Bits>
std::vector<Bits> direction_vectors() {
    struct Dimension {
        unsigned coefficients;
        std::vector<unsigned> first;
    };
    const std::vector<Dimension> dimensions{{0, {1}}, {1, {1, 3}}, {1, {1, 3, 1}}, {2, {1, 1, 1}}};
    constexpr unsigned width = 8 * sizeof(Bits);
    std::vector<Bits> vectors;
    for (unsigned j = 0; j < width; ++j) vectors.push_back(Bits{1} << (width - 1 - j));  // the first: bits reversed
    for (const auto& [coefficients, first] : dimensions) {
        const std::size_t degree = first.size(), start = vectors.size();
        for (unsigned j = 0; j < width; ++j) {
            if (j < degree) {
                vectors.push_back(Bits{first[j]} << (width - 1 - j));
                continue;
            }
            Bits v = vectors[start + j - degree];
            v ^= v >> degree;
            for (std::size_t k = 1; k < degree; ++k)
                if (coefficients >> (degree - 1 - k) & 1) v ^= vectors[start + j - k];
            vectors.push_back(v);
        }
    }
    return vectors;
}

template <class Bits>
class SobolPoints {
public:
    static constexpr unsigned blocks = 3, threads = 64, steps = 5, points = blocks * threads * steps, dimensions = 5;
    static constexpr unsigned width = 8 * sizeof(Bits);

    /// The point of Gray code n, by definition.
    std::vector<Bits> expected(Bits scramble) const {
        std::vector<Bits> result;
        for (unsigned d = 0; d < dimensions; ++d)
            for (unsigned n = 0; n < points; ++n) {
                Bits x = scramble;
                for (unsigned j = 0; j < 32; ++j)
                    if ((n ^ n >> 1) >> j & 1) x ^= vectors[d * width + j];
                result.push_back(x);
            }
        return result;
    }
    void expect_recorded_as(const std::string& name) const {
        const auto u = uniform.values();
        const auto b = bits.values();
        for (std::size_t n = 0; n < u.size(); ++n)
            ASSERT_NEAR(u[n], std::ldexp(static_cast<double>(b[n]), -static_cast<int>(width)), 1e-7);
        expect_recorded(name + "/uniform", u);
        expect_recorded_near(name + "/normal", normal.values(), 2e-6, 1e-6);
    }

    const std::vector<Bits> vectors = direction_vectors<Bits>();
    Buffer<Bits> directions{vectors}, bits{dimensions * points};
    Buffer<float> uniform{dimensions * points}, normal{dimensions * points};
    Shape shape{{blocks, dimensions}, threads};
};

TEST_P(Generators, Sobol32) {
    SobolPoints<unsigned> s;
    launch("sobol32", s.shape, s.directions, s.bits, s.uniform, s.normal, s.steps);
    EXPECT_EQ(s.bits.values(), s.expected(0));
    s.expect_recorded_as("random/sobol32");
    launch("scrambled_sobol32", s.shape, s.directions, s.bits, s.uniform, s.normal, s.steps);
    EXPECT_EQ(s.bits.values(), s.expected(0x9e3779b9));
    s.expect_recorded_as("random/scrambled_sobol32");
}

TEST_P(Generators, Sobol64) {
    SobolPoints<unsigned long long> s;
    launch("sobol64", s.shape, s.directions, s.bits, s.uniform, s.normal, s.steps);
    EXPECT_EQ(s.bits.values(), s.expected(0));
    s.expect_recorded_as("random/sobol64");
    launch("scrambled_sobol64", s.shape, s.directions, s.bits, s.uniform, s.normal, s.steps);
    EXPECT_EQ(s.bits.values(), s.expected(0x9e3779b97f4a7c15));
    s.expect_recorded_as("random/scrambled_sobol64");
}

}  // namespace
