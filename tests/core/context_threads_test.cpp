// Contexts that end while other threads use them.
#include <atomic>
#include <chrono>
#include <thread>

#include "driver_table.hpp"
#include "pycuda/context.hpp"
#include "pycuda/device_memory.hpp"
#include "support.hpp"

namespace pycuda::test {
namespace {

using ContextThreadsTest = ContextTest;

/// What is done in `Scope`, made of the context as `argument` takes it, is over before the context ends elsewhere.
template <class Scope, class Argument>
void expect_detach_to_wait(Argument argument) {
    const CUcontext before = Context::current_handle_or_null();
    const auto victim = Device(0).make_context();
    std::thread other;
    {
        const Scope scope(argument(victim));
        other = std::thread([&] { victim->detach(); });
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        EXPECT_TRUE(victim->is_valid());
        EXPECT_NO_THROW(DeviceAllocation(64).free());
    }
    other.join();
    EXPECT_FALSE(victim->is_valid());
    if (Context::current_handle_or_null() != before) Context::pop();
}

TEST_F(ContextThreadsTest, MayBeUsedAndDestroyedByAnotherThread) {
    Context::pop();
    auto memory = std::make_unique<DeviceAllocation>([&] {
        const ContextScope scope(*context);
        return DeviceAllocation(64);
    }());
    std::thread([&, taken = std::move(context)]() mutable {
        taken->push();
        EXPECT_EQ(memory->context(), Context::current());
        memory.reset();
        Context::pop();
        taken.reset();
        EXPECT_EQ(live_handles("context"), 0);
    }).join();
}

TEST_F(ContextThreadsTest, ThreadsThatEndDoNotKeepContextsForEver) {
    std::weak_ptr<Context> left;
    std::thread([&] { left = Device(0).make_context(); }).join();  // never popped
    EXPECT_FALSE(left.expired());
    Device(0).make_context()->detach();
    EXPECT_TRUE(left.expired());
}

TEST_F(ContextThreadsTest, DetachRacesWithCleanUp) {
    testing::internal::CaptureStderr();
    for (int round = 0; round < 20; ++round) {
        const auto victim = Device(0).make_context();
        std::vector<DeviceAllocation> memory;
        for (int n = 0; n < 50; ++n) memory.emplace_back(64);
        std::thread cleaner([&] { memory.clear(); });
        while (live_handles("device allocation") > 40) std::this_thread::yield();  // the cleaner is at work
        victim->detach();
        cleaner.join();
    }
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(ContextThreadsTest, DetachRacesWithRetainOfThePrimaryContext) {
    CUcontext kept = nullptr;
    driver().cuDevicePrimaryCtxRetain(&kept, 0);  // to make and to end it each time would take most of the time
    std::atomic<bool> started{false}, stop{false};
    std::thread retainer([&] {
        while (!stop) {
            const auto primary = Device(0).retain_primary_context();
            started = true;
            if (primary->is_valid()) continue;
            // Only another's detach may have ended it, after it was found: the next one is valid, or ended likewise.
            EXPECT_NE(Device(0).retain_primary_context(), primary);
        }
    });
    while (!started) std::this_thread::yield();
    for (int round = 0; round < 20'000; ++round) {
        const auto primary = Device(0).retain_primary_context();
        try {
            primary->detach();
        } catch (const LogicError&) {
        }
    }
    stop = true;
    retainer.join();
    driver().cuDevicePrimaryCtxRelease(0);
}

TEST_F(ContextThreadsTest, ManyThreadsAdoptOneContext) {
    CUcontext foreign = nullptr;
    driver().cuCtxCreate(&foreign, 0, 0);
    for (int round = 0; round < 100; ++round) {
        std::vector<std::thread> threads;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([&] {
                driver().cuCtxPushCurrent(foreign);
                CUcontext popped = nullptr;
                const auto adopted = Context::current();
                EXPECT_EQ(adopted->handle(), foreign);
                EXPECT_NO_THROW(ContextScope scope(*adopted));
                DeviceAllocation(64).free();
                driver().cuCtxPopCurrent(&popped);
            });
        for (std::thread& thread : threads) thread.join();
    }
    driver().cuCtxDestroy(foreign);
}

TEST_F(ContextThreadsTest, DetachWaitsForWhoeverHoldsTheContext) {
    expect_detach_to_wait<ContextHold>([](const auto& victim) { return victim; });
    const auto ended = Device(0).make_context();
    ended->detach();
    EXPECT_THROW(ContextHold{ended}, LogicError);
}

TEST_F(ContextThreadsTest, DetachWaitsForCleanUp) {
    expect_detach_to_wait<CleanupScope>([](const auto& victim) -> Context& { return *victim; });
}

}  // namespace
}  // namespace pycuda::test
