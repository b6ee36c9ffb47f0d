#include "pycuda/memory/managed_memory.hpp"

#include "platform/libraries.hpp"
#include "pycuda/memory/host_memory.hpp"
#include "pycuda/streams/stream.hpp"
#include "support.hpp"

namespace pycuda::test {
namespace {

class ManagedMemoryTest : public ContextTest {
protected:
    void SetUp() override {
        ContextTest::SetUp();
        if (!Device(0).get_attribute(DeviceAttribute::CONCURRENT_MANAGED_ACCESS)) GTEST_SKIP() << "no prefetches";
    }

    /// The location that the driver reports for the last prefetch.
    static int last_prefetch(DevicePtr address, std::size_t bytes) {
        return ask(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, address, bytes);
    }

    static int ask(CUmem_range_attribute what, DevicePtr address, std::size_t bytes) {
        void* const library = load_library(driver_info().library);
        const auto get =
            reinterpret_cast<CUresult (*)(void*, std::size_t, CUmem_range_attribute, CUdeviceptr, std::size_t)>(
                library_symbol(library, "cuMemRangeGetAttribute"));
        int place = CU_DEVICE_INVALID;
        EXPECT_EQ(get(&place, sizeof place, what, address, bytes), CUDA_SUCCESS);
        return place;
    }
};

constexpr std::size_t bytes = 1 << 16;

TEST_F(ManagedMemoryTest, IsPrefetchedToDeviceAndHost) {
    const ManagedAllocation memory(bytes, MemAttachFlags::GLOBAL);
    const Stream stream;
    mem_prefetch_async(memory.pointer(), bytes, 0, &stream);
    stream.synchronize();
    EXPECT_EQ(last_prefetch(memory.pointer(), bytes), 0);
    mem_prefetch_async(memory.pointer(), bytes, -1);
    Context::synchronize();
    EXPECT_EQ(last_prefetch(memory.pointer(), bytes), CU_DEVICE_CPU);
}

TEST_F(ManagedMemoryTest, PrefetchesOfWhatThereIsNotAreRefused) {
    const ManagedAllocation memory(bytes, MemAttachFlags::GLOBAL);
    EXPECT_THROW(mem_prefetch_async(memory.pointer(), bytes, 1000), Error);
    EXPECT_THROW(mem_prefetch_async(memory.pointer(), bytes, -2), Error);
    EXPECT_HAS(message_of<LogicError>([&] { mem_prefetch_async(memory.pointer(), 0, 0); }),
               "cuMemPrefetchAsync failed");
    const DeviceAllocation plain(bytes);
    EXPECT_THROW(mem_prefetch_async(plain.pointer(), bytes, 0), LogicError);
    Stream closed;
    closed.close();
    EXPECT_THROW(mem_prefetch_async(memory.pointer(), bytes, 0, &closed), LogicError);
}

TEST_F(ManagedMemoryTest, IsAdvisedOf) {
    ManagedAllocation memory(bytes, MemAttachFlags::GLOBAL);
    const DevicePtr start = memory.pointer();
    mem_advise(start, bytes, MemAdvice::SET_READ_MOSTLY);
    mem_advise(start, bytes, MemAdvice::SET_PREFERRED_LOCATION, 0);
    EXPECT_EQ(ask(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, start, bytes), 1);
    EXPECT_EQ(ask(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, start, bytes), 0);
    mem_advise(start, bytes, MemAdvice::SET_PREFERRED_LOCATION);
    EXPECT_EQ(ask(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, start, bytes), CU_DEVICE_CPU);
    memory.advise(MemAdvice::UNSET_READ_MOSTLY);
    memory.advise(MemAdvice::UNSET_PREFERRED_LOCATION);
    EXPECT_EQ(ask(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, start, bytes), 0);
    EXPECT_EQ(ask(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, start, bytes), CU_DEVICE_INVALID);
    memory.advise(MemAdvice::SET_ACCESSED_BY, 0);
    EXPECT_EQ(ask(CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, start, bytes), 0);
    memory.prefetch_async(0);
    Context::synchronize();
    EXPECT_EQ(last_prefetch(start, bytes), 0);
}

TEST_F(ManagedMemoryTest, AdviceOfWhatThereIsNotIsRefused) {
    ManagedAllocation memory(bytes, MemAttachFlags::GLOBAL);
    EXPECT_HAS(message_of<LogicError>([&] { mem_advise(memory.pointer(), 0, MemAdvice::SET_READ_MOSTLY); }),
               "cuMemAdvise failed");
    EXPECT_THROW(memory.advise(static_cast<MemAdvice>(77)), LogicError);
    EXPECT_THROW(memory.advise(MemAdvice::SET_ACCESSED_BY, 1000), Error);
    EXPECT_THROW(memory.advise(MemAdvice::SET_ACCESSED_BY, -2), Error);
    const DeviceAllocation plain(bytes);
    EXPECT_THROW(mem_advise(plain.pointer(), bytes, MemAdvice::SET_READ_MOSTLY), LogicError);
    memory.free();
    EXPECT_THROW(memory.advise(MemAdvice::SET_READ_MOSTLY), LogicError);
    EXPECT_THROW(memory.prefetch_async(0), LogicError);
}

}  // namespace
}  // namespace pycuda::test
