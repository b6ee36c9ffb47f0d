package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.pycuda.DType.FLOAT32;
import static org.pycuda.DType.FLOAT64;
import static org.pycuda.DType.INT32;

import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BinaryOperator;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** An array that its creating thread closes is freed at once and its C++ object reused: no reference may reach it afterwards. */
class ArrayClosingTest implements WithContext {
    private static final float[] SIX = {0, 1, 2, 3, 4, 5};

    private static List<Executable> uses(GPUArray array) {
        var other = GPUArray.toGpu(SIX);
        return List.of(() -> array.add(1), () -> array.add(other), () -> other.add(array), () -> other.addInPlace(array), () -> array.fill(1),
            array::sum, array::getFloats, () -> array.set(SIX), () -> array.slice(1, 2), () -> array.on(Stream.DEFAULT), array::pointer, array::copy,
            () -> GPUArray.concatenate(other, array), () -> other.mulAdd(2, array, 3), array::allocator, () -> GPUArray.emptyLike(array));
    }

    private static void assertUnusable(GPUArray array) {
        for (Executable use : uses(array)) {
            var error = assertThrows(Driver.LogicError.class, use);
            assertTrue(error.getMessage().matches(".* was (closed|freed)"), error.getMessage());
        }
    }

    @Test
    void aClosedArrayStaysClosedWhenItsObjectIsReused() {
        var a = GPUArray.toGpu(SIX);
        var closed = new ArrayList<GPUArray>();
        for (int i = 0; i < 40; i++) {
            var sum = a.add(i);
            assertEquals(5 + i, sum.getFloats()[5]);
            sum.close();
            closed.add(sum);
        }
        var later = new ArrayList<GPUArray>();
        for (int i = 0; i < 40; i++) {
            later.add(a.mul(i));
        }
        for (GPUArray each : closed) {
            each.close();
            assertUnusable(each);
            for (Executable attribute : List.<Executable>of(each::shape, each::strides, each::dtype, each::size, each::ndim, each::isCContiguous)) {
                assertThrows(Driver.LogicError.class, attribute);
            }
            assertEquals("GPUArray[closed]", each.toString());
        }
        for (int i = 0; i < 40; i++) {
            assertArrayEquals(new float[] {0, i, 2 * i, 3 * i, 4 * i, 5 * i}, later.get(i).getFloats());
        }
    }

    @Test
    void reusedObjectsHaveTheirOwnTypeAndShape() {
        var floats = GPUArray.toGpu(SIX);
        var table = floats.reshape(2, 3);
        var doubles = GPUArray.toGpu(new double[] {1, 2, 3});
        var ints = GPUArray.toGpu(new int[] {1, 2, 3, 4, 5, 6});
        for (int i = 0; i < 100; i++) {
            try (var a = floats.add(1); var b = table.transpose().add(1); var c = doubles.mul(2); var d = ints.add(ints); var e = table.sum();
                 var f = table.gt(2); var g = table.sum(Axis.of(0))) {
                assertArrayEquals(new long[] {6}, a.shape());
                assertArrayEquals(new float[] {1, 2, 3, 4, 5, 6}, a.getFloats());
                assertArrayEquals(new long[] {3, 2}, b.shape());
                assertArrayEquals(new float[] {1, 4, 2, 5, 3, 6}, b.getFloats());
                assertEquals(FLOAT64, c.dtype());
                assertArrayEquals(new double[] {2, 4, 6}, c.getDoubles());
                assertEquals(INT32, d.dtype());
                assertArrayEquals(new int[] {2, 4, 6, 8, 10, 12}, d.getInts());
                assertEquals(0, e.ndim());
                assertEquals(15, e.getFloat());
                assertArrayEquals(new float[] {0, 0, 0, 1, 1, 1}, f.getFloats());
                assertArrayEquals(new float[] {3, 5, 7}, g.getFloats());
            }
        }
    }

    @Test
    void viewsAndStreamsAreReleasedWithTheirOwner() throws InterruptedException {
        var a = GPUArray.toGpu(SIX);
        try (var stream = new Stream()) {
            var sum = a.add(1);
            var part = sum.slice(1, 3);
            var bound = sum.on(stream);
            var both = part.on(stream).on(Stream.DEFAULT);
            assertArrayEquals(new float[] {2, 3}, both.getFloats());
            sum.close();
            var next = a.add(2);
            for (GPUArray view : List.of(part, bound, both)) {
                assertThrows(Driver.LogicError.class, view::getFloats);
                assertThrows(Driver.LogicError.class, () -> view.add(1));
                view.close();
            }
            assertArrayEquals(new float[] {2, 3, 4, 5, 6, 7}, next.getFloats());
            // Becomes unreachable, in any order.
            var bounds = new ArrayList<GPUArray>();
            for (int i = 0; i < 100; i++) {
                bounds.add(a.add(i).slice(1, 6).on(stream).on(Stream.DEFAULT));
            }
            System.gc();
            Thread.sleep(20);
            for (int i = 0; i < 100; i++) {
                assertEquals(5 + i, bounds.get(i).getFloats()[4]);
            }
        }
    }

    /** In each round, {@code count} threads use a new array concurrently, each in its own way; the first thread creates it. */
    private static void race(int rounds, List<Consumer<GPUArray>> ways) throws Exception {
        var a = GPUArray.toGpu(SIX);
        var context = Context.current();
        var threads = Executors.newFixedThreadPool(ways.size());
        try {
            for (int round = 0; round < rounds; round++) {
                var made = new AtomicReference<GPUArray>();
                var ready = new CyclicBarrier(ways.size());
                var results = new ArrayList<Future<?>>();
                for (int number = 0; number < ways.size(); number++) {
                    int mine = number;
                    results.add(threads.submit(() -> {
                        try (var scope = context.pushed()) {
                            if (mine == 0) {
                                made.set(a.add(1));
                            }
                            ready.await();
                            ways.get(mine).accept(made.get());
                        }
                        return null;
                    }));
                }
                for (Future<?> result : results) {
                    result.get();
                }
            }
        } finally {
            threads.shutdown();
        }
        assertArrayEquals(SIX, a.getFloats());
    }

