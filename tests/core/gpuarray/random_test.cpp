#include "pycuda/gpuarray/random.hpp"

#include <cmath>
#include <numeric>

#include "arrays.hpp"
#include "pycuda/graphs/executable_graph.hpp"
#include "pycuda/graphs/graph.hpp"

namespace pycuda::gpuarray::test {
namespace {

class RandomTest : public ArrayTest {
protected:
    /// Generators that are started the same way every time.
    RandomGenerators started(RandomKind kind, std::uint64_t offset = 0) {
        RandomGenerators generators(kind);
        const std::size_t n = generators.generators();
        if (RandomGenerators::is_pseudo(kind)) {
            std::vector<std::int32_t> seeds(n);
            std::iota(seeds.begin(), seeds.end(), 7);
            generators.seed(Array(seeds).memory.pointer(), offset);
        } else if (RandomGenerators::is_64_bits(kind)) {
            const bool scrambled = RandomGenerators::is_scrambled(kind);
            const Array vectors(direction_vectors64(n, scrambled)), constants(scramble_constants64(n));
            generators.set_directions(vectors.memory.pointer(), constants.memory.pointer(), offset);
        } else {
            const bool scrambled = RandomGenerators::is_scrambled(kind);
            const Array vectors(direction_vectors32(n, scrambled)), constants(scramble_constants32(n));
            generators.set_directions(vectors.memory.pointer(), constants.memory.pointer(), offset);
        }
        Context::synchronize();
        return generators;
    }
    template <class T>
    std::vector<T> filled(RandomGenerators& generators, Distribution distribution, std::size_t n, double first = 0,
                          double second = 0) {
        const Array<T> out{std::vector<T>(n)};
        generators.fill(distribution, out.memory.pointer(), dtype_of<T>, n, first, second, nullptr);
        return out.values();
    }
};

double mean_of(const std::vector<float>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

TEST_F(RandomTest, PseudoRandomNumbersHaveTheirDistribution) {
    for (const RandomKind kind : {RandomKind::XORWOW, RandomKind::Philox}) {
        RandomGenerators generators = started(kind);
        const std::size_t n = 60000;
        const auto uniform = filled<float>(generators, Distribution::Uniform, n);
        EXPECT_NEAR(mean_of(uniform), 0.5, 0.01);
        for (const float x : uniform) ASSERT_TRUE(x > 0 && x <= 1);
        const auto normal = filled<float>(generators, Distribution::Normal, n),
                   odd = filled<float>(generators, Distribution::Normal, n - 1);
        EXPECT_NEAR(mean_of(normal), 0, 0.02);
        EXPECT_NEAR(mean_of(odd), 0, 0.02);
        double square = 0;
        for (const float x : normal) square += double(x) * x;
        EXPECT_NEAR(square / static_cast<double>(n), 1, 0.03);
        const auto logs = filled<double>(generators, Distribution::LogNormal, n, 1.0, 0.5);
        double sum = 0;
        for (const double x : logs) sum += std::log(x);
        EXPECT_NEAR(sum / static_cast<double>(n), 1.0, 0.02);
        const auto counts = filled<std::uint32_t>(generators, Distribution::Poisson, n, 4.0);
        EXPECT_NEAR(std::accumulate(counts.begin(), counts.end(), 0.0) / static_cast<double>(n), 4.0, 0.1);
        const auto again = filled<float>(generators, Distribution::Uniform, n);
        EXPECT_NE(again, uniform);
    }
}

TEST_F(RandomTest, EqualSeedsGiveEqualNumbersAndSkippingIsGenerating) {
    RandomGenerators a = started(RandomKind::MRG32k3a), b = started(RandomKind::MRG32k3a);
    const std::size_t n = 2 * a.generators();
    const auto first = filled<std::uint32_t>(a, Distribution::Uniform, n);
    EXPECT_EQ(filled<std::uint32_t>(b, Distribution::Uniform, n), first);
    const auto second = filled<std::uint32_t>(a, Distribution::Uniform, n);
    EXPECT_NE(second, first);
    RandomGenerators skipped = started(RandomKind::MRG32k3a), offset = started(RandomKind::MRG32k3a, 2);
    skipped.skip(Skip::Ahead, 2, nullptr);
    EXPECT_EQ(filled<std::uint32_t>(skipped, Distribution::Uniform, n), second);
    EXPECT_EQ(filled<std::uint32_t>(offset, Distribution::Uniform, n), second);
    RandomGenerators each = started(RandomKind::MRG32k3a);
    each.skip_each(Skip::Ahead, Array(std::vector<std::uint64_t>(each.generators(), 2)).memory.pointer(), nullptr);
    EXPECT_EQ(filled<std::uint32_t>(each, Distribution::Uniform, n), second);
    each.skip(Skip::Sequence, 1, nullptr);
    each.skip(Skip::Subsequence, 1, nullptr);
    EXPECT_NE(filled<std::uint32_t>(each, Distribution::Uniform, n), second);
}

TEST_F(RandomTest, QuasiRandomNumbersFillTheirIntervalsEvenly) {
    for (const RandomKind kind :
         {RandomKind::Sobol32, RandomKind::ScrambledSobol32, RandomKind::Sobol64, RandomKind::ScrambledSobol64}) {
        RandomGenerators generators = started(kind);
        const std::size_t dimensions = generators.generators();
        const auto points = filled<double>(generators, Distribution::Uniform, 16 * dimensions);
        // Sixteen points of a dimension: one in each sixteenth.
        for (const std::size_t dimension : {std::size_t{0}, std::size_t{1}, dimensions - 1}) {
            unsigned hit = 0;
            for (std::size_t k = 0; k < 16; ++k)
                hit |= 1u << std::min(15, static_cast<int>(points[k * dimensions + dimension] * 16));
            EXPECT_EQ(hit, 0xffffu) << static_cast<int>(kind) << ' ' << dimension;
        }
        EXPECT_EQ(RandomGenerators::supports(kind, Distribution::Uniform, DType::UInt64),
                  generators.generator_bits() == 64);
        EXPECT_THROW(generators.skip(Skip::Sequence, 1, nullptr), std::invalid_argument);
        EXPECT_NO_THROW(generators.skip(Skip::Ahead, 3, nullptr));
    }
}

TEST_F(RandomTest, GeneratorsOfAKindShareTheirModule) {
    RandomGenerators first = started(RandomKind::Philox), second = started(RandomKind::Philox);
    EXPECT_EQ(first.module(), second.module());
    EXPECT_NE(first.module(), RandomGenerators(RandomKind::XORWOW).module());
    EXPECT_NE(first.state(), second.state());
    const auto numbers = filled<float>(first, Distribution::Uniform, 100);
    EXPECT_NE(filled<float>(first, Distribution::Uniform, 100), numbers);  // it went on
    EXPECT_EQ(filled<float>(second, Distribution::Uniform, 100), numbers);
    {
        const auto other = Device(0).make_context();
        EXPECT_NE(RandomGenerators(RandomKind::Philox).module(), first.module());
        other->detach();
    }
    std::weak_ptr<Module> gone;
    {
        const RandomGenerators only(RandomKind::MRG32k3a);
        gone = only.module();
    }
    EXPECT_TRUE(gone.expired());
}

TEST_F(RandomTest, AGraphKeepsTheStatesOfItsGenerators) {
    const Stream stream;
    const Array<float> out{std::vector<float>(100)}, expected{std::vector<float>(100)};
    auto generators = std::make_unique<RandomGenerators>(started(RandomKind::XORWOW));
    const auto fill = [&](RandomGenerators& filling, const Array<float>& to) {
        filling.fill(Distribution::Uniform, to.memory.pointer(), DType::Float32, 100, 0, 0, stream.handle());
    };
    stream.begin_capture(CaptureMode::THREAD_LOCAL);
    fill(*generators, out);
    const auto graph = stream.end_capture();
    generators = nullptr;
    const DeviceAllocation other(1 << 20);  // where the states were, if they are gone
    memset_d8(other.pointer(), 0, 1 << 20);
    ExecutableGraph(graph).launch(&stream);
    RandomGenerators again = started(RandomKind::XORWOW);
    fill(again, expected);
    stream.synchronize();
    EXPECT_EQ(out.values(), expected.values());
}

TEST_F(RandomTest, RefusesWhatItHasNot) {
    RandomGenerators generators(RandomKind::XORWOW);
    EXPECT_THROW(filled<float>(generators, Distribution::Uniform, 4), LogicError);
    EXPECT_EQ(
        pycuda::test::message_of<ArgumentTypeError>([&] { filled<std::int16_t>(generators, Distribution::Normal, 4); }),
        "XORWOW has no normal numbers of type int16");
    EXPECT_THROW(generators.set_directions(0, 0, 0), std::invalid_argument);
    EXPECT_STREQ(generators.state_type(), "curandStateXORWOW");
    EXPECT_TRUE(generators.has_box_muller());
}

TEST_F(RandomTest, HashedNumbersDependOnSeedAndPlaceAlone) {
    const Array<float> a(std::vector<float>(10001)), b(std::vector<float>(5000));
    random_fill(*kernels, a.ref(), 42, nullptr);
    random_fill(*kernels, b.ref(), 42, nullptr);
    const auto first = a.values(), prefix = b.values();
    EXPECT_TRUE(std::equal(prefix.begin(), prefix.end(), first.begin()));
    EXPECT_NEAR(mean_of(first), 0.5, 0.02);
    random_fill(*kernels, b.ref(), 43, nullptr);
    EXPECT_NE(b.values(), prefix);
    const Array<std::uint32_t> words(std::vector<std::uint32_t>(4));
    random_fill(*kernels, words.ref(), 0, nullptr);
    // The published answer of Philox 4x32-10 for counter 0 and key 0.
    EXPECT_EQ(words.values(), (std::vector<std::uint32_t>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    const Array<double> d(std::vector<double>(1000));
    random_fill(*kernels, d.ref(), 1, nullptr);
    for (const double x : d.values()) ASSERT_TRUE(x >= 0 && x <= 1);
    const Array<std::int16_t> small(std::vector<std::int16_t>(4));
    EXPECT_THROW(random_fill(*kernels, small.ref(), 1, nullptr), ArgumentTypeError);
}

TEST_F(RandomTest, TablesRepeatBeyondTheirEnd) {
    EXPECT_GE(curand_version(), 10000);
    const auto vectors = direction_vectors32(20001, false);
    EXPECT_EQ(vectors[0], 0x80000000u);
    EXPECT_EQ(vectors[20000 * 32 + 1], vectors[1]);
    EXPECT_EQ(scramble_constants64(3).size(), 3u);
}

}  // namespace
}  // namespace pycuda::gpuarray::test
