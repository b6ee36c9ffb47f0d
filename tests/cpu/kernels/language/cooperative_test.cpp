#include <algorithm>
#include <numeric>
#include <set>

#include "kernels/kernel_fixture.hpp"

namespace {

using namespace kernels;
KERNELS_OF(cooperative, CooperativeGroups);

TEST_P(CooperativeGroups, TilesAndCoalescedGroups) {
    const unsigned blocks = 31, n = 96 * blocks;
    const auto values = Random(25).integers(n, 0, 1000);
    Buffer<int> in(values), sums(n), maxima(n), ranks(n), prefixes(n);
    launch("tiles", {blocks, 96}, in, sums, maxima, ranks, prefixes);
    const auto s = sums.values(), m = maxima.values(), r = ranks.values(), p = prefixes.values();
    const auto member = [](int v) { return v % 3 == 0; };
    for (unsigned i = 0; i < n; ++i) {
        const auto at = [&](unsigned width) { return values.begin() + i / width * width; };
        EXPECT_EQ(s[i], std::accumulate(at(8), at(8) + 8, 0)) << i;
        EXPECT_EQ(m[i], *std::max_element(at(32), at(32) + 32)) << i;
        EXPECT_EQ(p[i], std::accumulate(at(16), values.begin() + i, 0)) << i;
        const auto rank = std::count_if(at(32), values.begin() + i, member);
        EXPECT_EQ(r[i], member(values[i]) ? rank * 100 + std::count_if(at(32), at(32) + 32, member) : -1) << i;
    }
    expect_recorded("cooperative/ranks", r);
    expect_recorded("cooperative/prefixes", p);
}

TEST_P(CooperativeGroups, LabelledAndBinaryPartitions) {
    const unsigned blocks = 17, n = 128 * blocks;
    const auto values = Random(26).integers(n, -500, 500);
    Buffer<int> in(values), sums(n), above(n);
    launch("labelled", {blocks, 128}, in, sums, above);
    const auto s = sums.values(), a = above.values();
    for (unsigned i = 0; i < n; ++i) {
        const unsigned first = i / 32 * 32;
        int sum = 0, size = 0, rank = 0;
        const int total = std::accumulate(values.begin() + first, values.begin() + first + 32, 0);
        for (unsigned k = first; k < first + 32; ++k) {
            if ((values[k] & 3) == (values[i] & 3)) sum += values[k];
            if ((32 * values[k] > total) != (32 * values[i] > total)) continue;
            ++size;
            rank += k < i;
        }
        EXPECT_EQ(s[i], sum) << i;
        EXPECT_EQ(a[i], size * 100 + rank) << i;
    }
    expect_recorded("cooperative/labelled", s);
}

TEST_P(CooperativeGroups, TilesOfSeveralWarps) {
    const unsigned blocks = 15, n = 256 * blocks;
    const auto values = Random(31).integers(n, -500, 500);
    Buffer<int> in(values), sums(n), prefixes(n);
    launch("tiles_of_warps", {blocks, 256}, in, sums, prefixes);
    const auto s = sums.values(), p = prefixes.values();
    for (unsigned i = 0; i < n; ++i) {
        const auto at = [&](unsigned width) { return values.begin() + i / width * width; };
        EXPECT_EQ(s[i], std::accumulate(at(64), at(64) + 64, 0) + 2 * *std::max_element(at(128), at(128) + 128)) << i;
        EXPECT_EQ(p[i], std::accumulate(at(128), values.begin() + i + 1, 0)) << i;
    }
    expect_recorded("cooperative/tiles_of_warps", s);
}

TEST_P(CooperativeGroups, TicketsByCoalescedLanes) {
    const int n = 10007;
    const auto values = Random(27).integers(n, 0, 1000);
    Buffer<int> in(values), counter(1), given(n, -1);
    launch("tickets", {blocks_for(n, 192), 192}, in, counter, given, n);
    auto got = given.values();
    got.resize(counter.values()[0]);  // which warp comes first is open
    std::ranges::sort(got);
    std::vector<int> expected;
    for (int i = 0; i < n; ++i)
        if (values[i] % 2 == 0) expected.push_back(i);
    EXPECT_EQ(got, expected);
    expect_recorded("cooperative/tickets", got);
}

TEST_P(CooperativeGroups, CopyByAGroup) {
    const unsigned blocks = 20, n = 256 * blocks;
    auto values = Random(28).reals<float>(n, -1, 1);
    Buffer<float> in(values), out(n);
    launch("copy_by_group", {blocks, 256}, in, out);
    for (unsigned first = 0; first < n; first += 256)
        std::reverse(values.begin() + first, values.begin() + first + 256);
    EXPECT_EQ(out.values(), values);
    expect_recorded("cooperative/copy", out.values());
}

TEST_P(CooperativeGroups, PrefixSumsOfTheWholeGrid) {
    const int n = 30011;
    const unsigned blocks = resident_blocks("grid_prefix_sums", 160, 19);
    const auto values = Random(29).integers(n, -100, 100);
    std::vector<int> expected(n);
    std::partial_sum(values.begin(), values.end(), expected.begin());
    Buffer<int> in(values), out(n), sums(blocks);
    launch("grid_prefix_sums", {blocks, 160, 0, true}, in, out, sums, n);
    EXPECT_EQ(out.values(), expected);
    expect_recorded("cooperative/grid_prefix_sums", out.values());
}

TEST_P(CooperativeGroups, IterationsBetweenGridBarriers) {
    const int n = 5003, rounds = 7;
    auto expected = Random(30).integers<float>(n, -1000, 1000);
    Buffer<float> a(expected), b(n);
    const unsigned blocks = resident_blocks("grid_iterations", 128, 24);
    launch("grid_iterations", {blocks, 128, 0, true}, a, b, n, rounds);
    for (int r = 0; r < rounds; ++r) {
        const auto before = expected;
        for (int i = 0; i < n; ++i)
            expected[i] = 0.5f * before[i] + 0.25f * (before[(i + n - 1) % n] + before[(i + 1) % n]);
    }
    EXPECT_EQ(b.values(), expected);
    expect_recorded("cooperative/grid_iterations", b.values());
}

}  // namespace
