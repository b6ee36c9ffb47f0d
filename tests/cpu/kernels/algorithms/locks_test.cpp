#include <algorithm>

#include "kernels/kernel_fixture.hpp"

namespace {

using namespace kernels;
KERNELS_OF(locks, Locks);

TEST_P(Locks, BetweenLanes) {
    Buffer<int> lock(1), count(1);
    launch("lane_lock", {7, 96}, lock, count);
    EXPECT_EQ(count.values()[0], 7 * 96);
    EXPECT_EQ(lock.values()[0], 0);
}

TEST_P(Locks, BetweenLanesThatWaitWhileOthersHoldTwo) {
    const int accounts = 37, threads = 5 * 64;
    std::vector<int> expected(accounts, 1000);
    for (int i = 0; i < threads; ++i) {
        const int from = i % accounts, to = (i * 7 + 1) % accounts;
        if (from == to) continue;
        expected[from] -= i % 13;
        expected[to] += i % 13;
    }
    Buffer<int> locks(accounts), balances(accounts, 1000);
    launch("naive_lane_lock", {5, 64}, locks, balances, accounts);
    EXPECT_EQ(balances.values(), expected);
    expect_recorded("locks/balances", balances.values());
}

TEST_P(Locks, BetweenWarps) {
    const int rounds = 9;
    Buffer<int> sums(6);
    launch("warp_lock", {6, 8 * 32}, sums, rounds);
    EXPECT_EQ(sums.values(), std::vector<int>(6, rounds * 8 * 9 / 2));
}

TEST_P(Locks, BetweenBlocks) {
    const unsigned blocks = 23, threads = 96;
    Buffer<int> lock(1), length(1), list(blocks * threads, -1);
    launch("block_lock", {blocks, threads}, lock, length, list);
    EXPECT_EQ(length.values()[0], static_cast<int>(blocks * threads));
    auto got = list.values();
    for (unsigned first = 0; first < got.size(); first += threads)
        EXPECT_EQ(std::count(got.begin() + first, got.begin() + first + threads, got[first]), threads) << first;
    std::ranges::sort(got);
    for (unsigned i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], static_cast<int>(i / threads));
}

}  // namespace
