// Contexts in a process of their own: two devices, and the end of the process.
#include <thread>

#include "pycuda/contexts/context.hpp"
#include "pycuda/memory/device_memory.hpp"
#include "pycuda/streams/event.hpp"
#include "pycuda/streams/stream.hpp"
#include "support.hpp"

namespace pycuda::test {
namespace {

TEST(ContextPeers, ReachEachOther) {
    if (!can_inject_faults()) {  // the CPU device has as many devices as requested
        init();
        if (Device::count() < 2 || !Device(0).can_access_peer(Device(1)))
            GTEST_SKIP() << "needs two devices that reach each other";
    }
    EXPECT_FRESH_PROCESS(
        {
            set_environment("PYCUDA_CPU_DEVICES", "2");
            init();
            EXPECT_GE(Device::count(), 2);
            EXPECT_FALSE(Device(0) == Device(1));
            EXPECT_TRUE(Device(0).can_access_peer(Device(1)));
            const auto first = Device(0).make_context();
            const auto second = Device(1).make_context();
            Context::enable_peer_access(*first);
            EXPECT_EQ(code_of<LogicError>([&] { Context::enable_peer_access(*first); }),
                      CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
            Context::disable_peer_access(*first);
            EXPECT_EQ(code_of<LogicError>([&] { Context::disable_peer_access(*first); }),
                      CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
            finish();
        },
        "");
}

TEST(ContextFaults, ScopesWhosePopFailsLeaveNothingCurrent) {
    if (!can_inject_faults()) GTEST_SKIP() << "needs the CPU device's fault injection";
    EXPECT_FRESH_PROCESS(
        {
            set_environment("PYCUDA_CPU_FAULTS", "cuCtxPopCurrent:1:1,cuCtxPopCurrent:3:1");
            init();
            const auto other = Device(0).make_context();
            const auto context = Device(0).make_context();
            {
                const ContextScope scope(*other);
            }
            EXPECT_EQ(Context::current(), context);
            {
                const CleanupScope scope(*other);
                EXPECT_EQ(Context::current(), other);
            }
            EXPECT_EQ(Context::current(), context);
            finish();
        },
        "^$");
}

TEST(ContextAtExit, NothingHappensToWhatIsLeft) {
    // Contexts on the stack, objects in static storage, a thread that is never joined: exit must stay silent and
    // succeed.
    EXPECT_FRESH_PROCESS(
        {
            init();
            static std::shared_ptr<Context> context = Device(0).make_context();
            static DeviceAllocation memory(64);
            static Stream stream;
            static Event event;
            std::thread([] { context->push(); }).join();
            finish();
        },
        "^$");
}

}  // namespace
}  // namespace pycuda::test
