package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.pycuda.DType.FLOAT32;
import static org.pycuda.DType.FLOAT64;
import static org.pycuda.DType.INT64;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class ArrayAllocatorTest implements WithContext {
    /** Memory of a program's own kind. */
    private static class Lent implements PointerHolderBase, AutoCloseable {
        private final DeviceAllocation memory;
        private final List<String> log;

        Lent(DeviceAllocation memory, List<String> log) {
            this.memory = memory;
            this.log = log;
        }

        @Override
        public long getPointer() {
            return memory.getPointer();
        }

        @Override
        public void close() {
            log.add("close " + memory.size());
            memory.close();
        }
    }

    private final List<String> log = Collections.synchronizedList(new ArrayList<>());
    private final Allocator own = bytes -> {
        log.add("allocate " + bytes);
        return new Lent(Driver.memAlloc(bytes), log);
    };

    @Test
    void memoryComesFromTheAllocatorAndGoesBack() {
        var factory = GPUArray.factory().allocator(own);
        var a = factory.toGpu(new float[] {1, 2, 3, 4});
        assertSame(own, a.allocator());
        assertSame(Allocator.DEFAULT, GPUArray.zeros(FLOAT32, 1).allocator());
        assertEquals(List.of("allocate 16"), log);
        var sum = a.add(1).sum();
        assertEquals(14, sum.getFloat());
        assertSame(own, sum.allocator());
        assertEquals(List.of("allocate 16", "allocate 16", "allocate 4"), log);
        a.slice(0, 2).close();
        assertEquals(3, log.size());
        a.close();
        a.close();
        assertEquals("close 16", log.get(3));
        assertThrows(Driver.LogicError.class, () -> a.add(1));
        assertEquals(4, log.size());
    }

    @Test
    void everyOperationAsksTheAllocatorOfItsArray() {
        var a = GPUArray.factory().allocator(own).arange(FLOAT32, 6).reshape(2, 3);
        for (GPUArray result : List.of(a.copy(), a.astype(FLOAT64), a.neg(), a.add(a), a.rsub(1), a.mulAdd(1, a, 2), a.sum(Axis.of(0)),
                a.take(GPUArray.zeros(INT64, 2)), a.cumsum(1), a.sort(), a.argsort(0), a.unique(), a.select(a.gt(2)), a.matmul(a.transpose()),
                GPUArray.concatenate(a, a), GPUArray.emptyLike(a), GPUArray.where(a, a, a), a.clip(1, 2), CuMath.sin(a), a.subsetSum(GPUArray.zeros(INT64, 1)),
                new ReductionKernel(FLOAT32, "0", "a + b").call(a), new InclusiveScanKernel(FLOAT32, "a + b").call(a.ravel()))) {
            assertSame(own, result.allocator(), result.toString());
        }
        assertSame(Allocator.DEFAULT, new ReductionKernel(FLOAT32, "0", "a + b").allocator(Allocator.DEFAULT).call(a).allocator());
    }

    @Test
    void poolsAreAllocators() {
        try (var pool = new DeviceMemoryPool(); var stream = new Stream(StreamFlags.NON_BLOCKING)) {
            var factory = GPUArray.factory().allocator(pool).on(stream);
            var a = factory.zeros(FLOAT32, 1000);
            assertEquals(1, pool.activeBlocks());
            a.add(1).close();
            assertEquals(1, pool.activeBlocks());
            assertEquals(1, pool.heldBlocks());
            a.close();
            assertEquals(0, pool.activeBlocks());
        }
    }

    @Test
    void emptyArraysAskForNothing() {
        var empty = GPUArray.factory().allocator(own).empty(FLOAT32, 0, 3);
        assertEquals(0, empty.add(empty).size());
        assertSame(own, empty.copy().allocator());
        assertTrue(log.isEmpty());
    }

    @Test
    void whatAnAllocatorThrowsPassesThrough() {
        class Refused extends RuntimeException {
            private static final long serialVersionUID = 1;
        }
        var left = new int[] {2};
        Allocator failing = bytes -> {
            if (left[0]-- == 0) {
                throw new Refused();
            }
            return own.allocate(bytes);
        };
        var a = GPUArray.factory().allocator(failing).toGpu(new float[] {1, 2});
        var b = a.add(1);
        assertThrows(Refused.class, () -> a.add(b));
        assertArrayEquals(new float[] {2, 3}, b.getFloats());
        assertThrows(NullPointerException.class, () -> GPUArray.factory().allocator(bytes -> null).empty(FLOAT32, 1));
        int before = log.size();
        assertThrows(Refused.class, () -> GPUArray.factory().allocator(bytes -> new Lent(Driver.memAlloc(bytes), log) {
            @Override
            public long getPointer() {
                throw new Refused();
            }
        }).empty(FLOAT32, 2));
        assertEquals("close 8", log.get(before));  // what has no address goes back
        assertThrows(Driver.LogicError.class, () -> GPUArray.factory().allocator(bytes -> {
            var memory = Driver.memAlloc(bytes);
            memory.free();
            return memory;
        }).empty(FLOAT32, 1));
        assertFalse(log.isEmpty());
    }

    @Test
    void droppedArraysGiveTheirMemoryBack() {
        for (int i = 0; i < 50; i++) {
            GPUArray.factory().allocator(own).zeros(FLOAT32, 16);
        }
        Cleanup.collectGarbage();
        assertTrue(List.copyOf(log).stream().filter("close 64"::equals).count() > 25, log.toString());
    }

    @Test
    void theirConstantsAllocate() throws Exception {
        for (Allocator allocator : List.of(Allocator.DEFAULT, Allocator.DRIVER)) {
            PointerHolderBase memory = allocator.allocate(64);
            Driver.memsetD8(memory, 1, 64);
            ((AutoCloseable) memory).close();
            assertThrows(Driver.LogicError.class, memory::getPointer);
        }
        assertNotSame(Allocator.DEFAULT, Allocator.DRIVER);
    }
}
