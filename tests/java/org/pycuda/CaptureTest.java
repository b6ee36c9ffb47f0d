package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Capture of streams, and the stream of array operations. */
class CaptureTest implements WithContext {
    private static final LaunchConfig BLOCK = GraphTest.BLOCK;

    private static void launch(Graph graph, Stream stream) {
        try (var run = graph.instantiate()) {
            run.launch(stream);
            stream.synchronize();
        }
    }

    @Test
    void aGraphRunsCapturedWork() {
        try (var stream = new Stream(); var memory = Driver.memAlloc(128)) {
            Driver.memsetD32(memory, 0, 32);
            var calls = new AtomicInteger();
            Graph graph;
            try (var capture = stream.capture(CaptureMode.THREAD_LOCAL)) {
                GraphTest.kernel("add").launch(BLOCK.stream(stream), memory, 3);
                GraphTest.kernel("twice").launch(BLOCK.stream(stream), memory);
                stream.addHostFunction(calls::incrementAndGet);
                assertTrue(stream.isCapturing());
                graph = capture.end();
            }
            assertFalse(stream.isCapturing());
            launch(graph, stream);
            launch(graph, stream);
            assertArrayEquals(GraphTest.all(18), Driver.fromDevice(memory, 32, int[].class));
            assertEquals(2, calls.get());
            graph.close();
        }
    }

    @Test
    void aCaptureGoesOnWhileAUseInsideIsOpen() {
        try (var stream = new Stream(); var array = GPUArray.ones(DType.INT32, 4)) {
            var capture = stream.capture(CaptureMode.THREAD_LOCAL);
            var use = stream.use();
            array.addInPlace(2);
            assertThrows(Driver.LogicError.class, capture::end);
            assertThrows(Driver.LogicError.class, capture::close);
            assertTrue(stream.isCapturing());
            use.close();
            try (Graph graph = capture.end()) {
                launch(graph, stream);
            }
            assertArrayEquals(new int[] {3, 3, 3, 3}, array.getInts());
            Driver.memAlloc(4).close();
        }
    }

    @Test
    void aCaptureEndsWithItsStream() {
        var stream = new Stream();
        try (var capture = stream.capture(CaptureMode.THREAD_LOCAL)) {
            stream.close();
        }
        Driver.memAlloc(4).close();
    }

    @Test
    void streamsForkAndJoin() {
        try (var stream = new Stream(); var other = new Stream(); var forked = new Event(); var joined = new Event();
             var memory = Driver.memAlloc(128)) {
            Graph graph;
            try (var capture = stream.capture(CaptureMode.GLOBAL)) {
                Driver.memsetD32Async(memory, 4, 32, stream);
                forked.record(stream);
                other.waitForEvent(forked);
                GraphTest.kernel("twice").launch(BLOCK.stream(other), memory);
                joined.record(other);
                stream.waitForEvent(joined);
                graph = capture.end();
            }
            launch(graph, stream);
            assertArrayEquals(GraphTest.all(8), Driver.fromDevice(memory, 32, int[].class));
        }
    }

    @Test
    void uncapturableCallsAreRejectedAndTheCaptureContinues() {
        try (var stream = new Stream(); var memory = Driver.memAlloc(128)) {
            Map<String, org.junit.jupiter.api.function.Executable> refused = Map.of(
                "synchronize", stream::synchronize, "is_done", stream::isDone, "Context", Context::synchronize,
                "memcpy_htod", () -> Driver.memcpyHtod(memory, new int[4]), "memset_d8", () -> Driver.memsetD8(memory, 0, 4),
                "mem_alloc", () -> Driver.memAlloc(16), "page-locked",
                () -> GraphTest.kernel("add").launch(BLOCK.stream(stream), new InOut(new int[32]), 1));
            Graph graph;
            try (var capture = stream.capture(CaptureMode.THREAD_LOCAL)) {
                refused.forEach((name, call) -> {
                    var error = assertThrows(Driver.LogicError.class, call);
                    assertTrue(error.getMessage().contains(name), error.getMessage());
                });
                Driver.memsetD32Async(memory, 4, 32, stream);
                graph = capture.end();
            }
            launch(graph, stream);
            assertArrayEquals(GraphTest.all(4), Driver.fromDevice(memory, 32, int[].class));
        }
    }

    @Test
    void anInvalidCaptureNamesTheCause() {
        try (var stream = new Stream(); var memory = Driver.memAlloc(128)) {
            var capture = stream.capture(CaptureMode.THREAD_LOCAL);
            assertThrows(Driver.LogicError.class, () -> GraphTest.kernel("add").launch(BLOCK, memory, 3));
            var error = assertThrows(Driver.LogicError.class, capture::end);
            assertTrue(error.getMessage().contains("cuLaunchKernel"), error.getMessage());
            capture.close();
            stream.synchronize();
        }
    }

    @Test
    void closingACaptureDiscardsIt() {
        try (var stream = new Stream(); var memory = Driver.memAlloc(128)) {
            Driver.memsetD32(memory, 1, 32);
            try (var capture = stream.capture(CaptureMode.RELAXED)) {
                GraphTest.kernel("twice").launch(BLOCK.stream(stream), memory);
            }
            assertFalse(stream.isCapturing());
            stream.synchronize();
            assertArrayEquals(GraphTest.all(1), Driver.fromDevice(memory, 32, int[].class));
        }
    }

    @Test
    void arraysAreCaptured() {
        float[] values = new float[1000];
        IntStream.range(0, values.length).forEach(i -> values[i] = i);
        try (var stream = new Stream(StreamFlags.NON_BLOCKING); var a = GPUArray.toGpu(values)) {
            GPUArray made;
            GPUArray sum;
            Graph graph;
            try (var capture = stream.capture(CaptureMode.THREAD_LOCAL)) {
                try (var twice = a.mul(2); var more = twice.add(a)) {
                    made = more.add(1);
                }
                sum = made.sum();
                graph = capture.end();
            }
            try (var run = graph.instantiate(); var others = GPUArray.zeros(DType.FLOAT32, 1000)) {
                graph.close();
                a.set(values);
                run.launch(stream);
                stream.synchronize();
                assertEquals(3 * 999 + 1, made.get(float[].class)[999]);
                assertEquals(3 * 999 * 500 + 1000, sum.getDouble(), 200);
            }
            made.close();
            sum.close();
        }
    }

    @Test
    void aUseSetsTheStreamOfArrayOperations() {
        try (var stream = new Stream(StreamFlags.NON_BLOCKING); var a = GPUArray.toGpu(new float[] {1, 2, 3})) {
            var use = stream.use();
            try (var b = a.mul(2); var c = b.add(a)) {
                assertArrayEquals(new float[] {3, 6, 9}, c.get(float[].class));
            }
            try (var inner = new Stream(); var of = inner.use()) {
                assertThrows(Driver.LogicError.class, use::close);
            }
            use.close();
            use.close();
        }
    }
}
