#include "pycuda/virtual_memory.hpp"

#include <gtest/gtest.h>

#include "pycuda/memcpy.hpp"
#include "pycuda/stream_ordered_pool.hpp"
#include "support.hpp"

using namespace pycuda;
using namespace pycuda::test;

namespace {

constexpr auto granule = MemAllocationGranularity::RECOMMENDED;

TEST_F(ContextTest, VirtualMemoryGrowsInPlace) {
    const std::size_t step = PhysicalMemory::granularity(granule);
    VirtualMemory memory(step, 4 * step);
    const DevicePtr address = memory.pointer();
    memset_d8(address, 7, step);
    memory.resize(3 * step);
    EXPECT_EQ(memory.pointer(), address);
    memset_d8(address + step, 8, 2 * step);
    unsigned char ends[2] = {};
    memcpy_dtoh(ends, sizeof ends, address + step - 1);
    EXPECT_EQ(ends[0], 7);
    EXPECT_EQ(ends[1], 8);
    memory.resize(1);
    EXPECT_EQ(memory.mapped(), step);
    EXPECT_HAS(message_of<LogicError>([&] { memory.resize(5 * step); }), "are reserved");
    memory.close();
    EXPECT_HAS(message_of<LogicError>([&] { memory.pointer(); }), "virtual memory is closed");
    EXPECT_EQ(live_handles(VirtualMemory::name), 0);
}

TEST_F(ContextTest, PoolsCountWhatIsInUse) {
    StreamOrderedPool pool;
    auto memory = pool.allocate(1000);
    EXPECT_GE(pool.get_attribute(MemPoolAttribute::USED_MEM_CURRENT), 1000u);
    memory->free_async();  // NVIDIA's driver 580 does not count what cuMemFree frees
    Context::synchronize();
    EXPECT_EQ(pool.get_attribute(MemPoolAttribute::USED_MEM_CURRENT), 0u);
    EXPECT_EQ(live_handles(StreamOrderedPoolTraits::what), 1);
}

}  // namespace
