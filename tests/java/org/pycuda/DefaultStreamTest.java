package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;

/** Stream.DEFAULT, which stands for the default stream wherever a stream is taken. */
class DefaultStreamTest implements WithContext {
    private static final long LEGACY = 1;

    @Test
    void isTakenWhereverAStreamIs() {
        try (var memory = Driver.memAlloc(16); var event = new Event(); var x = GPUArray.zeros(DType.FLOAT32, 4).on(Stream.DEFAULT);
                var managed = Driver.managedZeros(DType.INT32, 4)) {
            var host = ByteBuffer.allocateDirect(16).order(ByteOrder.nativeOrder());
            Driver.memsetD32Async(memory, 7, 4, Stream.DEFAULT);
            Kernels.get("fill").launch(Driver.block(4).stream(Stream.DEFAULT), memory.plus(4), 8, 3);
            Driver.memcpyDtohAsync(host, memory, Stream.DEFAULT);
            event.record(Stream.DEFAULT);
            Stream.DEFAULT.synchronize();
            assertTrue(event.isDone());
            assertEquals(List.of(7, 8), List.of(host.getInt(0), host.getInt(12)));
            managed.prefetchAsync(new Device(0), Stream.DEFAULT);
            var refused = assertThrows(Driver.LogicError.class, () -> new MemoryRanges().add(managed, 16).prefetch(new Device(0), Stream.DEFAULT));
            assertTrue(refused.getMessage().contains("the stream must not be the default stream"), refused.getMessage());
            assertSame(Stream.DEFAULT, x.stream());
            assertSame(Stream.DEFAULT, x.add(1).stream());
            assertEquals(7, Driver.fromDevice(memory, 4, int[].class)[0]);
        }
    }

    /** Each call means the default stream of the context that is current then. */
    @Test
    void belongsToNoContext() {
        Context other = new Device(0).makeContext();
        try (var memory = Driver.memAlloc(4)) {
            Driver.memsetD32Async(memory, 3, 1, Stream.DEFAULT);
            Stream.DEFAULT.synchronize();
            assertEquals(3, Driver.fromDevice(memory, 1, int[].class)[0]);
        } finally {
            other.detach();
        }
        assertTrue(Stream.DEFAULT.isDone());
        var thread = CompletableFuture.supplyAsync(() -> {
            assertEquals(LEGACY, Stream.DEFAULT.handle());
            assertEquals("Stream.DEFAULT", Stream.DEFAULT.toString());
            Stream.DEFAULT.close();
            for (Executable needsOne : List.<Executable>of(Stream.DEFAULT::synchronize, Stream.DEFAULT::isDone, Stream.DEFAULT::priority, Stream.DEFAULT::whenDone,
                    Stream.DEFAULT::use, () -> new Event().record(Stream.DEFAULT))) {
                assertThrows(Driver.Error.class, needsOne);
            }
            return true;
        });
        assertTrue(thread.join());
    }

    @Test
    @Timeout(60)
    void hasTheMethodsOfAStream() throws Exception {
        Stream stream = Stream.DEFAULT;
        assertEquals(0, stream.priority());
        assertFalse(stream.isCapturing());
        assertEquals(new Device(0), stream.device());
        assertNotEquals(stream, Stream.fromHandle(LEGACY));
        stream.whenDone().get(60, TimeUnit.SECONDS);
        var called = new CompletableFuture<Boolean>();
        stream.addHostFunction(() -> called.complete(true));
        assertTrue(called.get(60, TimeUnit.SECONDS));
        try (var other = new Stream(StreamFlags.NON_BLOCKING); var event = new Event()) {
            stream.waitForEvent(event.record(other));
            stream.synchronize();
        }
        var refused = assertThrows(Driver.LogicError.class, () -> stream.capture(CaptureMode.THREAD_LOCAL));
        assertTrue(refused.getMessage().contains("default stream"), refused.getMessage());
    }

    @Test
    void closingItDoesNothing() {
        try (var stream = Stream.DEFAULT; var memory = Driver.memAlloc(4)) {
            Driver.memsetD32Async(memory, 5, 1, stream);
            stream.close();
            assertEquals(5, Driver.fromDevice(memory, 1, int[].class)[0]);
        }
        Stream.DEFAULT.synchronize();
        assertEquals(LEGACY, Stream.DEFAULT.handle());
    }

    /** A use of it inside another stream's use takes operations of arrays back to the default stream. */
    @Test
    void canBeInUse() {
        var x = GPUArray.zeros(DType.FLOAT32, 3);
        try (var stream = new Stream(StreamFlags.NON_BLOCKING); var outer = stream.use()) {
            assertSame(stream, Stream.inUse(Stream.DEFAULT));
            try (var inner = Stream.DEFAULT.use()) {
                assertEquals(LEGACY, Stream.inUse(Stream.DEFAULT).handle());
                assertArrayEquals(new float[] {2, 2, 2}, x.add(2).getFloats());
            }
            assertSame(stream, Stream.inUse(Stream.DEFAULT));
        }
        try (var use = Stream.DEFAULT.use()) {
            assertArrayEquals(new float[] {1, 1, 1}, x.add(1).getFloats());
        }
    }

    @Test
    void graphsAreUploadedAndLaunchedOnIt() {
        try (var stream = new Stream(); var memory = Driver.toDevice(new int[] {0})) {
            var capture = stream.capture(CaptureMode.THREAD_LOCAL);
            Driver.memsetD32Async(memory, 9, 1, stream);
            try (var graph = capture.end(); var run = graph.instantiate(Stream.DEFAULT)) {
                run.launch(Stream.DEFAULT);
                Stream.DEFAULT.synchronize();
            }
            assertEquals(9, Driver.fromDevice(memory, 1, int[].class)[0]);
        }
    }

    @Test
    void nullIsNoStream() {
        try (var memory = Driver.memAlloc(4); var x = GPUArray.zeros(DType.FLOAT32, 1); var event = new Event()) {
            for (Executable call : List.<Executable>of(() -> Driver.memsetD8Async(memory, 0, 1, null), () -> event.record(null), () -> x.on(null),
                    () -> Driver.block(1).stream(null), () -> GPUArray.factory().on(null), () -> memory.pointerFor(null), () -> new CopyBatch().queue(null),
                    () -> new ReductionKernel(DType.FLOAT32, "0", "a + b").on(null), () -> new XORWOWRandomNumberGenerator(1).on(null),
                    () -> Driver.memcpyHtodAsync(memory, ByteBuffer.allocateDirect(4), null))) {
                String message = assertThrows(NullPointerException.class, call).getMessage();
                assertTrue(message.endsWith(": pass Stream.DEFAULT for the default stream"), message);
            }
        }
    }
}
