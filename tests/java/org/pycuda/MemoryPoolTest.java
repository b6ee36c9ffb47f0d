package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class MemoryPoolTest implements WithContext {
    @Test
    void reusesFreedMemory() {
        try (var pool = new DeviceMemoryPool()) {
            long address;
            try (var memory = pool.allocate(1000)) {
                address = memory.pointer();
                assertEquals(1000, memory.size());
                assertEquals(1, pool.activeBlocks());
                assertEquals(1023, pool.managedBytes());
                assertEquals(1000, pool.activeBytes());
            }
            assertEquals(1, pool.heldBlocks());
            try (var memory = pool.allocate(1010)) {
                assertEquals(address, memory.pointer());
            }
            pool.freeHeld();
            assertEquals(0, pool.heldBlocks() + pool.managedBytes());
        }
    }

    @Test
    void debugPoolListsLiveBlocks() {
        var text = new java.io.ByteArrayOutputStream();
        try (var pool = new DebugMemoryPool(new java.io.PrintStream(text))) {
            var first = Optional.of(100L).map(pool::allocate).get();
            for (int i = 0; i < 2; i++) {
                pool.allocate(200).close();
            }
            first.close();
            Optional.of(pool).map(each -> GPUArray.factory().allocator(each).empty(DType.INT8, 150)).get().close();
            try (DeviceMemory last = pool.allocate(300)) {
                assertEquals(1, pool.activeBlocks());
                assertEquals(3, pool.heldBlocks());
                assertTrue(last.pointer() != 0);
            }
        }
        var lines = text.toString().lines().toList();
        assertEquals(5, lines.stream().filter(line -> line.startsWith("allocated ")).count(), text.toString());
        assertTrue(lines.get(0).startsWith("allocated 100 bytes; "), text.toString());
        // The calls of the package, which this test belongs to, are left out.
        String place = "  1 x map \\((Optional.java:\\d+|Unknown Source)\\) <- debugPoolListsLiveBlocks \\(MemoryPoolTest.java:\\d+\\) <- .*: ";
        assertTrue(lines.get(1).matches(place + "100 bytes"), text.toString());
        assertEquals(1, lines.stream().filter(line -> line.matches(place + "150 bytes")).count(), text.toString());
        assertTrue(lines.get(lines.size() - 1).endsWith(": 300 bytes"), "the others were freed: " + text);
        assertTrue(lines.get(lines.size() - 2).startsWith("allocated 300 bytes; "), text.toString());
    }

    @Test
    void sizeClasses() {
        assertEquals(9 * 16 + 15, DeviceMemoryPool.binNumber(1000));
        assertEquals(1023, DeviceMemoryPool.allocSize(9 * 16 + 15));
        assertThrows(IllegalArgumentException.class, () -> DeviceMemoryPool.allocSize(1024));
        assertThrows(IllegalArgumentException.class, () -> DeviceMemoryPool.binNumber(-1));
    }

    @Test
    void freedMemoryIsRejected() {
        try (var pool = new DeviceMemoryPool()) {
            var memory = pool.allocate(16);
            memory.free();
            assertDoesNotThrow(memory::close);
            assertThrows(Driver.LogicError.class, memory::pointer);
            assertEquals(1, pool.heldBlocks());
        }
    }

    @Test
    void poolsAcceptAnyAllocator() {
        try (var pool = new DeviceMemoryPool()) {
            List<Allocator> allocators = List.of(pool, Driver::memAlloc, bytes -> pool.allocate(bytes + 1));
            for (Allocator allocator : allocators) {
                try (var memory = (DeviceMemory) allocator.allocate(128)) {
                    Kernels.get("fill").launch(Driver.block(32), memory, 5, 32);
                    assertEquals(5, Driver.fromDevice(memory, 32, int[].class)[31]);
                }
            }
            assertEquals(0, pool.activeBlocks());
        }
    }

    @Test
    void pooledMemoryIsDeviceMemory() {
        try (var pool = new DeviceMemoryPool(); var stream = new Stream(); var memory = pool.allocate(128, stream)) {
            Kernels.get("fill").launch(Driver.block(32), memory, 9, 32);
            assertEquals(9, Driver.fromDevice(memory, 32, int[].class)[31]);
        }
    }

    @Test
    void closedPoolsFreeTheirMemory() {
        var pool = new DeviceMemoryPool();
        var memory = pool.allocate(64);
        pool.close();
        Driver.memsetD8(memory, 1, 64);
        memory.close();
        assertEquals(0, pool.heldBlocks());
    }

    @Test
    void outOfMemory() {
        try (var pool = new DeviceMemoryPool()) {
            var error = assertThrows(Driver.MemoryError.class, () -> pool.allocate(1L << 60));
            assertTrue(error.getMessage().contains("cuMemAlloc failed: out of memory"), error.getMessage());
            assertThrows(IllegalArgumentException.class, () -> pool.allocate(-1));
        }
    }

    @Test
    void theContextsPoolIsShared() {
        DeviceMemoryPool.ofCurrentContext().allocate(100).close();
        long held = DeviceMemoryPool.ofCurrentContext().heldBlocks();
        assertTrue(held > 0);
        DeviceMemoryPool.ofCurrentContext().freeHeld();
        assertEquals(0, DeviceMemoryPool.ofCurrentContext().heldBlocks());
        DeviceMemoryPool.ofCurrentContext().close();
        DeviceMemoryPool.ofCurrentContext().allocate(100).close();
        assertTrue(DeviceMemoryPool.ofCurrentContext().heldBlocks() > 0, "the pool is shared: closing this object does not affect it");
    }

    @Test
    void threads() throws InterruptedException {
        try (var pool = new DeviceMemoryPool()) {
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                var thread = new Thread(() -> {
                    Autoinit.init();
                    for (int n = 0; n < 300; n++) {
                        try (var a = pool.allocate(100 + n % 5 * 1000); var b = pool.allocate(100)) {
                            assertNotEquals(a.pointer(), b.pointer());
                        }
                    }
                });
                thread.start();
                threads.add(thread);
            }
            for (Thread thread : threads) {
                thread.join();
            }
            assertEquals(0, pool.activeBlocks());
        }
    }

    @Test
    void pageLockedPool() {
        try (var pool = new PageLockedMemoryPool(HostAllocFlags.DEVICEMAP)) {
            var memory = pool.allocate(64);
            memory.buffer().put(63, (byte) 7);
            assertEquals(64, pool.activeBytes());
            Driver.memsetD8(DevicePointer.of(memory.devicePointer()), 3, 64);
            Context.synchronize();
            assertEquals(3, memory.buffer().get(63));
            memory.free();
            assertThrows(Driver.LogicError.class, memory::buffer);
            assertEquals(1, pool.heldBlocks());
        }
    }

    @Test
    void pagelockedPoolsAcceptAnAllocator() {
        var allocator = new PageLockedAllocator(HostAllocFlags.DEVICEMAP);
        try (var pool = new PageLockedMemoryPool(allocator); var memory = pool.allocate(DType.FLOAT64, 2, 5);
             var plain = allocator.allocate(64)) {
            assertEquals(80, memory.size());
            assertTrue(memory.devicePointer() != 0 && plain.devicePointer() != 0);
            assertThrows(IllegalArgumentException.class, () -> pool.allocate(DType.FLOAT64, -1));
            assertThrows(IllegalArgumentException.class, () -> pool.allocate(Vec.FLOAT4, Long.MAX_VALUE));
        }
    }
}
