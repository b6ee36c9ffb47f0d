// Copies through staging memory whose driver calls fail.
#include <atomic>
#include <memory>
#include <vector>

#include "gate.hpp"
#include "pycuda/memory/memcpy.hpp"
#include "pycuda/memory/staging.hpp"
#include "pycuda/streams/stream.hpp"
#include "support.hpp"

namespace pycuda::test {
namespace {

TEST(StagingFaults, AFailureHalfWayLeavesTheDestinationAlone) {
    if (!can_inject_faults()) GTEST_SKIP() << "needs the CPU device's fault injection";
    EXPECT_FRESH_PROCESS(
        {
            set_environment("PYCUDA_CPU_FAULTS", "cuLaunchHostFunc:3:1");
            init();
            const auto context = Device(0).make_context();
            const Stream stream;
            constexpr std::size_t nbytes = 6 << 20;  // two pieces
            DeviceAllocation memory(nbytes);
            memset_d8(memory.pointer(), 1, nbytes);
            std::vector<char> received(nbytes);
            Gate gate;
            gate.hold(stream);
            EXPECT_THROW(staged_dtoh(received.data(), nbytes, memory.pointer(), stream, nullptr), LogicError);
            gate.open = true;
            stream.synchronize();
            EXPECT_TRUE(received == std::vector<char>(nbytes));
            finish();
        },
        "");
}

TEST(StagingFaults, AfterAFaultNothingIsWrittenToWhatIsReleased) {
    if (!can_inject_faults()) GTEST_SKIP() << "needs the CPU device's fault injection";
    EXPECT_FRESH_PROCESS(
        {
            set_environment("PYCUDA_CPU_FAULTS", "cuEventQuery:1:719");
            init();
            const auto context = Device(0).make_context();
            const Stream stream;
            DeviceAllocation memory(4);
            memset_d8(memory.pointer(), 1, 4);
            int received = 0;
            std::atomic<bool> released{false};
            Gate gate;
            gate.hold(stream);
            staged_dtoh(&received, 4, memory.pointer(), stream,
                        std::shared_ptr<void>(&received, [&](void*) { released = true; }));
            EXPECT_TRUE(soon([&] { return released.load(); }));
            gate.open = true;
            stream.synchronize();
            EXPECT_EQ(received, 0);
            finish();
        },
        "");
}

TEST(StagingFaults, FailureLeavesThePoolUsable) {
    if (!can_inject_faults()) GTEST_SKIP() << "needs the CPU device's fault injection";
    EXPECT_FRESH_PROCESS(
        {
            set_environment("PYCUDA_CPU_FAULTS", "cuMemHostAlloc:1:2,cuLaunchHostFunc:1:1");
            init();
            const auto context = Device(0).make_context();
            const Stream stream;
            DeviceAllocation memory(4);
            const int sent = 7;
            int received = 0;
            EXPECT_HAS(message_of<MemoryError>([&] { staged_htod(memory.pointer(), &sent, 4, stream); }),
                       "to stage a copy");
            staged_htod(memory.pointer(), &sent, 4, stream);
            EXPECT_HAS(message_of<LogicError>([&] { staged_dtoh(&received, 4, memory.pointer(), stream, nullptr); }),
                       "cuLaunchHostFunc failed: ");
            stream.synchronize();
            EXPECT_EQ(received, 0);
            staged_dtoh(&received, 4, memory.pointer(), stream, nullptr);
            stream.synchronize();
            EXPECT_EQ(received, 7);
            finish();
        },
        "");
}

}  // namespace
}  // namespace pycuda::test
