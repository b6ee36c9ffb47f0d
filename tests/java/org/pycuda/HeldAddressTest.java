package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.lang.ref.WeakReference;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Objects that hold addresses for work which they will queue keep what owns the memory. */
class HeldAddressTest implements WithContext {
    private static final int BATCHES_SINCE = 13000;
    /** Keeps an object. */
    private static final AtomicReference<Object> OPEN = new AtomicReference<>();

    /** Memory that is a holder's of the program. */
    private record Holder(DeviceAllocation memory) implements DevicePointer {
        @Override
        public long pointer() {
            return memory.pointer();
        }
    }

    /** Passes a holder to {@code hold}, and returns a reference to it. */
    private static WeakReference<Holder> held(DeviceAllocation memory, Consumer<DevicePointer> hold) {
        var holder = new Holder(memory);
        hold.accept(holder);
        return new WeakReference<>(holder);
    }

    private static void assertKept(WeakReference<?> reference) throws InterruptedException {
        for (int i = 0; i < 5; i++) {
            System.gc();
            Thread.sleep(5);
        }
        assertNotNull(reference.get());
    }

    private static void assertLetGo(WeakReference<?> reference) throws InterruptedException {
        LifetimeTest.eventually(() -> reference.refersTo(null), "the holder is let go");
    }

    @Test
    void memoryOperations() throws InterruptedException {
        try (var stream = new Stream(); var memory = Driver.toDevice(new int[2])) {
            var operations = new MemoryOperations();
            var holder = held(memory, word -> operations.writeValue32(word, 5));
            assertKept(holder);
            operations.queue(stream);
            stream.synchronize();
            assertEquals(5, Driver.fromDevice(memory, 2, int[].class)[0]);
        }
    }

    @Test
    void droppedMemoryOperations() throws InterruptedException {
        try (var memory = Driver.toDevice(new int[2])) {
            assertLetGo(held(memory, word -> new MemoryOperations().writeValue32(word, 5)));
        }
    }

    /** Launches a node on a holder, which the graph keeps meanwhile. */
    private static WeakReference<Holder> heldByALaunchedNode(DeviceAllocation memory) throws InterruptedException {
        try (var stream = new Stream(); var graph = new Graph()) {
            var holder = held(memory, word -> graph.memoryOperations(new MemoryOperations().writeValue32(word, 5)));
            try (var run = graph.instantiate()) {
                assertKept(holder);
                run.launch(stream);
                stream.synchronize();
            }
            return holder;
        }
    }

    @Test
    void nodes() throws InterruptedException {
        try (var memory = Driver.toDevice(new int[2])) {
            var holder = heldByALaunchedNode(memory);
            assertEquals(5, Driver.fromDevice(memory, 2, int[].class)[0]);
            assertLetGo(holder);
        }
    }

    @Test
    void closedGraphsLetGo() throws InterruptedException {
        try (var memory = Driver.toDevice(new int[2]); var graph = new Graph()) {
            var holder = held(memory, word -> graph.memset(word, 1, 4, 1));
            var run = graph.instantiate();
            graph.close();
            assertKept(holder);
            run.close();
            assertLetGo(held(memory, word -> {
                var other = new Graph();
                other.memset(word, 1, 4, 1);
                other.close();
                OPEN.set(other);
            }));
        }
    }

    @Test
    void copies() throws InterruptedException {
        Assumptions.assumeTrue(Driver.driverVersion() >= BATCHES_SINCE);
        try (var stream = new Stream(); var source = Driver.toDevice(new int[] {3, 4}); var target = Driver.toDevice(new int[2])) {
            var batch = new CopyBatch();
            var from = held(source, holder -> batch.add(target, holder, 8));
            assertKept(from);
            batch.queue(stream);
            stream.synchronize();
            assertEquals(4, Driver.fromDevice(target, 2, int[].class)[1]);
            assertLetGo(held(source, holder -> new CopyBatch().add(target, holder, 8)));
        }
    }

    @Test
    void ranges() throws InterruptedException {
        try (var memory = Driver.memAlloc(64)) {
            var ranges = new MemoryRanges();
            assertKept(held(memory, holder -> ranges.add(holder, 64)));
            assertEquals(1, ranges.count());
            assertLetGo(held(memory, holder -> new MemoryRanges().add(holder, 64)));
        }
    }
}
