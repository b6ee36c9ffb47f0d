#include "pycuda/memory/pointer_info.hpp"

#include <atomic>
#include <thread>

#include "driver/driver_table.hpp"
#include "pycuda/memory/host_memory.hpp"
#include "pycuda/pools/memory_pool.hpp"
#include "pycuda/streams/event.hpp"
#include "pycuda/streams/stream.hpp"
#include "support.hpp"

namespace pycuda::test {
namespace {

using PointerInfoTest = ContextTest;

TEST_F(PointerInfoTest, TellsKindsOfMemoryApart) {
    const DeviceAllocation device(64);
    const ManagedAllocation managed(64, MemAttachFlags::GLOBAL);
    const PagelockedHostAllocation host(64, HostAllocFlags::DEVICEMAP);
    const auto of_device = pointer_info(device.pointer() + 8);
    ASSERT_TRUE(of_device);
    EXPECT_FALSE(of_device->on_host || of_device->managed);
    EXPECT_EQ(of_device->device, 0);
    EXPECT_EQ(of_device->context, context->handle());
    EXPECT_EQ(of_device->device_pointer, device.pointer() + 8);
    const auto of_managed = pointer_info(managed.pointer());
    ASSERT_TRUE(of_managed);
    EXPECT_TRUE(of_managed->managed && !of_managed->on_host);
    const auto of_host = pointer_info(reinterpret_cast<std::uint64_t>(host.data()));
    ASSERT_TRUE(of_host);
    EXPECT_TRUE(of_host->on_host && !of_host->managed);
    EXPECT_EQ(of_host->device_pointer, host.get_device_pointer());
    const int unknown = 0;
    EXPECT_FALSE(pointer_info(reinterpret_cast<std::uint64_t>(&unknown)));
}

/// Holds `stream` up, hands `memory` over to another, and looks whether that waits.
void expect_to_wait(DeviceMemory* memory) {
    static std::atomic<bool> open;
    open = false;
    const Stream first(CU_STREAM_NON_BLOCKING), second(CU_STREAM_NON_BLOCKING);
    driver().cuLaunchHostFunc(
        first.handle(),
        [](void*) {
            while (!open) std::this_thread::yield();
        },
        nullptr);
    const CUstream consumer = second.handle();
    hand_over(memory, &consumer);
    Event reached(CU_EVENT_DISABLE_TIMING);
    reached.record(&second);
    EXPECT_FALSE(reached.query());
    open = true;
    reached.synchronize();
}

TEST_F(PointerInfoTest, ConsumersWaitForEveryStream) {
    DeviceAllocation plain(64);
    expect_to_wait(&plain);
    expect_to_wait(nullptr);
    DeviceMemoryPool pool;
    const auto pooled = pool.allocate(64);
    expect_to_wait(pooled.get());
}

TEST_F(PointerInfoTest, TheHostWaitsForTheContext) {
    DeviceAllocation plain(64);
    const Stream stream(CU_STREAM_NON_BLOCKING);
    std::atomic<bool> done{false};
    driver().cuLaunchHostFunc(
        stream.handle(),
        [](void* flag) {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            *static_cast<std::atomic<bool>*>(flag) = true;
        },
        &done);
    hand_over(&plain, nullptr);
    EXPECT_TRUE(done);
}

TEST_F(PointerInfoTest, FreedMemoryIsNotHandedOver) {
    DeviceAllocation plain(64);
    plain.free();
    EXPECT_THROW(hand_over(&plain, nullptr), LogicError);
}

}  // namespace
}  // namespace pycuda::test
