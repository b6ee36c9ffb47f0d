#include "pycuda/memory/virtual_memory.hpp"

#include <gtest/gtest.h>

#include "pycuda/graphs/executable_graph.hpp"
#include "pycuda/memory/memcpy.hpp"
#include "pycuda/memory/stream_ordered_pool.hpp"
#include "pycuda/streams/stream.hpp"
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
    EXPECT_HAS(message_of<LogicError>([&] { memory.pointer(); }), "virtual memory was freed");
    EXPECT_EQ(live_handles(VirtualMemory::name), 0);
}

unsigned char byte_at(DevicePtr address) {
    unsigned char byte = 0;
    memcpy_dtoh(&byte, 1, address);
    return byte;
}

TEST_F(ContextTest, AGraphKeepsVirtualMemoryMappedThatShrinks) {
    const std::size_t step = PhysicalMemory::granularity(granule);
    VirtualMemory memory(step, 4 * step);
    memory.resize(2 * step);  // a second piece, which shrinking can unmap
    const Stream stream(StreamFlags::NON_BLOCKING);
    stream.begin_capture();
    memset_d8_async(memory.pointer_for(stream.handle()) + step, 3, step, &stream);
    auto graph = stream.end_capture();
    memory.resize(step);
    EXPECT_EQ(memory.mapped(), step);
    EXPECT_HAS(message_of<LogicError>([&] { memory.map(PhysicalMemory(step)); }), "a graph still uses");
    {
        ExecutableGraph run(graph);
        run.launch(&stream);
        stream.synchronize();
    }
    memory.resize(3 * step);  // takes the kept piece back, and maps another one
    EXPECT_EQ(memory.mapped(), 3 * step);
    EXPECT_EQ(byte_at(memory.pointer() + 2 * step - 1), 3);
    memory.free();
    EXPECT_EQ(live_handles(VirtualMemory::name), 0);
    ExecutableGraph run(graph);
    run.launch(&stream);
    stream.synchronize();
    Context::synchronize();
}

TEST_F(ContextTest, VirtualMemoryShrinksAndGrowsWhileAStreamIsCaptured) {
    const std::size_t step = PhysicalMemory::granularity(granule);
    VirtualMemory memory(step, 4 * step);
    memory.resize(2 * step);  // a second piece, which shrinking can unmap
    const DeviceAllocation other(16);
    const Stream stream(StreamFlags::NON_BLOCKING);
    stream.begin_capture();
    memset_d8_async(other.pointer(), 1, 16, &stream);
    memory.resize(step);
    memory.resize(2 * step);
    memory.resize(1);
    const auto graph = stream.end_capture();
    memset_d8(memory.pointer(), 5, step);
    EXPECT_EQ(byte_at(memory.pointer() + step - 1), 5);
    EXPECT_EQ(graph->nodes().size(), 1u);
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
