#include "pycuda/gpuarray/random/random.hpp"

#include <cmath>
#include <numeric>

#include "gpuarray/arrays.hpp"
#include "pycuda/graphs/executable_graph.hpp"
#include "pycuda/graphs/graph.hpp"
#include "pycuda/streams/stream.hpp"

namespace pycuda::gpuarray::test {
namespace {

using CoreArray = pycuda::gpuarray::Array;

CoreArray new_words(int bits, const Shape& shape) {
    return CoreArray::empty(bits == 64 ? DType::UInt64 : DType::UInt32, Layout(shape, bits / 8), nullptr);
}

template <class T>
std::vector<T> numbers_of(const CoreArray& array) {
    std::vector<T> numbers(static_cast<std::size_t>(array.layout().size()));
    memcpy_dtoh(numbers.data(), numbers.size() * sizeof(T), array.address());
    return numbers;
}

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
        } else {
            const int bits = generators.generator_bits();
            const auto count = static_cast<std::int64_t>(n);
            const CoreArray vectors = new_words(bits, {count, bits}), constants = new_words(bits, {count});
            direction_vectors_into(vectors, RandomGenerators::is_scrambled(kind), nullptr);
            scramble_constants_into(constants, nullptr);
            generators.set_directions(vectors.address(), constants.address(), offset);
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

TEST_F(RandomTest, CountsOnTheDeviceSkipAnyNumberOfSubsequences) {
    constexpr std::uint64_t sequence = std::uint64_t{1} << 51;  // in subsequences
    const auto skip = [](RandomGenerators& generators, Skip what, std::uint64_t count) {
        const Array counts(std::vector<std::uint64_t>(generators.generators(), count));
        generators.skip_each(what, counts.memory.pointer(), nullptr);
        Context::synchronize();
    };
    for (const std::uint64_t count : {sequence * 5 + 7, UINT64_MAX}) {  // cuRAND's table ends at 2^56
        RandomGenerators one = started(RandomKind::MRG32k3a), other = started(RandomKind::MRG32k3a);
        skip(one, Skip::Subsequence, count);
        skip(other, Skip::Sequence, count / sequence);
        skip(other, Skip::Subsequence, count % sequence);
        EXPECT_EQ(filled<float>(one, Distribution::Uniform, 64), filled<float>(other, Distribution::Uniform, 64));
    }
    RandomGenerators whole = started(RandomKind::MRG32k3a), halves = started(RandomKind::MRG32k3a);
    skip(whole, Skip::Subsequence, sequence);
    for (int half = 0; half < 2; ++half) skip(halves, Skip::Subsequence, sequence / 2);
    EXPECT_EQ(filled<float>(whole, Distribution::Uniform, 64), filled<float>(halves, Distribution::Uniform, 64));
}

TEST_F(RandomTest, GeneratorsOfAnotherContextAreRefusedAlsoOnItsStream) {
    RandomGenerators generators = started(RandomKind::XORWOW);
    const Stream stream;
    const auto other = Device(0).make_context();
    {
        const Array<float> data{std::vector<float>(100)};
        EXPECT_HAS(pycuda::test::message_of<LogicError>([&] {
                       generators.fill(Distribution::LogNormal, data.memory.pointer(), DType::Float32, 100, 0, 1,
                                       stream.handle());
                   }),
                   "the context of the generators is not current");
    }
    other->detach();
    stream.synchronize();
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
    const CoreArray table = new_words(32, {20001, 32}), constants = new_words(64, {20001}), none = new_words(64, {0});
    direction_vectors_into(table, false, nullptr);
    const auto vectors = numbers_of<std::uint32_t>(table);
    EXPECT_EQ(vectors[0], 0x80000000u);
    EXPECT_EQ(vectors[20000 * 32 + 1], vectors[1]);
    scramble_constants_into(constants, nullptr);
    const auto scramblers = numbers_of<std::uint64_t>(constants);
    EXPECT_EQ(scramblers[20000], scramblers[0]);
    EXPECT_NE(scramblers[1], scramblers[0]);
    scramble_constants_into(none, nullptr);
}

}  // namespace
}  // namespace pycuda::gpuarray::test
