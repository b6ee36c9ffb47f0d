#include <algorithm>
#include <bit>

#include "kernels/kernel_fixture.hpp"

namespace {

using namespace kernels;
KERNELS_OF(warp, WarpIntrinsics);

TEST_P(WarpIntrinsics, VotesMatchesAndShuffles) {
    const unsigned blocks = 30, n = 64 * blocks;
    const auto in = Random(32).integers(n, 0, 12);
    Buffer<int> values(in);
    Buffer<unsigned> out(n);
    launch("votes_and_shuffles", {blocks, 64}, values, out);
    const auto got = out.values();
    for (unsigned i = 0; i < n; ++i) {
        const int* const v = &in[i / 32 * 32];
        const unsigned t = i % 32, block = i / 64;
        unsigned r = 0;
        for (unsigned k = 0; k < 32; ++k) r |= (v[k] > 5 ? 1u : 0u) << k;
        r += std::any_of(v, v + 32, [](int x) { return x == 7; }) * 3u;
        r += std::all_of(v, v + 32, [](int x) { return x < 9; }) * 5u;
        const bool same = block % 3 == 0 || std::all_of(v, v + 32, [&](int x) { return x == v[0]; });
        r ^= same ? ~0u * 7 + 1 : 0;
        r += static_cast<unsigned>(v[t < 3 ? t : t - 3] + 10 * v[t % 16 + 5 < 16 ? t + 5 : t] +
                                   100 * v[t / 8 * 8 + t * 7 % 8]);
        EXPECT_EQ(got[i], r) << i;
    }
    expect_recorded("warp/votes", got);
}

TEST_P(WarpIntrinsics, EqualKeysAreCountedTogether) {
    const int n = 10001;
    const auto numbers = Random(33).integers<std::uint64_t>(n, 0, 13);
    std::vector<std::uint64_t> keys(n);
    std::vector<int> expected(13);
    for (int i = 0; i < n; ++i) keys[i] = numbers[i] << 40 | 77, ++expected[numbers[i]];
    Buffer<std::uint64_t> in(keys);
    Buffer<int> counts(13);
    launch("count_by_match", {blocks_for(n, 224), 224}, in, counts, n);
    EXPECT_EQ(counts.values(), expected);
    expect_recorded("warp/matches", counts.values());
}

TEST_P(WarpIntrinsics, MatricesOfBits) {
    const unsigned matrices = 64;
    Random random(34);
    std::vector<unsigned> bits(32 * matrices), expected(32 * matrices);
    for (unsigned i = 0; i < bits.size(); ++i) {
        bits[i] = random.bits();
        for (unsigned k = 0; k < 32; ++k) expected[i / 32 * 32 + k] |= (bits[i] >> k & 1) << i % 32;
    }
    Buffer<unsigned> in(bits), out(bits.size());
    launch("transpose_bits", {matrices, 32}, in, out);
    EXPECT_EQ(out.values(), expected);
    expect_recorded("warp/transpose_bits", out.values());
}

TEST_P(WarpIntrinsics, Compaction) {
    const unsigned blocks = 40, n = 256 * blocks;
    const auto in = Random(35).integers(n, 0, 1000);
    std::vector<int> expected(n, -1), expected_lengths(blocks);
    for (unsigned i = 0; i < n; ++i)
        if (in[i] % 3 == 1) expected[i / 256 * 256 + expected_lengths[i / 256]++] = in[i];
    Buffer<int> values(in), out(n, -1), lengths(blocks);
    launch("compact", {blocks, 256}, values, out, lengths);
    EXPECT_EQ(out.values(), expected);
    EXPECT_EQ(lengths.values(), expected_lengths);
    expect_recorded("warp/compact", out.values());
}

TEST_P(WarpIntrinsics, SortInRegisters) {
    const unsigned blocks = 25, n = 128 * blocks;
    auto values = Random(36).reals<double>(n, -1, 1);
    Buffer<double> data(values);
    launch("sort_in_registers", {blocks, 128}, data);
    for (unsigned first = 0; first < n; first += 32) std::sort(values.begin() + first, values.begin() + first + 32);
    EXPECT_EQ(data.values(), values);
    expect_recorded("warp/sort", data.values());
}

TEST_P(WarpIntrinsics, GroupsThatWalkApart) {
    const unsigned blocks = 21, n = 96 * blocks;
    const auto in = Random(37).integers(n, -1000, 1000);
    Buffer<int> values(in), out(n);
    launch("divergent_groups", {blocks, 96}, values, out);
    const auto got = out.values();
    for (unsigned i = 0; i < n; ++i) {
        const int* const v = &in[i / 32 * 32];
        int expected = -1;
        if (i % 32 < 16) {
            expected = 0;
            for (int k = 0; k < 16; ++k) expected += v[k];
        } else if (i % 2 == 0) {
            int greatest = v[16];
            for (int k = 16; k < 32; k += 2) greatest = std::max(greatest, v[k]);
            expected = greatest + (greatest & 1 ? 8 : 0);
        }
        EXPECT_EQ(got[i], expected) << i;
    }
    expect_recorded("warp/groups", got);
}

TEST_P(WarpIntrinsics, BitTricks) {
    const int n = 20011;
    Random random(38);
    std::vector<unsigned> values(n);
    for (unsigned& value : values) value = random.bits() >> random.integer(0, 24);
    Buffer<unsigned> in(values), out(n);
    launch("bit_tricks", {blocks_for(n, 256), 256}, in, out, n);
    expect_recorded("warp/bit_tricks", out.values());
}

}  // namespace
