#include <algorithm>
#include <numeric>
#include <utility>

#include "kernels/kernel_fixture.hpp"

namespace {

using namespace kernels;
KERNELS_OF(sort, Sort);

TEST_P(Sort, Bitonic) {
    const unsigned n = 1 << 15, tile = 1024;
    Random random(3);
    std::vector<unsigned> keys(30001);
    for (unsigned& key : keys) key = random.bits();
    keys.resize(n, ~0u);
    Buffer<unsigned> data(keys);
    launch("bitonic_tiles", {n / tile, tile / 2}, data);
    for (unsigned size = 2 * tile; size <= n; size *= 2) {
        for (unsigned distance = size / 2; distance >= tile; distance /= 2)
            launch("bitonic_step", {n / 512, 256}, data, size, distance);
        launch("bitonic_merge", {n / tile, tile / 2}, data, size);
    }
    std::ranges::sort(keys);
    EXPECT_EQ(data.values(), keys);
    expect_recorded("sort/bitonic", data.values());
}

TEST_P(Sort, RadixWithBallots) {
    const unsigned n = 50021, blocks = blocks_for(n, 256);
    Random random(4);
    std::vector<std::pair<unsigned, unsigned>> pairs(n);
    std::vector<unsigned> keys(n), values(n);
    for (unsigned i = 0; i < n; ++i) pairs[i] = {keys[i] = random.bits() & 0xfff0ffff, values[i] = i};
    auto key_from = std::make_unique<Buffer<unsigned>>(keys), key_to = std::make_unique<Buffer<unsigned>>(n);
    auto value_from = std::make_unique<Buffer<unsigned>>(values), value_to = std::make_unique<Buffer<unsigned>>(n);
    Buffer<unsigned> counts(16 * blocks);
    for (unsigned shift = 0; shift < 32; shift += 4) {
        launch("radix_count", {blocks, 256}, *key_from, counts, n, shift);
        launch("exclusive_sums", {1, 1024}, counts, 16 * blocks);
        launch("radix_scatter", {blocks, 256}, *key_from, *value_from, *key_to, *value_to, counts, n, shift);
        std::swap(key_from, key_to);
        std::swap(value_from, value_to);
    }
    std::ranges::stable_sort(pairs, {}, &std::pair<unsigned, unsigned>::first);
    const auto sorted_keys = key_from->values(), sorted_values = value_from->values();
    for (unsigned i = 0; i < n; ++i) ASSERT_EQ(std::pair(sorted_keys[i], sorted_values[i]), pairs[i]) << i;
    expect_recorded("sort/radix", sorted_values);
}

}  // namespace
