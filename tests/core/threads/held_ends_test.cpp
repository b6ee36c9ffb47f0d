#include "pycuda/threads/held_ends.hpp"
#include "pycuda/streams/stream.hpp"

#include "pycuda/memory/stream_ordered.hpp"
#include "pycuda/memory/virtual_memory.hpp"
#include "pycuda/pools/memory_pool.hpp"
#include "support.hpp"

namespace pycuda::test {
namespace {

using HeldEndsTest = ContextTest;

TEST_F(HeldEndsTest, MemoryFreedWithinACallEndsAfterIt) {
    DeviceAllocation memory(64);
    const long before = live_handles("device allocation");
    {
        const HeldEnds outer;
        {
            const HeldEnds inner;
            memory.free();
            EXPECT_EQ(live_handles("device allocation"), before);
        }
        EXPECT_EQ(live_handles("device allocation"), before);
        EXPECT_EQ(message_of<LogicError>([&] { static_cast<void>(memory.pointer()); }), "device allocation was freed");
    }
    EXPECT_EQ(live_handles("device allocation"), before - 1);
    EXPECT_FALSE(HeldEnds::any());
}

TEST_F(HeldEndsTest, CodeThatMakesRoomFreesAtOnce) {
    DeviceAllocation kept(64), freed(64);
    const long before = live_handles("device allocation");
    const HeldEnds call;
    kept.free();
    {
        const HeldEnds::Pause frees_at_once;
        freed.free();
        EXPECT_EQ(live_handles("device allocation"), before - 1);
        const HeldEnds nested;
    }
    EXPECT_EQ(live_handles("device allocation"), before - 1);
}

TEST_F(HeldEndsTest, BlocksOfPoolsAreNotReusedBeforeTheCallEnds) {
    DeviceMemoryPool pool;
    const auto memory = pool.allocate(64);
    const DevicePtr address = memory->address();
    {
        const HeldEnds call;
        memory->free();
        EXPECT_NE(pool.allocate(64)->address(), address);
        EXPECT_EQ(pool.active_blocks(), 2u);
    }
    EXPECT_EQ(pool.active_blocks(), 0u);
}

TEST_F(HeldEndsTest, StreamOrderedMemoryIsNotFreedInTheStream) {
    const Stream stream;
    const auto memory = mem_alloc_async(64, &stream);
    const DevicePtr address = memory->pointer();
    const HeldEnds call;
    memory->free_async(&stream);
    EXPECT_NE(mem_alloc_async(64, &stream)->pointer(), address);
}

TEST_F(HeldEndsTest, WhatCannotWaitIsRefused) {
    VirtualMemory memory(64, 1 << 22);
    {
        const HeldEnds call;
        EXPECT_THROW(memory.resize(0), LogicError);
        EXPECT_THROW(context->detach(), LogicError);
        memory.resize(1 << 21);
    }
    memory.resize(0);
}

}  // namespace
}  // namespace pycuda::test
