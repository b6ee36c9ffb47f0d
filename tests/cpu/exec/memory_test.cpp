#include "exec/running/memory.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

using cpu::exec::Memory;

TEST(EndKernels, ConcernsThoseThatRun) {
    Memory memory;
    memory.end_kernels("nothing runs");
    memory.kernel_begins();
    EXPECT_EQ(nullptr, memory.why_to_end());
    memory.end_kernels("a reason");
    EXPECT_STREQ("a reason", memory.why_to_end());
    memory.kernel_begins();
    memory.kernel_ends();
    EXPECT_STREQ("a reason", memory.why_to_end());  // the first one still runs
    memory.kernel_ends();
    memory.kernel_begins();
    EXPECT_EQ(nullptr, memory.why_to_end());
    memory.kernel_ends();
}

/// However the threads interleave, a kernel that was told to end notices it, and the next kernel does not.
TEST(EndKernels, IsNotLostWhileAKernelBegins) {
    Memory memory;
    std::atomic<int> round{0}, asked{0};
    constexpr int rounds = 20000;
    std::thread asks([&] {
        for (int n = 1; n <= rounds; ++n) {
            while (round.load() < n) {
            }
            while (!memory.why_to_end()) memory.end_kernels("a reason");
            asked = n;
        }
    });
    int lost = 0;
    for (int n = 1; n <= rounds; ++n) {
        round = n;
        memory.kernel_begins();
        while (asked.load() < n) {
        }
        lost += memory.why_to_end() == nullptr;
        memory.kernel_ends();
    }
    asks.join();
    EXPECT_EQ(0, lost);
}
