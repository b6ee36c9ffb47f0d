#include <numeric>

#include "kernels/kernel_fixture.hpp"

namespace {

using namespace kernels;
KERNELS_OF(clusters, Clusters);

struct Four {
    unsigned x, y, z, w;
    bool operator==(const Four&) const = default;
};

TEST_P(Clusters, BlocksKnowTheirPlaces) {
    Buffer<Four> out(2 * 4 * 6 * 2);
    launch("places", {{4, 6, 2}, 32}, out);
    const auto found = out.values();
    for (unsigned z = 0, block = 0; z < 2; ++z)
        for (unsigned y = 0; y < 6; ++y)
            for (unsigned x = 0; x < 4; ++x, ++block) {
                EXPECT_EQ(found[2 * block], (Four{x % 2, y % 3, 0, x % 2 + 2 * (y % 3)})) << x << ' ' << y << ' ' << z;
                EXPECT_EQ(found[2 * block + 1], (Four{2, 31, 6, 6 * 32}));
            }
}

TEST_P(Clusters, TheLaunchSaysTheirSize) {
    Buffer<unsigned> out(8 * 4);
    const auto expect = [&](unsigned width, unsigned height) {
        const auto found = out.values();
        for (unsigned y = 0; y < 4; ++y)
            for (unsigned x = 0; x < 8; ++x)
                EXPECT_EQ(found[x + 8 * y], (x % width + width * (y % height)) * 1000 + width * height);
    };
    launch("ranks", {{8, 4}, 64}, out);
    expect(1, 1);
    for (const auto& [width, height] : {std::pair{8u, 1u}, {4u, 2u}, {1u, 4u}, {2u, 1u}}) {
        launch("ranks", {.grid = {8, 4}, .block = 64, .cluster = {width, height}}, out);
        expect(width, height);
    }
}

TEST_P(Clusters, NumbersGoRound) {
    constexpr unsigned blocks = 24;
    const auto values = Random(71).integers(64 * blocks, -1000, 1000);
    Buffer<int> in(values), out(values.size());
    for (const unsigned width : {1u, 3u, 8u}) {
        const int rounds = static_cast<int>(5 * width);
        launch("ring", {.grid = blocks, .block = 64, .cluster = width}, in, out, rounds);
        auto expected = values;
        for (int& value : expected) value += rounds;
        EXPECT_EQ(out.values(), expected) << width;
    }
}

TEST_P(Clusters, HistogramOverSeveralBlocks) {
    constexpr unsigned count = 20000, bins_per_block = 100;
    const auto values = Random(72).integers<unsigned>(count, 0, 1 << 20);
    Buffer<unsigned> in(values);
    for (const unsigned width : {2u, 4u, 8u}) {
        Buffer<int> bins(width * bins_per_block);
        launch("histogram", {.grid = 16, .block = 128, .dynamic_shared = 4 * bins_per_block, .cluster = width}, in,
               static_cast<int>(count), bins, static_cast<int>(bins_per_block));
        std::vector<int> expected(width * bins_per_block);
        for (const unsigned value : values) ++expected[value % expected.size()];
        EXPECT_EQ(bins.values(), expected) << width;
    }
}

TEST_P(Clusters, AddressesInTheWindow) {
    Buffer<unsigned> out(8 * 8);
    launch("window", {8, 32}, out);
    const auto found = out.values();
    for (unsigned block = 0; block < 8; ++block) {
        const unsigned other = block ^ 1;
        EXPECT_EQ(found[8 * block], 100 * other + 1);
        EXPECT_EQ(found[8 * block + 1], other % 4);
        EXPECT_EQ(found[8 * block + 2], block % 4);
        EXPECT_EQ(found[8 * block + 3], 1u);
        EXPECT_EQ(found[8 * block + 4], 100 * block + 7 * 32);
        EXPECT_EQ(found[8 * block + 5], 5000u);
    }
}

TEST_P(Clusters, AnMbarrierOfAnotherBlock) {
    const auto values = Random(73).integers(12 * 32, -1000, 1000);
    Buffer<int> in(values), out(values.size());
    launch("signal", {12, 32}, in, out);
    std::vector<int> expected(values.size());
    for (std::size_t n = 0; n < values.size(); ++n) expected[n / 128 * 128 + 127 - n % 128] = 3 * values[n];
    EXPECT_EQ(out.values(), expected);
}

TEST_P(Clusters, AsynchronousStores) {
    Buffer<int> out(6 * 32);
    launch("asynchronous", {6, 32}, out);
    std::vector<int> expected(6 * 32);
    for (int n = 0; n < 6 * 32; ++n) expected[static_cast<std::size_t>(n)] = (n ^ 32) + 10000 * (1000 + 31 * 16);
    EXPECT_EQ(out.values(), expected);
}

}  // namespace
