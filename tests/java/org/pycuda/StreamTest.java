package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

class StreamTest implements WithContext {
    private static final int N = 1 << 12;

    @Test
    void runsInOrderAndReportsCompletion() {
        try (var stream = new Stream(); var memory = Driver.memAlloc(4 * N)) {
            assertTrue(stream.isDone());
            assertNotEquals(0, stream.handle());
            for (int value = 1; value <= 50; value++) {
                Kernels.get("fill").launch(Driver.block(128).grid(N / 128).stream(stream), memory, value, N);
            }
            stream.synchronize();
            assertTrue(stream.isDone());
            assertEquals(50, Driver.fromDevice(memory, N, int[].class)[N - 1]);
        }
    }

    @Test
    void futuresCompleteEvenIfNoThreadCanBeStarted() {
        for (Throwable reason : new Throwable[] {new OutOfMemoryError("unable to create native thread"), new RejectedExecutionException()}) {
            for (boolean reached : new boolean[] {true, false}) {
                var done = new CompletableFuture<Void>() {
                    @Override
                    public Executor defaultExecutor() {
                        return task -> {
                            if (reason instanceof Error error) {
                                throw error;
                            }
                            throw (RuntimeException) reason;
                        };
                    }
                };
                new HostFunction(done, List.of()).ended(reached);
                assertTrue(done.isDone());
                assertEquals(!reached, done.isCompletedExceptionally());
            }
        }
    }

    @Test
    void waitsForAnEventOfAnotherStream() {
        var host = ByteBuffer.allocateDirect(4 * N).order(ByteOrder.nativeOrder());
        try (var first = new Stream(); var second = new Stream(StreamFlags.NON_BLOCKING); var event = new Event();
             var memory = Driver.memAlloc(4 * N)) {
            for (int round = 0; round < 20; round++) {
                Kernels.get("fill").launch(Driver.block(128).grid(N / 128).stream(first), memory, round, N);
                event.record(first);
                second.waitForEvent(event);
                Driver.memcpyDtohAsync(host, memory, second);
                second.synchronize();
                assertEquals(round, host.getInt(4 * (N - 1)));
            }
        }
    }

    @Test
    void isUnusableAfterClose() {
        var stream = new Stream();
        stream.close();
        assertDoesNotThrow(stream::close);
        for (org.junit.jupiter.api.function.Executable use : new org.junit.jupiter.api.function.Executable[] {
            stream::synchronize, stream::isDone, stream::handle,
            () -> Kernels.get("nothing").launch(Driver.block(1).stream(stream)),
            () -> Driver.memsetD8Async(DevicePointer.of(16), 0, 1, stream)}) {
            var error = assertThrows(Driver.LogicError.class, use);
            assertTrue(error.getMessage().contains("closed"), error.getMessage());
        }
    }

    @Test
    void flagsPriorityAndForeignStreams() {
        var range = Context.streamPriorityRange();
        assertTrue(range.least() >= range.greatest());
        try (var stream = Stream.withPriority(range.greatest(), StreamFlags.NON_BLOCKING); var memory = Driver.memAlloc(4)) {
            assertEquals(Set.of(StreamFlags.NON_BLOCKING), stream.flags());
            assertEquals(range.greatest(), stream.priority());
            Stream same = Stream.fromHandle(stream.handle());
            Driver.memsetD32Async(memory, 9, 1, same);
            same.close();
            stream.synchronize();
            assertEquals(9, Driver.fromDevice(memory, 1, int[].class)[0]);
        }
    }

    @Test
    void closeWaitsForCopiesIntoHostMemory() {
        var host = ByteBuffer.allocateDirect(4 * N).order(ByteOrder.nativeOrder());
        try (var memory = Driver.memAlloc(4 * N)) {
            var stream = new Stream();
            Kernels.get("fill").launch(Driver.block(128).grid(N / 128).stream(stream), memory, 42, N);
            Driver.memcpyDtohAsync(host, memory, stream);
            stream.close();
            assertEquals(42, host.getInt(4 * (N - 1)));
        }
    }

    @Test
    @org.junit.jupiter.api.Timeout(60)
    void hostFunctionsRunInOrder() throws Exception {
        var seen = new java.util.concurrent.ConcurrentLinkedQueue<String>();
        try (var stream = new Stream()) {
            stream.addHostFunction(() -> seen.add("first"));
            stream.addHostFunction(() -> {
                throw new IllegalStateException("logged, and the stream continues");
            });
            stream.addHostFunction(() -> seen.add("second"));
            stream.whenDone().thenRun(() -> seen.add("done")).get();
            assertEquals(java.util.List.of("first", "second", "done"), java.util.List.copyOf(seen));
        }
    }
}
