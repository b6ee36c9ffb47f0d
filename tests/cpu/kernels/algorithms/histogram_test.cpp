#include <algorithm>

#include "kernels/kernel_fixture.hpp"

namespace {

using namespace kernels;
KERNELS_OF(histogram, Histogram);

TEST_P(Histogram, SharedAtomics) {
    const unsigned words = 50003;
    std::vector<unsigned char> bytes(4 * words);
    Random random(5);
    for (auto& byte : bytes) byte = static_cast<unsigned char>(random.bits() & random.bits());
    std::vector<unsigned> expected(256), quarter(64);
    for (const auto byte : bytes) ++expected[byte], ++quarter[byte >> 2];
    Buffer<unsigned char> data(bytes);
    Buffer<unsigned> bins(256), coarse(64);
    launch("histogram256", {13, 192}, data, words, bins);
    EXPECT_EQ(bins.values(), expected);
    launch("histogram_of_warps", {11, 160, 5 * 64 * 4}, data, 4 * words, coarse);
    EXPECT_EQ(coarse.values(), quarter);
    expect_recorded("histogram/bins", bins.values());
}

struct Statistics {
    std::uint64_t sum, bits_of_any, bits_of_all, odd;
    std::int64_t least, greatest;
    double half_sum;
    bool operator==(const Statistics&) const = default;
};

TEST_P(Histogram, StatisticsIn64Bits) {
    Random random(6);
    std::vector<std::int64_t> values(20011);
    Statistics expected{0, 0, ~0ull, 0, INT64_MAX, INT64_MIN, 0};
    Buffer<Statistics> result(1, expected);
    for (auto& value : values) {
        value = static_cast<std::int64_t>((std::uint64_t{random.bits()} << 32 | random.bits()) | 0x40) >> 3;
        const auto bits = static_cast<std::uint64_t>(value);
        expected.sum += bits;
        expected.bits_of_any |= bits;
        expected.bits_of_all &= bits;
        expected.odd ^= bits;
        expected.least = std::min(expected.least, value);
        expected.greatest = std::max(expected.greatest, value);
        expected.half_sum += 0.5 * static_cast<double>(value >> 32);  // exact
    }
    Buffer<std::int64_t> data(values);
    launch("statistics", {blocks_for(values.size(), 128), 128}, data, static_cast<unsigned>(values.size()), result);
    EXPECT_EQ(result.values()[0], expected);
    expect_recorded("histogram/statistics", result.values());
}

TEST_P(Histogram, CompareAndSwapLoop) {
    std::vector<unsigned> keys(30011);
    Random random(7);
    std::vector<std::uint64_t> expected(97);
    for (unsigned i = 0; i < keys.size(); ++i) {
        keys[i] = random.bits() >> 12;
        std::uint64_t& best = expected[keys[i] % 97];
        best = std::max(best, std::uint64_t{keys[i]} << 32 | i);
    }
    Buffer<unsigned> data(keys);
    Buffer<std::uint64_t> best(97);
    launch("last_of_class", {blocks_for(keys.size(), 224), 224}, data, static_cast<unsigned>(keys.size()), best);
    EXPECT_EQ(best.values(), expected);
    expect_recorded("histogram/last_of_class", best.values());
}

}  // namespace
