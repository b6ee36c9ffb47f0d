package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Streams in use, and captured ones, with arrays of the streams that were in use before. */
class StreamUseTest implements WithContext {
    private static final float[] TWO = {2, 2, 2};
    private static final float[] FOUR = {4, 4, 4};
    private static final long LEGACY = 1;
    private static final long HELD_NANOS = 10_000_000;

    private static Stream nonBlocking() {
        return new Stream(StreamFlags.NON_BLOCKING);
    }

    private static Stream named(Stream stream) {
        return stream == Stream.DEFAULT ? Stream.fromHandle(LEGACY) : stream;
    }

    /** A stream in use follows the stream that was in use before, whose arrays its operations read. */
    @Test
    void aUseFollowsTheStreamInUseBefore() {
        try (var outer = nonBlocking(); var inner = nonBlocking()) {
            var x = GPUArray.toGpu(TWO);
            assertArrayEquals(FOUR, x.add(x).getFloats());
            x.fill(0);
            for (Stream before : List.of(Stream.DEFAULT, outer)) {
                x.fill(0);
                Context.synchronize();
                GPUArray sum;
                var use = before == Stream.DEFAULT ? null : before.use();
                try (var gate = new Gate(named(before))) {
                    x.fill(2);
                    var innerUse = inner.use();
                    sum = x.add(x);
                    assertTrue(gate.isClosed(), "the host waited");
                    gate.release();
                    innerUse.close();
                }
                if (use != null) {
                    use.close();
                }
                assertArrayEquals(FOUR, sum.getFloats());
            }
        }
    }

    /** A stream that is used inside a capture takes part in it, and one that is captured itself stays apart. */
    @Test
    void usesAndCapturesInsideACapture() {
        try (var outer = nonBlocking(); var inner = nonBlocking(); var apart = nonBlocking()) {
            var x = GPUArray.toGpu(TWO);
            GPUArray sum;
            try (var capture = outer.capture(CaptureMode.RELAXED)) {
                try (var use = inner.use()) {
                    assertTrue(inner.isCapturing());
                    sum = x.add(x);
                }
                try (var second = apart.capture(CaptureMode.RELAXED)) {
                    x.addInPlace(1);
                    second.end().close();
                }
                x.addInPlace(2);
                capture.end().instantiate().launch(outer);
                outer.synchronize();
            }
            assertArrayEquals(FOUR, sum.getFloats());
            assertArrayEquals(FOUR, x.getFloats());
        }
    }

    /** A stream in use in one context is not in use in another. */
    @Test
    void aUseCountsInItsContext() {
        try (var stream = nonBlocking(); var use = stream.use(); var context = new Device(0).makeContext(); var other = nonBlocking()) {
            var x = GPUArray.toGpu(TWO).on(other);
            var y = GPUArray.toGpu(TWO);
            assertArrayEquals(FOUR, x.add(y).getFloats());
            y.fill(0);
            Context.synchronize();
            GPUArray sum;
            try (var gate = new Gate(named(Stream.DEFAULT))) {
                y.fill(2);
                sum = x.add(y);
                assertFalse(other.isDone());
            }
            assertArrayEquals(FOUR, sum.getFloats());
        }
    }

    /** On another thread the stream is not in use: there the host waits for the default stream, which does not wait for the graph. */
    @Test
    void operandsOfTheDefaultStreamInACaptureOfAnotherThread() {
        try (var stream = nonBlocking()) {
            var x = GPUArray.toGpu(TWO).on(stream);
            var y = GPUArray.toGpu(TWO);
            assertArrayEquals(FOUR, x.add(y).getFloats());
            y.fill(0);
            Context.synchronize();
            var context = Context.current();
            Graph graph;
            GPUArray sum;
            var gate = new Gate(named(Stream.DEFAULT));
            y.fill(2);
            try (var capture = stream.capture(CaptureMode.RELAXED)) {
                var adding = CompletableFuture.supplyAsync(() -> context.run(() -> x.add(y)));
                LockSupport.parkNanos(HELD_NANOS);
                assertFalse(adding.isDone(), "it did not wait for the default stream");
                gate.release();
                sum = adding.join();
                graph = capture.end();
            }
            assertArrayEquals(new float[] {3, 3, 3}, y.add(1).getFloats());
            graph.instantiate().launch(stream);
            assertArrayEquals(FOUR, sum.getFloats());
        }
    }

    @Test
    void aUseInsideTheUseOfAClosedStream() {
        try (var inner = nonBlocking()) {
            var outer = nonBlocking();
            var x = GPUArray.toGpu(TWO);
            var use = outer.use();
            outer.close();
            try (var innerUse = inner.use(); var sum = x.add(x)) {
                assertArrayEquals(FOUR, sum.getFloats());
            }
            assertThrows(Driver.LogicError.class, use::close);
        }
    }
}
