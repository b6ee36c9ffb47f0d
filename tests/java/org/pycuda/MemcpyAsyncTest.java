package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MemcpyAsyncTest implements WithContext {
    private static final int N = 1 << 14;

    private static FloatBuffer floats() {
        return ByteBuffer.allocateDirect(4 * N).order(ByteOrder.nativeOrder()).asFloatBuffer();
    }

    @Test
    void copiesInBothDirectionsInOrder() {
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
    void withoutAStreamTheDefaultStreamIsUsed() {
        var from = floats().put(5, 5f);
        var to = floats();
        try (var memory = Driver.memAlloc(4 * N)) {
            Driver.memcpyHtodAsync(memory, from);
            Driver.memcpyDtohAsync(to, memory);
            Context.synchronize();
            assertEquals(5f, to.get(5));
        }
    }

    /** Their memory is kept alive without a driver call for each copy: another thread checks all of them together. */
    @Test
    void copiesMakeNoDriverCallBesides(@TempDir Path folder) throws Exception {
        int copies = 200;
        Path file = folder.resolve("run.json");
        try (var host = Driver.pagelockedEmpty(DType.FLOAT32, 4); var memory = Driver.memAlloc(16); var stream = new Stream()) {
            try (var trace = Trace.to(file)) {
                for (int i = 0; i < copies; i++) {
                    Driver.memcpyHtodAsync(memory, host.buffer());
                    Driver.memcpyHtodAsync(memory, host.buffer(), stream);
                    Driver.memcpyDtohAsync(host.buffer(), memory, stream);
                }
            }
            stream.synchronize();
        }
        var calls = Files.readAllLines(file).stream().filter(line -> line.contains("\"cat\":\"driver\"")).toList();
        assertEquals(3 * copies, calls.stream().filter(call -> call.contains("\"cuMemcpy")).count());
        assertEquals(List.of(), calls.stream().filter(call -> call.contains("\"cuEventRecord\"") || call.contains("\"cuEventQuery\"")).toList());
    }

    @Test
    void heapBuffersAreRejected() {
        try (var stream = new Stream(); var memory = Driver.memAlloc(16)) {
            var heap = FloatBuffer.wrap(new float[4]);
            assertThrows(IllegalArgumentException.class, () -> Driver.memcpyHtodAsync(memory, heap, stream));
            assertThrows(IllegalArgumentException.class, () -> Driver.memcpyDtohAsync(heap, memory, stream));
            var readOnly = ByteBuffer.allocateDirect(16).asReadOnlyBuffer();
            assertThrows(IllegalArgumentException.class, () -> Driver.memcpyDtohAsync(readOnly, memory, stream));
        }
    }

    /** One copy, several copies, more than one batch, and copies on the default stream. */
    @ParameterizedTest
    @CsvSource({"1, true", "20, true", "100, true", "1, false", "40, false"})
    void buffersLiveUntilTheStreamHasPassed(int count, boolean onStream) throws InterruptedException {
        try (var own = new Stream(); var memory = Driver.memAlloc(4 * N)) {
            Stream stream = onStream ? own : Stream.DEFAULT;
            Kernels.get("busy").launch(onStream ? Driver.block(1).stream(stream) : Driver.block(1), memory, 30_000_000);
            var buffers = new ArrayList<WeakReference<FloatBuffer>>();
            for (int i = 0; i < count; i++) {
                buffers.add(copyAndForget(memory, stream));
            }
            System.gc();
            boolean areAllThere = buffers.stream().allMatch(buffer -> buffer.get() != null);
            assertTrue(own.isDone() && (onStream || isDefaultStreamDone()) || areAllThere, "collected while its copy was pending");
            Context.synchronize();
            for (int i = 0; i < 50 && buffers.stream().anyMatch(buffer -> buffer.get() != null); i++) {
                System.gc();
                Thread.sleep(10);
            }
            assertEquals(List.of(), buffers.stream().filter(buffer -> buffer.get() != null).toList(), "still kept alive after the stream was done");
        }
    }

    private static boolean isDefaultStreamDone() {
        return new Event().record().isDone();
    }

    private static WeakReference<FloatBuffer> copyAndForget(DeviceAllocation memory, Stream stream) {
        var buffer = floats();
        if (stream == Stream.DEFAULT) {
            Driver.memcpyHtodAsync(memory, buffer);
        } else {
            Driver.memcpyHtodAsync(memory, buffer, stream);
        }
        return new WeakReference<>(buffer);
    }
}
