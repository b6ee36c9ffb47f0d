#include <algorithm>
#include <functional>
#include <numeric>

#include "kernels/kernel_fixture.hpp"

namespace {

using namespace kernels;
KERNELS_OF(cub_blocks, CubBlocks);

constexpr unsigned threads = 128, tile = 512;

TEST_P(CubBlocks, Scans) {
    const int n = 20003;
    const auto values = Random(20).integers(n, -1000, 1000);
    const unsigned tiles = blocks_for(n, tile), blocks = blocks_for(n, threads);
    std::vector<int> sums(n), totals(tiles), greatest(n);
    for (int i = 0; i < n; ++i) {
        sums[i] = values[i] + (i % tile ? sums[i - 1] : 0);
        totals[i / tile] = sums[i];
        greatest[i] = i % threads ? std::max(greatest[i - 1], values[i - 1]) : -1000000;
    }
    Buffer<int> in(values), out(n), of_tiles(tiles);
    launch("inclusive_sums", {tiles, threads}, in, out, of_tiles, n);
    EXPECT_EQ(out.values(), sums);
    EXPECT_EQ(of_tiles.values(), totals);
    expect_recorded("cub/inclusive_sums", out.values());
    launch("greatest_before", {blocks, threads}, in, out, n);
    EXPECT_EQ(out.values(), greatest);
    expect_recorded("cub/greatest_before", out.values());
}

struct Pair {
    float value;
    int index;
};

TEST_P(CubBlocks, Reductions) {
    const int n = 10007;
    const auto values = Random(21).integers<long long>(n, -5000, 5000);
    const unsigned blocks = blocks_for(n, 160);
    Buffer<long long> in(values), sums(blocks);
    Buffer<Pair> best(blocks);
    launch("block_sums", {blocks, 160}, in, sums, best, n);
    const auto got_sums = sums.values();
    const auto got_best = best.values();
    for (unsigned b = 0; b < blocks; ++b) {
        const auto begin = values.begin() + 160 * b, end = values.begin() + std::min<int>(n, 160 * (b + 1));
        EXPECT_EQ(got_sums[b], std::accumulate(begin, end, 0ll)) << b;
        const auto greatest = std::max_element(begin, end);
        EXPECT_EQ(got_best[b].index, greatest - values.begin()) << b;
        EXPECT_EQ(got_best[b].value, static_cast<float>(*greatest)) << b;
    }
    expect_recorded("cub/block_sums", got_sums);
}

TEST_P(CubBlocks, RadixSorts) {
    const unsigned blocks = 12, n = blocks * tile;
    Random random(22);
    std::vector<float> keys(n);
    std::vector<std::uint64_t> wide(n);
    for (unsigned i = 0; i < n; ++i) {
        keys[i] = static_cast<float>(random.integer(-300, 300)) * 0.25f;
        wide[i] = std::uint64_t{random.bits()} << 32 | random.bits();
    }
    Buffer<float> in(keys), sorted(n);
    Buffer<int> places(n);
    Buffer<std::uint64_t> wide_keys(wide);
    launch("sort_pairs", {blocks, threads}, in, sorted, places);
    launch("sort_wide_descending", {blocks, threads}, wide_keys);
    std::vector<int> expected(n);
    std::iota(expected.begin(), expected.end(), 0);
    const auto middle = [](std::uint64_t key) { return key >> 8 & 0xffffffffffff; };
    for (unsigned first = 0; first < n; first += tile) {
        std::stable_sort(expected.begin() + first, expected.begin() + first + tile,
                         [&](int a, int b) { return keys[a] < keys[b]; });
        std::stable_sort(wide.begin() + first, wide.begin() + first + tile,
                         [&](std::uint64_t a, std::uint64_t b) { return middle(a) > middle(b); });
    }
    EXPECT_EQ(places.values(), expected);
    EXPECT_EQ(wide_keys.values(), wide);
    expect_recorded("cub/sort_pairs", sorted.values());
    expect_recorded("cub/sort_wide", wide_keys.values());
}

TEST_P(CubBlocks, RunsAndHistograms) {
    const unsigned blocks = 9, n = blocks * tile;
    std::vector<unsigned char> values(n);
    Random random(23);
    for (unsigned i = 0; i < n; ++i) values[i] = i && random.integer(0, 3) ? values[i - 1] : random.bits() & 255;
    std::vector<int> expected(n);
    std::vector<unsigned> bins(256 * blocks);
    for (unsigned i = 0; i < n; ++i) {
        expected[i] = i % tile == 0 || values[i] != values[i - 1];
        ++bins[i / tile * 256 + values[i]];
    }
    Buffer<unsigned char> in(values);
    Buffer<int> heads(n);
    Buffer<unsigned> sorted(256 * blocks), atomic(256 * blocks);
    launch("runs", {blocks, threads}, in, heads, sorted, atomic);
    EXPECT_EQ(heads.values(), expected);
    EXPECT_EQ(sorted.values(), bins);
    EXPECT_EQ(atomic.values(), bins);
    expect_recorded("cub/runs", heads.values());
}

TEST_P(CubBlocks, WarpCollectives) {
    const unsigned blocks = 20, n = blocks * threads;
    const auto values = Random(24).integers(n, -1000, 1000);
    std::vector<int> expected_sums(n / 8);
    std::vector<double> expected(n);
    for (unsigned i = 0; i < n; ++i) {
        expected_sums[i / 8] += values[i];
        expected[i] = values[i] * 0.5 + (i % 32 ? expected[i - 1] : 0);
    }
    Buffer<int> in(values), sums(n / 8);
    Buffer<double> scanned(n);
    launch("warp_collectives", {blocks, threads}, in, sums, scanned);
    EXPECT_EQ(sums.values(), expected_sums);
    EXPECT_EQ(scanned.values(), expected);
    expect_recorded("cub/warp_scan", scanned.values());
}

}  // namespace
