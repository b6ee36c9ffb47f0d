// Device libraries (CUB, cooperative groups, half precision) and the instructions between lanes, against the host.
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "exec_test.hpp"

namespace exec_test {
namespace {

class Libraries : public testing::TestWithParam<unsigned> {
protected:
    Device device{Device::file("libraries.ptx")};
    unsigned threads = GetParam();

    static std::vector<int> numbers(std::size_t count, int modulus) {
        std::vector<int> v(count);
        unsigned state = 12345;
        for (int& x : v) x = static_cast<int>((state = state * 1664525u + 1013904223u) >> 8) % modulus;
        return v;
    }
};

TEST_P(Libraries, BlockScan) {
    const std::vector<int> values = numbers(512, 1000);
    Buffer<int> in(device.memory, values), out(device.memory, 512);
    EXPECT_TRUE(succeeds(device.run("block_scan", {4, 128, 0, threads}, Arguments(in, out))));
    for (int block = 0; block < 4; ++block) {
        std::vector<int> expected(128);
        std::partial_sum(values.begin() + 128 * block, values.begin() + 128 * (block + 1), expected.begin());
        EXPECT_TRUE(std::equal(expected.begin(), expected.end(), out.begin() + 128 * block)) << block;
    }
}

TEST_P(Libraries, BlockRadixSort) {
    std::vector<unsigned> values(512);
    for (unsigned n = 0; n < 512; ++n) values[n] = n * 2654435761u;
    Buffer<unsigned> data(device.memory, values);
    EXPECT_TRUE(succeeds(device.run("block_sort", {1, 128, 0, threads}, Arguments(data))));
    std::sort(values.begin(), values.end());
    EXPECT_EQ(data.values(), values);
}

TEST_P(Libraries, TilesAndCoalescedGroups) {
    const std::vector<int> values = numbers(96, 1000);
    Buffer<int> in(device.memory, values), sums(device.memory, 96), maxima(device.memory, 96), ranks(device.memory, 96);
    EXPECT_TRUE(succeeds(device.run("tiles", {1, 96, 0, threads}, Arguments(in, sums, maxima, ranks))));
    for (int t = 0; t < 96; ++t) {
        const auto tile = values.begin() + t / 8 * 8, warp = values.begin() + t / 32 * 32;
        EXPECT_EQ(sums[t], std::accumulate(tile, tile + 8, 0)) << t;
        EXPECT_EQ(maxima[t], *std::max_element(warp, warp + 32)) << t;
        const auto member = [](int v) { return v % 3 == 0; };
        const int rank = member(values[t]) ? static_cast<int>(std::count_if(warp, values.begin() + t, member)) * 100 +
                                                 static_cast<int>(std::count_if(warp, warp + 32, member))
                                           : -1;
        EXPECT_EQ(ranks[t], rank) << t;
    }
}

TEST_P(Libraries, AggregatedAtomics) {
    const std::vector<int> values = numbers(256, 9);
    Buffer<int> keys(device.memory, values), counts(device.memory, 9);
    EXPECT_TRUE(succeeds(device.run("aggregate", {1, 256, 0, threads}, Arguments(keys, counts))));
    for (int key = 0; key < 9; ++key) EXPECT_EQ(counts[key], std::count(values.begin(), values.end(), key));
}

TEST_P(Libraries, AsynchronousCopy) {
    std::vector<float> values(256);
    std::iota(values.begin(), values.end(), 1.0f);
    Buffer<float> in(device.memory, values), out(device.memory, 256);
    EXPECT_TRUE(succeeds(device.run("copy_async", {1, 256, 0, threads}, Arguments(in, out))));
    std::reverse(values.begin(), values.end());
    EXPECT_EQ(out.values(), values);
}

TEST_P(Libraries, HalfPrecision) {
    std::vector<float> values(64);
    for (int n = 0; n < 64; ++n) values[n] = 0.5f * static_cast<float>(n - 32);
    Buffer<float> in(device.memory, values), out(device.memory, 128);
    EXPECT_TRUE(succeeds(device.run("half_math", {1, 64, 0, threads}, Arguments(in, out))));
    for (int n = 0; n < 64; ++n) {
        const float x = values[n], next = x + 1;  // all of it exact in half precision
        EXPECT_EQ(out[2 * n], std::max(x * x + 0.5f, 3 * x));
        EXPECT_NEAR(out[2 * n + 1], std::sqrt(next * next + 0.5f), 0.02f);
    }
}

TEST_P(Libraries, VotesMatchesAndShuffles) {
    std::vector<int> in = numbers(32, 12);
    in[9] = 7;
    Buffer<int> values(device.memory, in);
    Buffer<unsigned> out(device.memory, 32);
    EXPECT_TRUE(succeeds(device.run("vote_kinds", {1, 32, 0, threads}, Arguments(values, out))));
    unsigned ballot = 0, exclusive = 0, maximum = 0;
    for (int t = 0; t < 32; ++t) {
        ballot |= (in[t] > 5 ? 1u : 0u) << t;
        exclusive ^= static_cast<unsigned>(in[t]);
        maximum = std::max(maximum, static_cast<unsigned>(in[t]));
    }
    for (int t = 0; t < 32; ++t) {
        unsigned r = ballot + 3 + 5;
        r ^= ~0u * 7 + 1;
        r += exclusive + maximum;
        r += static_cast<unsigned>(in[t < 3 ? t : t - 3] + 10 * in[t % 16 + 5 < 16 ? t + 5 : t] +
                                   100 * in[t / 8 * 8 + t * 7 % 8]);
        EXPECT_EQ(out[t], r) << t;
    }
}

TEST_P(Libraries, Atomics) {
    const int n = 40 * 64;
    Buffer<int> i(device.memory, 3);
    Buffer<unsigned> u(device.memory, 6);
    u[2] = ~0u;
    Buffer<unsigned long long> w(device.memory, 2);
    Buffer<float> f(device.memory, 1);
    Buffer<double> d(device.memory, 1);
    Buffer<unsigned> h(device.memory, 1);
    EXPECT_TRUE(succeeds(device.run("atomics", {40, 64, 0, threads}, Arguments(i, u, w, f, d, h))));
    EXPECT_EQ(i.values(), (std::vector<int>{n * (n - 1) / 2, 1 - n, n - 1}));
    EXPECT_EQ(u.values(), (std::vector<unsigned>{0, ~0u, ~0x7fu, n % 100, 40 * 64 * 2, 40}));
    EXPECT_EQ(w.values(), (std::vector<unsigned long long>{static_cast<unsigned long long>(n) << 33,
                                                           static_cast<unsigned long long>(n - 1) << 35}));
    EXPECT_EQ(f[0], n * 0.5f);
    EXPECT_EQ(d[0], n * 0.25);
    EXPECT_EQ(h[0], 0x6c006800u);  // in half precision, adding 1 stops at 2048 and adding 2 at 4096
}

INSTANTIATE_TEST_SUITE_P(Threads, Libraries, testing::Values(1u, 4u));

}  // namespace
}  // namespace exec_test
