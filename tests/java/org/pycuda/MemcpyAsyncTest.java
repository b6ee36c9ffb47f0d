package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class MemcpyAsyncTest implements WithContext {
    private static final int N = 1 << 14;

    private static FloatBuffer floats() {
        return ByteBuffer.allocateDirect(4 * N).order(ByteOrder.nativeOrder()).asFloatBuffer();
    }

    @Test
    void copiesBothWaysInOrder() {
        var from = floats();
        var to = floats();
        for (int i = 0; i < N; i++) {
            from.put(i, i);
        }
        try (var stream = new Stream(); var first = Driver.memAlloc(4 * N); var second = Driver.memAlloc(4 * N)) {
            Driver.memcpyHtodAsync(first, from, stream);
            Driver.memcpyDtodAsync(second, first, 4 * N, stream);
            Driver.memcpyDtohAsync(to, second, stream);
            stream.synchronize();
            assertEquals(0, to.compareTo(from));
        }
    }

    @Test
    void withoutAStreamItIsTheDefaultOne() {
        var from = floats().put(5, 5f);
        var to = floats();
        try (var memory = Driver.memAlloc(4 * N)) {
            Driver.memcpyHtodAsync(memory, from);
            Driver.memcpyDtohAsync(to, memory);
            Context.synchronize();
            assertEquals(5f, to.get(5));
        }
    }

    /** Twice as many copies behind a busy stream take twice as long: each looks at the first ones only. */
    @Test
    void copiesOnTheDefaultStreamDoNotLookAtAllOthers() {
        var gate = new CountDownLatch(1);
        try (var host = Driver.pagelockedEmpty(DType.FLOAT32, 4); var memory = Driver.memAlloc(16); var stream = new Stream()) {
            stream.addHostFunction(() -> {
                try {
                    gate.await();
                } catch (InterruptedException interrupt) {
                    Thread.currentThread().interrupt();
                }
            });
            Driver.memsetD8Async(memory, 0, 16, null);  // the default stream waits for all others
            int queries = 3000;
            long before = DefaultStreamData.looks;
            for (int i = 0; i < queries; i++) {
                Driver.memcpyHtodAsync(memory, host.buffer());
            }
            long looks = DefaultStreamData.looks - before;
            gate.countDown();
            Context.synchronize();
            assertTrue(looks <= 3L * queries, looks + " looks at " + queries + " copies");
        }
    }

    @Test
    void heapBuffersAreRefused() {
        try (var stream = new Stream(); var memory = Driver.memAlloc(16)) {
            var heap = FloatBuffer.wrap(new float[4]);
            assertThrows(IllegalArgumentException.class, () -> Driver.memcpyHtodAsync(memory, heap, stream));
            assertThrows(IllegalArgumentException.class, () -> Driver.memcpyDtohAsync(heap, memory, stream));
            var readOnly = ByteBuffer.allocateDirect(16).asReadOnlyBuffer();
            assertThrows(IllegalArgumentException.class, () -> Driver.memcpyDtohAsync(readOnly, memory, stream));
        }
    }

    @Test
    void buffersLiveUntilTheStreamHasPassed() throws InterruptedException {
        try (var stream = new Stream(); var memory = Driver.memAlloc(4 * N)) {
            Kernels.get("busy").launch(Driver.block(1).stream(stream), memory, 30_000_000);
            var buffer = new WeakReference<>(copyAndForget(memory, stream));
            System.gc();
            assertTrue(stream.isDone() || buffer.get() != null, "collected while its copy was pending");
            stream.synchronize();
            for (int i = 0; i < 50 && buffer.get() != null; i++) {
                System.gc();
                Thread.sleep(10);
            }
            assertTrue(buffer.get() == null, "still kept after the stream was done");
        }
    }

    private static FloatBuffer copyAndForget(DeviceAllocation memory, Stream stream) {
        var buffer = floats();
        Driver.memcpyHtodAsync(memory, buffer, stream);
        return buffer;
    }
}
