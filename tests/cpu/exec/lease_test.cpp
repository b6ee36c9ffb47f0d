// What a pool has lent, as work sees it that was queued at different times.
#include <gtest/gtest.h>

#include <optional>
#include <thread>

#include "exec/running/lease.hpp"

namespace cpu::exec {
namespace {

using Ending = Lease::Ending;

TEST(Lease, NothingIsLentAtFirst) {
    const Lease lease;
    EXPECT_FALSE(lease.is_lent());
    EXPECT_EQ(0u, lease.limit(QueuedAt::now()));
}

TEST(Lease, WorkSeesWhatIsLent) {
    Lease lease;
    lease.begin(100);
    EXPECT_EQ(100u, lease.limit(QueuedAt::now()));
    lease.end(Ending::Unreachable);
    EXPECT_EQ(0u, lease.limit(QueuedAt::now()));
    EXPECT_EQ(100u, lease.former_limit());
    lease.begin(0);
    EXPECT_TRUE(lease.is_lent());
    EXPECT_EQ(0u, lease.limit(QueuedAt::now()));
}

TEST(Lease, PendingWorkSeesWhatWasLentWhenItWasQueued) {
    Lease lease;
    lease.begin(100);
    const QueuedWork first;
    lease.end(Ending::Unreachable);
    EXPECT_EQ(100u, lease.limit(first.at));
    lease.begin(80);
    EXPECT_EQ(100u, lease.limit(first.at));
    const QueuedWork second;
    EXPECT_EQ(80u, lease.limit(second.at));
    lease.end(Ending::Unreachable);
    EXPECT_EQ(100u, lease.limit(first.at));
    EXPECT_LE(80u, lease.limit(second.at));
    EXPECT_EQ(0u, lease.limit(QueuedAt::now()));
}

TEST(Lease, WorkSeesWhatIsLentLater) {
    Lease lease;
    const QueuedWork waiting;
    lease.begin(100);
    EXPECT_EQ(100u, lease.limit(waiting.at));
    lease.end(Ending::Unreachable);
    EXPECT_EQ(100u, lease.limit(waiting.at));
}

TEST(Lease, WhatWasLentBeforeIsForgottenWhenNoWorkIsPending) {
    Lease lease;
    lease.begin(100);
    std::optional<QueuedWork> work(std::in_place);
    lease.end(Ending::Unreachable);
    work.reset();
    lease.begin(80);
    const QueuedWork second;
    lease.end(Ending::Unreachable);
    EXPECT_LE(80u, lease.limit(second.at));
    EXPECT_EQ(0u, lease.limit(QueuedAt::now()));
}

TEST(Lease, TheSizeGrowsIfTheFormerLeaseHasNotEnded) {
    Lease lease;
    lease.begin(100);
    lease.begin(80);
    EXPECT_EQ(100u, lease.limit(QueuedAt::now()));
    lease.begin(120);
    EXPECT_EQ(120u, lease.limit(QueuedAt::now()));
}

TEST(Lease, AnotherThreadMayBeInsideACallWhenMemoryIsFreed) {
    Lease lease;
    lease.begin(100);
    std::size_t others = 0, unreachable = 1;
    const auto on_another_thread = [&](std::size_t& limit) {
        std::thread([&] { limit = lease.limit(QueuedAt::now()); }).join();
    };
    lease.end(Ending::Freed);
    EXPECT_EQ(0u, lease.limit(QueuedAt::now()));
    on_another_thread(others);
    EXPECT_EQ(100u, others);
    lease.reset();
    lease.begin(100);
    lease.end(Ending::Unreachable);
    on_another_thread(unreachable);
    EXPECT_EQ(0u, unreachable);
}

}  // namespace
}  // namespace cpu::exec