    /** Uses the array until it is closed. */
    private static void use(GPUArray array) {
        try {
            while (true) {
                var sum = array.add(array);
                assertArrayEquals(new long[] {6}, sum.shape());
                sum.close();
                assertEquals(2, array.slice(1, 3).size());
            }
        } catch (Driver.LogicError closed) {
            assertTrue(closed.getMessage().matches(".* was (closed|freed)"), closed.getMessage());
        }
    }

    @Test
    void closingDuringUseByAnotherThreadIsAtWorstAnError() throws Exception {
        var delay = new AtomicInteger();
        var table = GPUArray.zeros(FLOAT32, 4, 4);
        race(1500, List.of(array -> {
            for (long until = System.nanoTime() + delay.addAndGet(700) % 50_000; System.nanoTime() < until;) {
                Thread.onSpinWait();
            }
            array.close();
            table.add(1).close();  // reuses the closed array's object
        }, ArrayClosingTest::use, ArrayClosingTest::use));
    }

    @Test
    void manyThreadsMayCloseOneArray() throws Exception {
        race(1500, List.of(GPUArray::close, GPUArray::close, array -> {
            array.toString();
            array.close();
        }));
    }

    @Test
    void anotherThreadMayCloseAnArrayInUseByItsCreator() throws Exception {
        race(1000, List.of(ArrayClosingTest::use, GPUArray::close));
    }

    @Test
    void anAllocatorMayCloseTheOperands() {
        var pooled = GPUArray.toGpu(SIX);
        for (int i = 0; i < 20; i++) {
            var b = pooled.add(1);
            var calls = new AtomicInteger();
            Allocator closing = bytes -> {
                if (calls.getAndIncrement() == 1) {
                    b.close();
                    for (int k = 0; k < 20; k++) {
                        pooled.reshape(2, 3).add(3).close();  // would reuse its object, if that were free
                    }
                }
                return Driver.memAlloc(bytes);
            };
            var a = GPUArray.factory().allocator(closing).ones(FLOAT32, 6);
            try {
                assertArrayEquals(new long[] {6}, a.add(b).shape());  // the result has the shape of the array that is there now
            } catch (Driver.LogicError closed) {
                assertTrue(closed.getMessage().matches(".* was (closed|freed)"), closed.getMessage());
            }
            assertEquals(2, calls.get());
            assertThrows(Driver.LogicError.class, () -> a.add(b));
        }
    }

    @Test
    void aListMayCloseTheArraysItReturned() {
        var a = GPUArray.toGpu(SIX);
        var list = new AbstractList<GPUArray>() {
            private GPUArray last = a.add(0);

            @Override
            public GPUArray get(int index) {
                last.close();
                last = a.add(index);
                return last;
            }

            @Override
            public int size() {
                return 3;
            }
        };
        assertThrows(Driver.LogicError.class, () -> GPUArray.concatenate(list, 0));
    }

    @Test
    void hostFunctionsMayCloseArrays() {
        var a = GPUArray.toGpu(SIX);
        try (var stream = new Stream()) {
            var bound = a.on(stream);
            for (int i = 0; i < 50; i++) {
                var sum = bound.add(1);
                stream.addHostFunction(sum::close);
                bound.add(2).close();
            }
            stream.synchronize();
            assertArrayEquals(new float[] {3, 4, 5, 6, 7, 8}, bound.add(3).getFloats());
        }
    }

    private static void useOnClosedStream(ArrayFactory factory, BinaryOperator<GPUArray> operation) {
        var x = factory.toGpu(SIX);
        var y = factory.toGpu(SIX);
        var stream = new Stream();
        var bound = y.on(stream);
        stream.close();
        assertEquals(operation.apply(x, y).toString(), operation.apply(x, bound).toString());
        var error = assertThrows(Driver.LogicError.class, () -> operation.apply(bound, x));
        assertTrue(error.getMessage().contains("on(Stream.DEFAULT)"), error.getMessage());
        assertThrows(Driver.LogicError.class, () -> x.on(stream));
    }

    /** The operation waits for what the stream has left, and leaves nothing behind. */
    @Test
    void theStreamOfAnOperandMayBeClosed() throws InterruptedException {
        var pool = new DeviceMemoryPool();
        var factory = GPUArray.factory().allocator(pool);
        for (BinaryOperator<GPUArray> operation : List.<BinaryOperator<GPUArray>>of(GPUArray::add, GPUArray::vecdot, (a, b) -> GPUArray.ifPositive(a, b, a),
            GPUArray::concatenate, (a, b) -> GPUArray.meshgrid(a, b).get(0))) {
            useOnClosedStream(factory, operation);
        }
        LifetimeTest.eventually(() -> pool.activeBlocks() == 0, "a result was leaked");
    }

    @Test
    void closedArraysOfAnEndedContextAreNotReusedInTheNext() {
        for (int i = 0; i < 20; i++) {
            var context = new Device(0).makeContext();
            var a = GPUArray.toGpu(SIX);
            var alive = a.add(1);
            a.add(2).close();
            assertArrayEquals(new float[] {3, 4, 5, 6, 7, 8}, a.add(3).getFloats());
            context.detach();
            assertThrows(Driver.LogicError.class, () -> alive.add(1));
            alive.close();
            a.close();
        }
        assertEquals(15, GPUArray.toGpu(SIX).sum().getFloat());
    }
}
