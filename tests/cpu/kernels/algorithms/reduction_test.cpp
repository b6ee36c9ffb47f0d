#include <algorithm>
#include <numeric>

#include "kernels/kernel_fixture.hpp"

namespace {

using namespace kernels;
KERNELS_OF(reduction, Reduction);

/// Sums of the elements that blocks of `threads` take in turn. Every partial sum is an integer that T holds, so order
/// is free.
template <class T>
std::vector<T> sums_by_block(const std::vector<T>& values, std::size_t blocks, std::size_t threads) {
    std::vector<T> sums(blocks);
    for (std::size_t n = 0; n < values.size(); ++n) sums[n / threads % blocks] += values[n];
    return sums;
}

TEST_P(Reduction, WarpSynchronousWithoutBarriers) {
    const int n = 100003;
    const auto run = [&]<class T>(const char* kernel, T range) {
        const auto values = Random(13).integers<T>(n, static_cast<int>(-range), static_cast<int>(range));
        Buffer<T> in(values), out(5);
        launch(kernel, {5, 512}, in, out, n);
        EXPECT_EQ(out.values(), sums_by_block(values, 5, 512)) << kernel;
        expect_recorded(std::string("reduction/") + kernel, out.values());
    };
    run("warp_synchronous_float", 200.0f);
    run("warp_synchronous_double", 1e9);
    run("warp_synchronous_long", 2000000000ll);
}

TEST_P(Reduction, UnrolledByTheCompiler) {
    const int n = 50001;
    const auto values = Random(14).integers<float>(n, -1000, 1000);
    const unsigned blocks = blocks_for(n, 256);
    Buffer<float> in(values), out(blocks);
    launch("unrolled", {blocks, 128}, in, out, n);
    EXPECT_EQ(out.values(), sums_by_block(values, blocks, 256));
    expect_recorded("reduction/unrolled", out.values());
}

TEST_P(Reduction, TheLastBlockAddsTheSums) {
    const int n = 200003;
    const auto values = Random(15).integers(n, -2000000000, 2000000000);
    const long long expected = std::accumulate(values.begin(), values.end(), 0ll);
    Buffer<int> in(values);
    Buffer<long long> sums(41), total(1);
    for (int turn = 0; turn < 2; ++turn) {  // the counter returns to 0 by itself
        total.set({0});
        launch("last_block_sums", {41, 192}, in, sums, total, n);
        EXPECT_EQ(total.values()[0], expected);
    }
    expect_recorded("reduction/last_block", total.values());
}

TEST_P(Reduction, OneInstruction) {
    const int n = 10007;
    Random random(16);
    std::vector<unsigned> values(n), expected;
    for (auto& value : values) value = random.bits() | 0x10;
    for (int first = 0; first < n; first += 32) {
        const auto begin = values.begin() + first, end = values.begin() + std::min(n, first + 32);
        int greatest = INT32_MIN;
        for (auto at = begin; at != end; ++at) greatest = std::max(greatest, static_cast<int>(*at));
        expected.push_back(std::accumulate(begin, end, 0u));
        expected.push_back(*std::min_element(begin, end));
        expected.push_back(static_cast<unsigned>(greatest));
        expected.push_back(std::accumulate(begin, end, ~0u, std::bit_and<unsigned>()));
        expected.push_back(std::accumulate(begin, end, 0u, std::bit_or<unsigned>()));
        expected.push_back(std::accumulate(begin, end, 0u, std::bit_xor<unsigned>()));
    }
    Buffer<unsigned> in(values), out(expected.size());
    launch("reduced_by_instruction", {blocks_for(n, 128), 128}, in, out, n);
    EXPECT_EQ(out.values(), expected);
    expect_recorded("reduction/instruction", out.values());
}

struct Place {
    float value;
    int index;
};

TEST_P(Reduction, WhereTheGreatestIs) {
    const int n = 60013;
    const auto values = Random(17).integers<float>(n, -5000, 5000);
    Buffer<float> in(values);
    Buffer<Place> places(7);
    launch("greatest_place", {7, 256}, in, places, n);
    const auto got = places.values();
    const Place best = *std::max_element(got.begin(), got.end(), [](const Place& a, const Place& b) {
        return a.value < b.value || (a.value == b.value && a.index > b.index);
    });
    EXPECT_EQ(best.index, std::max_element(values.begin(), values.end()) - values.begin());
    expect_recorded("reduction/places", got);
}

}  // namespace
