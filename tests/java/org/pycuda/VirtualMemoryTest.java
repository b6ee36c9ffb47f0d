package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Reserved addresses that are mapped on demand, and driver pools with properties. */
class VirtualMemoryTest implements WithContext {
    private static final int[] NUMBERS = IntStream.range(0, 100).toArray();

    @BeforeEach
    void needsVirtualMemory() {
        assumeTrue(new Device(0).attribute(DeviceAttribute.VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED) != 0, "no virtual memory management");
    }

    @Test
    void growsAndShrinksInPlace() {
        long step = PhysicalMemory.granularity(MemAllocationGranularity.RECOMMENDED);
        try (var memory = new VirtualMemory(step)) {
            long address = memory.pointer();
            Driver.memcpyHtod(memory, NUMBERS);
            memory.resize(3 * step);
            assertEquals(address, memory.pointer());
            assertEquals(3 * step, memory.size());
            Driver.memcpyHtod(memory.plus(step - 200), NUMBERS);  // across the boundary of two mappings
            assertArrayEquals(NUMBERS, Driver.fromDevice(memory.plus(step - 200), 100, int[].class));
            assertArrayEquals(NUMBERS, Driver.fromDevice(memory, 100, int[].class));
            memory.resize(1000);
            assertEquals(step, memory.mapped());
            assertArrayEquals(NUMBERS, Driver.fromDevice(memory, 100, int[].class));
            assertThrows(Driver.LogicError.class, () -> memory.resize(2 * memory.reserved()));
            memory.close();
            assertThrows(Driver.LogicError.class, () -> memory.resize(1));
            assertThrows(Driver.LogicError.class, memory::pointer);
        }
    }

    @Test
    void kernelsAcceptVirtualMemory() {
        try (var memory = new VirtualMemory(400, 1 << 22)) {
            Kernels.get("fill").launch(Driver.block(100), memory, 3, 100);
            assertTrue(IntStream.of(Driver.fromDevice(memory, 100, int[].class)).allMatch(n -> n == 3));
            assertTrue(memory.toString().contains("of 400 bytes"), memory.toString());
        }
    }

    @Test
    void physicalMemoryMayBeMappedTwice() {
        try (var piece = new PhysicalMemory(1000); var one = new VirtualMemory(); var two = new VirtualMemory()) {
            one.map(piece);
            two.map(piece);
            Driver.memcpyHtod(one, NUMBERS);
            assertArrayEquals(NUMBERS, Driver.fromDevice(two, 100, int[].class));
            assertEquals(piece.size(), one.size());
            assertEquals(MemAccessFlags.READWRITE, two.access(new Device(0)));
            two.setAccess(new Device(0), MemAccessFlags.READ);
            assertEquals(MemAccessFlags.READ, two.access(new Device(0)));
        }
    }

    @Test
    void poolsHaveProperties() {
        var device = new Device(0);
        assumeTrue(device.attribute(DeviceAttribute.MEMORY_POOLS_SUPPORTED) != 0, "no memory pools");
        try (var pool = new StreamOrderedPool(); var stream = new Stream()) {
            pool.setAttribute(MemPoolAttribute.RELEASE_THRESHOLD, 1 << 20);
            assertEquals(1 << 20, pool.attribute(MemPoolAttribute.RELEASE_THRESHOLD));
            assertEquals(1, pool.attribute(MemPoolAttribute.REUSE_ALLOW_OPPORTUNISTIC));
            var memory = pool.allocate(400, stream);
            stream.synchronize();
            assertTrue(pool.attribute(MemPoolAttribute.USED_MEM_CURRENT) >= 400);
            Driver.memcpyHtod(memory, NUMBERS);
            assertArrayEquals(NUMBERS, Driver.fromDevice(memory, 100, int[].class));
            memory.freeAsync(stream);
            stream.synchronize();
            pool.trim();
            assertEquals(0, pool.attribute(MemPoolAttribute.USED_MEM_CURRENT));
            assertEquals(MemAccessFlags.READWRITE, pool.access(device));
            assertEquals(StreamOrderedPool.defaultOf(device).handle(), StreamOrderedPool.currentOf(device).handle());
            assertThrows(Driver.Error.class, pool::exportDescriptor);
            assertThrows(Driver.LogicError.class, () -> pool.allocate(0));
            pool.close();
            assertThrows(Driver.LogicError.class, pool::trim);
        }
    }
}
