// Additions whose result is not read may be delayed (DelayedSums), which cannot be observed.
#include <thread>

#include "exec/delayed_sums.hpp"
#include "exec/exec_test.hpp"

namespace exec_test {
namespace {

class Sums : public testing::Test {
protected:
    Device device{Device::file("sums.ptx")};

    /// All values in one bin, in few and in more than are delayed at a time.
    void expect_bins(unsigned bins, bool is_private, unsigned launches = 1) {
        const unsigned n = 20'011;
        std::vector<unsigned> values(n), narrow(bins);
        std::vector<unsigned long long> wide(bins);
        for (unsigned i = 0; i < n; ++i) {
            values[i] = (i ^ i >> 5) * 2654435761u;
            narrow[values[i] % bins] += launches * values[i];
            wide[values[i] % bins] += 2 * launches * (values[i] * 0x100000001ull);
        }
        Buffer<unsigned> in(device.memory, values);
        for (const unsigned threads : {1u, 2u, 5u}) {
            Buffer<unsigned> a(device.memory, bins);
            Buffer<unsigned long long> b(device.memory, bins);
            if (!is_private) device.memory.add({a.address(), bins * sizeof(unsigned), false, false});
            const auto launch = [&] {
                const Shape shape{(n + 149) / 150, 150, 0, threads};
                for (const std::uintptr_t to : {a.address(), std::uintptr_t{0}})
                    EXPECT_TRUE(succeeds(device.run("bins", shape, Arguments(in, to, b, bins, static_cast<int>(n)))));
            };
            std::vector<std::thread> others;
            for (unsigned other = 1; other < launches; ++other) others.emplace_back(launch);
            launch();
            for (std::thread& other : others) other.join();
            EXPECT_EQ(a.values(), narrow) << bins << " bins, " << threads << " threads";
            EXPECT_EQ(b.values(), wide) << bins << " bins, " << threads << " threads";
        }
    }
};

TEST_F(Sums, ReachTheirBins) {
    for (const unsigned bins : {1u, 2u, 256u, 700u, 15'000u})
        for (const bool is_private : {true, false}) expect_bins(bins, is_private);
}

TEST_F(Sums, OfLaunchesAtOnce) {
    for (const unsigned bins : {1u, 300u}) expect_bins(bins, true, 3);
}

TEST_F(Sums, AreThereForLoadsAndStores) {
    const unsigned blocks = 300;
    for (const unsigned threads : {1u, 3u}) {
        Buffer<unsigned> counts(device.memory, blocks + 1), seen(device.memory, blocks);
        EXPECT_TRUE(succeeds(device.run("in_turn", {blocks, 70, 0, threads}, Arguments(counts, seen))));
        EXPECT_EQ(seen.values(), std::vector<unsigned>(blocks, 70));
        std::vector<unsigned> expected(blocks, 1000 + 2 * 70);
        expected.push_back(2 * 70 * blocks);
        EXPECT_EQ(counts.values(), expected);
    }
}

TEST_F(Sums, OfAWarpInSeveralPlaces) {
    const unsigned blocks = 90, block = 240;  // each place gets ten additions of each block
    for (const unsigned threads : {1u, 3u}) {
        Buffer<unsigned> a(device.memory, 4), b(device.memory, 4), out(device.memory, 8);
        EXPECT_TRUE(succeeds(device.run("three_places", {blocks, block, 0, threads}, Arguments(a, b, out))));
        EXPECT_EQ(a.values(), std::vector<unsigned>(4, block / 12 * blocks));
        EXPECT_EQ(b.values(), std::vector<unsigned>(4, block / 12 * blocks));
        EXPECT_EQ(out.values(), (std::vector<unsigned>{block / 12 * blocks, block / 12 * blocks, block / 12 * blocks,
                                                       block / 12 * blocks, 0, 0, 0, 0}));
    }
}

TEST_F(Sums, BeyondTheEndAreFaults) {
    Buffer<unsigned> counts(device.memory, 10'000);
    EXPECT_TRUE(succeeds(device.run("beyond", {100, 100}, Arguments(counts, 9'999))));
    const auto fault = device.run("beyond", {100, 100}, Arguments(counts, 10'000));
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->code, CUDA_ERROR_ILLEGAL_ADDRESS);
    EXPECT_EQ(fault->address, counts.address() + 4 * 10'000);
}

TEST_F(Sums, AreVisibleToReadersOfAFlag) {
    for (int time = 0; time < 50; ++time) {
        Buffer<unsigned> counts(device.memory, 64), flag(device.memory, 1), seen(device.memory, 64);
        EXPECT_TRUE(succeeds(device.run("publish", {2, 64, 0, 2}, Arguments(counts, flag, seen))));
        EXPECT_EQ(seen.values(), std::vector<unsigned>(64, 5));
    }
}

TEST(DelayedSums, AreNotAddedToFreedMemory) {
    Memory memory;
    std::vector<std::uint32_t> kept(4, 1), freed(4, 1);
    const auto address = [](std::vector<std::uint32_t>& v) { return reinterpret_cast<std::uintptr_t>(v.data()); };
    memory.add({address(kept), 16, false, true});
    memory.add({address(freed), 16, false, true});
    const auto sums = std::make_unique<DelayedSums>(memory, QueuedAt{});
    sums->bytes = 4;
    sums->range_count = 2;
    take_cell(*sums, sums->cells[0], address(kept) + 4);
    take_cell(*sums, sums->cells[1], address(freed) + 4);
    sums->cells[0].sum = sums->cells[1].sum = 10;
    memory.remove(address(freed));
    end_delaying(*sums);
    EXPECT_EQ(kept, (std::vector<std::uint32_t>{1, 11, 1, 1}));
    EXPECT_EQ(freed, std::vector<std::uint32_t>(4, 1));
    EXPECT_EQ(sums->range_count, 0u);
}

}  // namespace
}  // namespace exec_test
