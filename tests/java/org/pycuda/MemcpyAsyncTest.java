package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.function.BooleanSupplier;
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
        try (var stream = new Stream()) {
            assertLivesUntilDone(stream, stream::isDone, stream::synchronize);
        }
    }

    @Test
    void buffersLiveUntilTheDefaultStreamHasPassed() throws InterruptedException {
        try (var passed = new Event()) {
            assertLivesUntilDone(null, () -> passed.record().query(), Context::synchronize);
        }
    }

    private static void assertLivesUntilDone(Stream stream, BooleanSupplier isDone, Runnable synchronize) throws InterruptedException {
        try (var memory = Driver.memAlloc(4 * N)) {
            Kernels.get("busy").launch(Driver.block(1).stream(stream), memory, 30_000_000);
            var buffer = new WeakReference<>(copyAndForget(memory, stream));
            System.gc();
            assertTrue(buffer.get() != null || isDone.getAsBoolean(), "collected while its copy was pending");
            synchronize.run();
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
