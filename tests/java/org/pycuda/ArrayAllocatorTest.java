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
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BinaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class ArrayAllocatorTest implements WithContext {
    /** Memory of a class that the program defines. */
    private static class Lent implements DevicePointer, AutoCloseable {
        private final DeviceAllocation memory;
        private final List<String> log;

        Lent(DeviceAllocation memory, List<String> log) {
            this.memory = memory;
            this.log = log;
        }

        @Override
        public long pointer() {
            return memory.pointer();
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
    void memoryIsAllocatedAndFreedByTheAllocator() {
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
    void everyOperationUsesTheAllocatorOfItsArray() {
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
    void memoryOfAnotherContextsPoolIsNotUsedInThisOne() {
        var pool = new DeviceMemoryPool();
        var factory = GPUArray.factory().allocator(pool);
        try (var other = new Device(0).makeContext()) {
            for (Executable use : List.<Executable>of(() -> factory.arange(FLOAT32, 1000), () -> factory.zeros(FLOAT32, 10).add(1).sum(),
                () -> factory.toGpu(new float[1000]).copy(), () -> new XORWOWRandomNumberGenerator().fillUniform(factory.empty(FLOAT32, 10)))) {
                var error = assertThrows(Driver.LogicError.class, use);
                assertTrue(error.getMessage().contains("context"), error.getMessage());
            }
            Context.synchronize();  // no kernel wrote there
            assertEquals(45, GPUArray.arange(FLOAT32, 10).sum().getFloat());
        }
        Context.synchronize();
        assertEquals(45, factory.arange(FLOAT32, 10).sum().getFloat());
    }

    @Test
    void emptyArraysAllocateNothing() {
        var empty = GPUArray.factory().allocator(own).empty(FLOAT32, 0, 3);
        assertEquals(0, empty.add(empty).size());
        assertSame(own, empty.copy().allocator());
        assertTrue(log.isEmpty());
    }

    @Test
    void exceptionsOfAnAllocatorPropagate() {
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
            public long pointer() {
                throw new Refused();
            }
        }).empty(FLOAT32, 2));
        assertEquals("close 8", log.get(before));  // memory without an address is freed
        assertThrows(Driver.LogicError.class, () -> GPUArray.factory().allocator(bytes -> {
            var memory = Driver.memAlloc(bytes);
            memory.free();
            return memory;
        }).empty(FLOAT32, 1));
        assertFalse(log.isEmpty());
    }

    @Test
    void unreachableArraysFreeTheirMemory() {
        for (int i = 0; i < 50; i++) {
            GPUArray.factory().allocator(own).zeros(FLOAT32, 16);
        }
        Devices.collectGarbage();
        assertTrue(List.copyOf(log).stream().filter("close 64"::equals).count() > 25, log.toString());
    }

    /** Operations on two arrays that allocate memory; the result comes from the first one's allocator. */
    private static Map<String, BinaryOperator<GPUArray>> operations() {
        var reduction = new ReductionKernel(FLOAT32, "0", "a + b", "x[i] * y[i]", "const float *x, const float *y");
        return Map.ofEntries(
            Map.entry("add", GPUArray::add), Map.entry("add 1", (a, b) -> a.add(1)), Map.entry("neg", (a, b) -> a.neg()),
            Map.entry("sin", (a, b) -> CuMath.sin(a)), Map.entry("add of another type", (a, b) -> a.add(b.astype(FLOAT64))),
            Map.entry("add of a transposed one", (a, b) -> a.add(b.transpose())), Map.entry("gt", GPUArray::gt), Map.entry("sum", (a, b) -> a.sum()),
            Map.entry("sum of an axis", (a, b) -> a.sum(Axis.of(0))), Map.entry("dot", (a, b) -> a.ravel().dot(b.ravel())),
            Map.entry("copy", (a, b) -> a.copy()), Map.entry("astype", (a, b) -> a.astype(FLOAT64)), Map.entry("matmul", GPUArray::matmul),
            Map.entry("take", (a, b) -> a.take(b.astype(INT64))), Map.entry("select", (a, b) -> a.select(b.gt(1))),
            Map.entry("where", (a, b) -> GPUArray.where(b.gt(1), a, b)), Map.entry("cumsum", (a, b) -> a.cumsum(1)), Map.entry("sort", (a, b) -> a.sort()),
            Map.entry("argsort", (a, b) -> a.argsort(0)), Map.entry("unique", (a, b) -> a.unique()), Map.entry("concatenate", (a, b) -> GPUArray.concatenate(a, b)),
            Map.entry("mulAdd", (a, b) -> a.mulAdd(2, b, 3)), Map.entry("clip", (a, b) -> a.clip(1, 2)), Map.entry("emptyLike", (a, b) -> GPUArray.emptyLike(a)),
            Map.entry("ReductionKernel", (a, b) -> reduction.call(a, b)),
            Map.entry("assignment that overlaps", (a, b) -> a.slice(0, 2).set(a.slice(1, 3))));
    }

    /** Runs each operation with an allocator that closes one of its operands, in the first allocation, the second, and so on. */
    @Test
    void anAllocatorThatClosesAnOperandIsDetected() {
        var expected = new HashMap<String, String>();
        var complaints = new ArrayList<String>();
        for (int closed = -1; closed < 2; closed++) {
            for (int last = 1; last < 4; last++) {
                for (var operation : operations().entrySet()) {
                    var operands = new GPUArray[2];
                    int[] calls = {0};
                    int which = closed;
                    int when = last;
                    Allocator evicting = bytes -> {
                        if (operands[1] != null && which >= 0 && ++calls[0] == when) {
                            operands[which].close();
                        }
                        var memory = Driver.memAlloc(bytes);
                        Driver.memsetD8(memory, 0xEE, bytes);  // most likely the operand's old memory
                        return memory;
                    };
                    var factory = GPUArray.factory().allocator(evicting);
                    operands[0] = factory.toGpu(HostData.of(new float[] {3, 1, 2, 0, 2, 1, 4, 1, 2}).shape(3, 3));
                    operands[1] = factory.toGpu(HostData.of(new float[] {1, 2, 0, 2, 1, 1, 0, 2, 2}).shape(3, 3));
                    String given;
                    try (GPUArray result = operation.getValue().apply(operands[0], operands[1])) {
                        given = operation.getKey().equals("emptyLike") ? "" : Arrays.toString(result.astype(FLOAT64).getDoubles());
                    } catch (Driver.LogicError error) {
                        given = null;
                    }
                    if (closed < 0) {
                        expected.put(operation.getKey(), given);
                    } else if (given != null && !given.equals(expected.get(operation.getKey()))) {
                        complaints.add(operation.getKey() + " with operand " + closed + " closed in allocation " + last + ": " + given);
                    }
                }
            }
        }
        assertFalse(expected.containsValue(null), expected.toString());
        assertEquals(List.of(), complaints);
    }

    @Test
    void predefinedAllocatorsAllocate() throws Exception {
        for (Allocator allocator : List.of(Allocator.DEFAULT, Allocator.DRIVER)) {
            DevicePointer memory = allocator.allocate(64);
            Driver.memsetD8(memory, 1, 64);
            ((AutoCloseable) memory).close();
            assertThrows(Driver.LogicError.class, memory::pointer);
        }
        assertNotSame(Allocator.DEFAULT, Allocator.DRIVER);
    }
}
