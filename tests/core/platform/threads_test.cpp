// Threads: which is the first, and stacks of a given size.
#include "platform/threads.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "platform/pages.hpp"
#include "platform/process_barrier.hpp"

namespace pycuda::test {
namespace {

TEST(ThreadsOfTheProcess, OneIsTheFirst) {
    EXPECT_TRUE(is_first_thread_of_process());
    std::uint64_t other = 0;
    bool is_first = true;
    std::thread([&] {
        is_first = is_first_thread_of_process();
        other = number_of_this_thread();
    }).join();
    EXPECT_FALSE(is_first);
    EXPECT_NE(other, number_of_this_thread());
}

/// Uses about 4 KiB of stack for each step.
int descend(int steps) {
    volatile char frame[4096];
    frame[0] = static_cast<char>(steps);
    return steps == 0 ? frame[0] : descend(steps - 1) + (frame[0] == static_cast<char>(steps));
}

TEST(ThreadsOfTheProcess, AStackIsAsLargeAsAsked) {
    constexpr int steps = 12000;  // 48 MiB
    int answer = 0;
    run_on_stack(std::size_t{64} << 20, [](void* found) { *static_cast<int*>(found) = descend(steps); }, &answer);
    EXPECT_EQ(answer, steps);
}

TEST(ProcessBarrier, AnswersWhetherThereIsOne) {
    if (!prepare_process_barrier()) GTEST_SKIP() << "this system has none";
    process_barrier();
}

TEST(Pages, AreZeroed) {
    constexpr std::size_t size = 1 << 18;
    const auto* const pages = static_cast<const unsigned char*>(take_pages(size));
    ASSERT_TRUE(pages);
    EXPECT_TRUE(std::all_of(pages, pages + size, [](unsigned char byte) { return byte == 0; }));
}

}  // namespace
}  // namespace pycuda::test
