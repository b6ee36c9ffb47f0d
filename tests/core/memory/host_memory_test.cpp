#include "pycuda/memory/host_memory.hpp"

#include <cstring>
#include <vector>

#include "pycuda/memory/memcpy.hpp"
#include "pycuda/streams/stream.hpp"
#include "support.hpp"

namespace pycuda::test {
namespace {

using HostMemoryTest = ContextTest;

bool has_mapped_memory() {
    return Device(0).get_attribute(DeviceAttribute::CAN_MAP_HOST_MEMORY) != 0;
}

TEST_F(HostMemoryTest, PagelockedMemoryIsCopiedFromAndTo) {
    PagelockedHostAllocation host(64);
    EXPECT_EQ(host.size(), 64u);
    std::memset(host.data(), 7, 64);
    DeviceAllocation device(64);
    memcpy_htod_async(device.pointer(), host.data(), 64);
    std::vector<unsigned char> back(64);
    memcpy_dtoh(back.data(), back.size(), device.pointer());
    EXPECT_EQ(back, std::vector<unsigned char>(64, 7));
    EXPECT_EQ(live_handles("page-locked allocation"), 1);
    host.free();
    EXPECT_EQ(live_handles("page-locked allocation"), 0);
    EXPECT_EQ(message_of<LogicError>([&] { host.free(); }), "page-locked allocation was freed");
    EXPECT_THROW(static_cast<void>(host.data()), LogicError);
    EXPECT_THROW(static_cast<void>(host.get_device_pointer()), LogicError);
    host.close();
}

TEST_F(HostMemoryTest, FlagsAreAsRequested) {
    const unsigned flags =
        static_cast<unsigned>(HostAllocFlags::PORTABLE) | static_cast<unsigned>(HostAllocFlags::DEVICEMAP);
    EXPECT_EQ(PagelockedHostAllocation(64, flags).get_flags() & flags, flags);
    EXPECT_THROW(PagelockedHostAllocation(64, 0x1000), LogicError);
}

TEST_F(HostMemoryTest, MappedMemoryHasADeviceAddress) {
    if (!has_mapped_memory()) GTEST_SKIP() << "the device maps no host memory";
    PagelockedHostAllocation host(64, static_cast<unsigned>(HostAllocFlags::DEVICEMAP));
    memset_d8(host.get_device_pointer(), 9, 64);
    Context::synchronize();
    EXPECT_EQ(static_cast<unsigned char*>(host.data())[63], 9);
}

TEST_F(HostMemoryTest, NoBytesAreSomeMemory) {
    EXPECT_NE(PagelockedHostAllocation(0).data(), nullptr);
    EXPECT_NE(AlignedHostAllocation(0).data(), nullptr);
    EXPECT_EQ(AlignedHostAllocation(0).size(), 0u);
}

TEST_F(HostMemoryTest, TooMuchIsAMemoryErrorThatNamesTheBytes) {
    EXPECT_HAS(message_of<MemoryError>([] { PagelockedHostAllocation host(too_much); }),
               "asked for 1152921504606846976 bytes of page-locked memory");
    EXPECT_THROW(AlignedHostAllocation(~std::size_t{0}), std::bad_alloc);
    EXPECT_THROW(AlignedHostAllocation(~std::size_t{0} - 4096), std::bad_alloc);
}

TEST_F(HostMemoryTest, AlignedMemoryIsAligned) {
    for (std::size_t alignment : {1ul, 2ul, 64ul, 4096ul, 65536ul}) {
        AlignedHostAllocation host(100, alignment);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(host.data()) % alignment, 0u);
        std::memset(host.data(), 1, 100);
    }
    for (std::size_t wrong : {0ul, 3ul, 4097ul}) EXPECT_THROW(AlignedHostAllocation(100, wrong), std::invalid_argument);
    AlignedHostAllocation host(100);
    host.free();
    EXPECT_EQ(message_of<LogicError>([&] { host.free(); }), "aligned allocation was freed");
    EXPECT_THROW(static_cast<void>(host.data()), LogicError);
}

TEST_F(HostMemoryTest, AlignedMemoryIsNotMapped) {
    const AlignedHostAllocation host(4096);
    EXPECT_THROW(static_cast<void>(host.get_device_pointer()), LogicError);
}

TEST_F(HostMemoryTest, RegisteredMemoryIsPageLockedWhileItIs) {
    AlignedHostAllocation host(8192);
    {
        RegisteredHostMemory registered(host.data(), host.size(),
                                        static_cast<unsigned>(MemHostRegisterFlags::DEVICEMAP));
        EXPECT_EQ(registered.data(), host.data());
        EXPECT_EQ(registered.size(), 8192u);
        if (has_mapped_memory()) {
            memset_d8(registered.get_device_pointer(), 3, 8192);
            Context::synchronize();
            EXPECT_EQ(static_cast<unsigned char*>(host.data())[8191], 3);
        }
        EXPECT_THROW(RegisteredHostMemory(host.data(), host.size()), LogicError) << "once";
        registered.unregister();
        EXPECT_THROW(registered.unregister(), LogicError);
    }
    RegisteredHostMemory again(host.data(), host.size());
    EXPECT_THROW(RegisteredHostMemory(nullptr, 16), std::invalid_argument);
}

TEST_F(HostMemoryTest, ManagedMemoryIsOneAddressOnBothSides) {
    if (!Device(0).get_attribute(DeviceAttribute::MANAGED_MEMORY)) GTEST_SKIP() << "no managed memory";
    ManagedAllocation memory(64, static_cast<unsigned>(MemAttachFlags::GLOBAL));
    EXPECT_EQ(memory.data(), reinterpret_cast<void*>(memory.get_device_pointer()));
    memset_d8(memory.pointer(), 5, 64);
    Context::synchronize();
    EXPECT_EQ(static_cast<unsigned char*>(memory.data())[0], 5);
    memory.attach(static_cast<unsigned>(MemAttachFlags::GLOBAL));
    const Stream stream;
    memory.attach(static_cast<unsigned>(MemAttachFlags::SINGLE), &stream);
    stream.synchronize();
    memory.free();
    EXPECT_THROW(memory.attach(static_cast<unsigned>(MemAttachFlags::GLOBAL)), LogicError);
    EXPECT_EQ(message_of<LogicError>([&] { memory.free(); }), "managed allocation was freed");
    EXPECT_THROW(ManagedAllocation(64, 0x77), LogicError);
    EXPECT_EQ(ManagedAllocation(0, static_cast<unsigned>(MemAttachFlags::GLOBAL)).size(), 0u);
}

TEST_F(HostMemoryTest, OutlivesItsContext) {
    testing::internal::CaptureStderr();
    {
        PagelockedHostAllocation pagelocked(64);
        AlignedHostAllocation aligned(4096);
        RegisteredHostMemory registered(aligned.data(), aligned.size());
        ManagedAllocation managed(64, static_cast<unsigned>(MemAttachFlags::GLOBAL));
        context->detach();
        EXPECT_HAS(message_of<LogicError>([&] { static_cast<void>(pagelocked.data()); }), "a context that is gone");
        EXPECT_THROW(static_cast<void>(managed.data()), LogicError);
        EXPECT_THROW(registered.get_device_pointer(), LogicError);
        EXPECT_NE(aligned.data(), nullptr) << "it has no context";
    }
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(HostMemoryTest, NoContextIsALogicError) {
    AlignedHostAllocation aligned(4096);
    Context::pop();
    EXPECT_HAS(message_of<LogicError>([] { PagelockedHostAllocation host(64); }), "cuMemHostAlloc failed");
    EXPECT_HAS(message_of<LogicError>([] { ManagedAllocation host(64, 1); }), "cuMemAllocManaged failed");
    EXPECT_HAS(message_of<LogicError>([&] { RegisteredHostMemory host(aligned.data(), 4096); }),
               "cuMemHostRegister failed");
}

TEST(HostMemoryFaults, EachCallFailsOnce) {
    if (!can_inject_faults()) GTEST_SKIP() << "needs the CPU device's fault injection";
    EXPECT_FRESH_PROCESS(
        {
            set_environment(
                "PYCUDA_CPU_FAULTS",
                "cuMemHostAlloc:1:999,cuMemAllocManaged:1:999,cuMemHostRegister:1:999,cuMemHostGetFlags:1:999,"
                "cuMemHostGetDevicePointer:1:999,cuStreamAttachMemAsync:1:999,cuMemAllocPitch:1:999");
            init();
            const auto context = Device(0).make_context();
            AlignedHostAllocation aligned(4096);
            EXPECT_HAS(message_of<Error>([] { PagelockedHostAllocation host(64); }), "cuMemHostAlloc failed");
            EXPECT_HAS(message_of<Error>([] { ManagedAllocation host(64, 1); }), "cuMemAllocManaged failed");
            EXPECT_HAS(message_of<Error>([&] { RegisteredHostMemory host(aligned.data(), 4096); }),
                       "cuMemHostRegister failed");
            EXPECT_HAS(message_of<Error>([] { mem_alloc_pitch(100, 10, 4); }), "cuMemAllocPitch failed");
            for (const char* kind :
                 {"page-locked allocation", "managed allocation", "registered host memory", "device allocation"})
                EXPECT_EQ(live_handles(kind), 0) << kind;
            PagelockedHostAllocation host(64);
            ManagedAllocation managed(64, 1);
            RegisteredHostMemory registered(aligned.data(), 4096);
            EXPECT_HAS(message_of<Error>([&] { host.get_flags(); }), "cuMemHostGetFlags failed");
            EXPECT_HAS(message_of<Error>([&] { host.get_device_pointer(); }), "cuMemHostGetDevicePointer failed");
            EXPECT_HAS(message_of<Error>([&] { managed.attach(1); }), "cuStreamAttachMemAsync failed");
            EXPECT_NO_THROW(host.get_flags());
            finish();
        },
        "");
}

}  // namespace
}  // namespace pycuda::test
