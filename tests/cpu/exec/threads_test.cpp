// A launch on several threads gives the same results as on one.
#include <algorithm>
#include <atomic>
#include <numeric>
#include <sstream>
#include <thread>

#include "exec/exec_test.hpp"
#include "exec/running/block_queue.hpp"

namespace exec_test {
namespace {

constexpr unsigned thread_counts[] = {1, 2, 3, 8};

class Threads : public testing::Test {
protected:
    Device device{Device::file("threads.ptx")};

    /// Runs `launch(threads)`, which returns its results, several times on each number of threads.
    template <class Result, class F>
    static void expect_always(const Result& expected, F launch) {
        for (const unsigned threads : thread_counts)
            for (int time = 0; time < 5; ++time) EXPECT_EQ(launch(threads), expected) << threads << " threads";
    }
};

TEST_F(Threads, TheLastBlockSeesAllOthers) {
    std::vector<float> values(100 * 64);
    for (std::size_t n = 0; n < values.size(); ++n) values[n] = static_cast<float>(n % 100);
    Buffer<float> in(device.memory, values);
    const float sum = 64 * 99 * 50;  // integers: exact in any order
    expect_always(sum, [&](unsigned threads) {
        Buffer<float> partial(device.memory, 100), out(device.memory, 1);
        EXPECT_TRUE(succeeds(device.run("last_block_sum", {100, 64, 0, threads}, Arguments(in, partial, out))));
        return out[0];
    });
}

TEST_F(Threads, BlocksLookBack) {
    std::vector<int> values(200 * 32), sums(values.size());
    for (std::size_t n = 0; n < values.size(); ++n) values[n] = static_cast<int>(n * 37 % 101) - 40;
    std::partial_sum(values.begin(), values.end(), sums.begin());
    Buffer<int> in(device.memory, values);
    expect_always(sums, [&](unsigned threads) {
        Buffer<int> out(device.memory, values.size()), state(device.memory, 200), value(device.memory, 400);
        EXPECT_TRUE(succeeds(device.run("look_back_scan", {200, 32, 0, threads}, Arguments(in, out, state, value))));
        return out.values();
    });
}

TEST_F(Threads, ListsOnTheHeap) {
    std::vector<int> expected(60);
    for (int block = 0; block < 60; ++block)
        expected[static_cast<std::size_t>(block)] = block * 1000 * 96 + 95 * 96 / 2;
    expect_always(expected, [&](unsigned threads) {
        Buffer<int> out(device.memory, 60);
        EXPECT_TRUE(succeeds(device.run("lists", {60, 96, 0, threads}, Arguments(out))));
        return out.values();
    });
}

TEST_F(Threads, LinesOfABlockStayInOrder) {
    for (const unsigned threads : thread_counts) {
        testing::internal::CaptureStdout();
        const auto fault = device.run("lines", {50, 64, 0, threads}, Arguments());
        std::istringstream text(testing::internal::GetCapturedStdout());
        EXPECT_TRUE(succeeds(fault));
        std::vector<std::vector<std::pair<int, int>>> seen(50);
        for (std::string line; std::getline(text, line);) {
            int block = 0, number = 0, thread = 0;
            char end = 0;
            ASSERT_EQ(std::sscanf(line.c_str(), "block %d line %d thread %d%c", &block, &number, &thread, &end), 3)
                << line;
            ASSERT_LT(static_cast<unsigned>(block), seen.size());
            seen[static_cast<std::size_t>(block)].emplace_back(number, thread);
        }
        for (const auto& block : seen) {  // a warp's lanes print together: threads 0 and 20, then 40 and 60
            std::vector<std::pair<int, int>> low, high;
            std::ranges::copy_if(block, std::back_inserter(low), [](const auto& p) { return p.second < 32; });
            std::ranges::copy_if(block, std::back_inserter(high), [](const auto& p) { return p.second >= 32; });
            EXPECT_EQ(low, (std::vector<std::pair<int, int>>{{0, 0}, {0, 20}, {1, 0}, {1, 20}, {2, 0}, {2, 20}}));
            EXPECT_EQ(high, (std::vector<std::pair<int, int>>{{0, 40}, {0, 60}, {1, 40}, {1, 60}, {2, 40}, {2, 60}}));
        }
    }
}

TEST_F(Threads, AtomicsInSharedAndGlobalMemory) {
    std::vector<unsigned char> values(30000);
    for (std::size_t n = 0; n < values.size(); ++n) values[n] = static_cast<unsigned char>(n * n % 251);
    Buffer<unsigned char> in(device.memory, values);
    std::vector<unsigned> expected(16);
    for (unsigned char v : values) ++expected[v & 15];
    expect_always(expected, [&](unsigned threads) {
        Buffer<unsigned> counts(device.memory, 16);
        Buffer<float> weights(device.memory, 16);
        EXPECT_TRUE(succeeds(device.run("histogram", {40, 128, 0, threads}, Arguments(in, counts, weights, 30000))));
        for (std::size_t n = 0; n < 16; ++n) EXPECT_EQ(weights[n], 0.25f * static_cast<float>(counts[n]));
        return counts.values();
    });
}

TEST_F(Threads, CooperativeRounds) {
    const std::size_t count = 20 * 64;
    std::vector<unsigned> a(count), b(count);
    std::iota(a.begin(), a.end(), 1u);
    const std::vector<unsigned> start = a;
    for (int r = 0; r < 10; ++r, a.swap(b))
        for (std::size_t n = 0; n < count; ++n) b[n] = a[(n + 1) % count] + a[(n + count - 1) % count];
    expect_always(a, [&](unsigned threads) {
        Buffer<unsigned> x(device.memory, start), y(device.memory, count);
        const Shape shape{20, 64, 0, threads, true};
        EXPECT_TRUE(succeeds(device.run("rounds", shape, Arguments(x, y, 10))));
        return x.values();
    });
}

TEST(BlockQueue, GivesEveryBlockToOneThread) {
    for (const unsigned ranges : {1u, 2u, 3u, 7u}) {
        cpu::exec::BlockQueue queue;
        queue.start(1000, ranges);
        std::vector<std::atomic<int>> given(1000);
        std::vector<std::thread> threads;
        for (unsigned n = 0; n < 4; ++n)
            threads.emplace_back([&, n] {
                while (const auto block = queue.take(n)) ++given[*block];
            });
        for (std::thread& thread : threads) thread.join();
        EXPECT_TRUE(std::ranges::all_of(given, [](const auto& times) { return times == 1; })) << ranges;
    }
}

TEST(BlockQueue, AThreadTakesItsOwnRangeFirst) {
    cpu::exec::BlockQueue queue;
    queue.start(7, 2);
    for (const std::uint64_t block : {3, 4, 5, 6, 0, 1, 2}) EXPECT_EQ(queue.take(1), block);
    EXPECT_EQ(queue.take(0), std::nullopt);
    EXPECT_EQ(queue.take(1), std::nullopt);
}

}  // namespace
}  // namespace exec_test
