// Contexts that end while other threads use them.
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

#include "driver/driver_table.hpp"
#include "pycuda/contexts/context.hpp"
#include "pycuda/kernels/function.hpp"
#include "pycuda/memory/device_memory.hpp"
#include "pycuda/memory/memcpy.hpp"
#include "pycuda/memory/staging.hpp"
#include "pycuda/modules/module.hpp"
#include "pycuda/streams/event.hpp"
#include "pycuda/streams/stream.hpp"
#include "support.hpp"
#include "test_kernels.hpp"

namespace pycuda::test {
namespace {

using ContextThreadsTest = ContextTest;

/// Work inside a `Scope`, constructed from the context through `argument`, is over before another thread can end the
/// context.
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
    driver().cuDevicePrimaryCtxRetain(&kept, 0);  // creating and ending it each time would take most of the time
    std::atomic<bool> started{false}, stop{false};
    std::thread retainer([&] {
        while (!stop) {
            const auto primary = Device(0).retain_primary_context();
            started = true;
            if (primary->is_valid()) continue;
            // Only another thread's detach can have ended it after it was found: the next one is valid, or ended the
            // same way.
            EXPECT_NE(Device(0).retain_primary_context(), primary);
        }
    });
    while (!started) std::this_thread::yield();
    // A GPU's driver takes milliseconds for each, beside other processes.
    const auto enough = std::chrono::steady_clock::now() + std::chrono::seconds(15);
    for (int round = 0; round < 20'000 && std::chrono::steady_clock::now() < enough; ++round) {
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

TEST_F(ContextThreadsTest, DetachWaitsForUsersOfTheContext) {
    expect_detach_to_wait<ContextHold>([](const auto& victim) { return victim; });
    const auto ended = Device(0).make_context();
    ended->detach();
    EXPECT_THROW(ContextHold{ended}, LogicError);
}

TEST_F(ContextThreadsTest, DetachWaitsForCleanUp) {
    expect_detach_to_wait<CleanupScope>([](const auto& victim) -> Context& { return *victim; });
}

void add_to_itself(const Function& add, const Stream& stream, DevicePtr memory) {
    const struct {
        DevicePtr a, b, c;
        unsigned n;
    } arguments{memory, memory, memory, 1000};
    constexpr std::size_t nbytes = 3 * sizeof(DevicePtr) + sizeof(unsigned);  // without what pads the struct
    const auto queue = stream.use();
    LaunchConfig config;
    config.grid[0] = 8;
    config.block[0] = 128;
    config.stream = queue;
    add.launch(config, &arguments, nbytes);
}

/// Calls of all kinds in `context`, until one is refused.
void work_until_refused(const std::shared_ptr<Context>& context, const Function& add, const DeviceAllocation& memory,
                        const Stream& stream, std::atomic<int>& rounds) {
    try {
        context->push();
        const auto host = std::make_shared<std::vector<float>>(1000);
        for (;; ++rounds) {
            memcpy_htod(memory.pointer(), host->data(), 4000);
            add_to_itself(add, stream, memory.pointer());
            staged_htod(memory.pointer(), host->data(), 4000, stream);
            staged_dtoh(host->data(), 4000, memory.pointer(), stream, host);
            stream.synchronize();
            Event event;
            event.record(&stream);
            event.synchronize();
            DeviceAllocation(4000).free();
            memcpy_dtoh(host->data(), 4000, memory.pointer());
            Context::synchronize();
        }
    } catch (const Error&) {
    }
}

TEST_F(ContextThreadsTest, DetachDuringCallsOfOthersIsAnErrorAtWorst) {
    if (!driver_info().is_cpu_device) GTEST_SKIP() << "CUDA leaves it undefined";
    for (int round = 0; round < 20; ++round) {
        const auto victim = Device(0).make_context();
        {
            const Function add = Module::from_buffer(kernels, std::strlen(kernels))->get_function("add");
            const DeviceAllocation memory(4000);
            const Stream stream;
            std::atomic<int> rounds{0};
            std::vector<std::thread> threads;
            for (int t = 0; t < 4; ++t)
                threads.emplace_back([&] { work_until_refused(victim, add, memory, stream, rounds); });
            while (rounds < 8) std::this_thread::yield();
            victim->detach();
            for (std::thread& thread : threads) thread.join();
        }
    }
}

}  // namespace
}  // namespace pycuda::test
