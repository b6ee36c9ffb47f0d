// Threads that help with launches go where they are needed most.
#include "exec/running/pool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <thread>

namespace {

using namespace cpu::exec;

constexpr unsigned helpers = 3;

/// False if that does not become true within a long time.
template <class Condition>
bool comes_true(Condition condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!condition() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    return condition();
}

/// Work of many pieces on the pool, which runs until it is told to stop.
class Endless {
public:
    explicit Endless(int priority)
        : thread_([this, priority] {
              const SharedWork shared([this] { work(); }, helpers, priority);
              work();
          }) {}
    ~Endless() {
        ended_ = true;
        thread_.join();
    }
    bool has(unsigned threads) {
        return comes_true([&] { return working_ == threads; });
    }

private:
    void work() {
        ++working_;
        while (!ended_ && !wanted_elsewhere()) std::this_thread::yield();
        --working_;
    }
    std::atomic<unsigned> working_{0};
    std::atomic<bool> ended_{false};
    std::thread thread_;
};

TEST(Pool, HelpersGoToTheMoreUrgentWorkAndComeBack) {
    Endless low(0);
    EXPECT_TRUE(low.has(1 + helpers));
    {
        Endless high(-5);
        EXPECT_TRUE(high.has(1 + helpers));
        EXPECT_TRUE(low.has(1));  // the thread that launched it stays
    }
    EXPECT_TRUE(low.has(1 + helpers));
}

TEST(Pool, HelpersStayWhereWorkIsAsUrgent) {
    Endless first(-2);
    EXPECT_TRUE(first.has(1 + helpers));
    const Endless alike(-2), lower(0);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_TRUE(first.has(1 + helpers));
}

TEST(Pool, WorkMayBeLeftWhileHelpersGoOn) {
    std::atomic<bool> go_on{false};
    std::atomic<unsigned> begun{0}, done{0};
    SharedWork shared(
        [&] {
            ++begun;
            while (!go_on) std::this_thread::yield();
            ++done;
        },
        helpers);
    EXPECT_TRUE(comes_true([&] { return begun == helpers; }));
    EXPECT_FALSE(shared.finish(Time::clock::now() + std::chrono::milliseconds(5)));
    go_on = true;
    EXPECT_TRUE(std::async([&] { return shared.finish(); }).get());  // another thread waits for them
    EXPECT_EQ(done, helpers);
}

TEST(Pool, ThreadsThatAreNotHelpersAreNeededNowhereElse) {
    Endless high(-5);
    EXPECT_FALSE(wanted_elsewhere());
}

}  // namespace
