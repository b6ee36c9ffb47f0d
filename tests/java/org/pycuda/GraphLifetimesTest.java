package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.pycuda.compiler.SourceModule;

/** What keeps what alive: graphs, the objects that their nodes use, and captures that never end. */
class GraphLifetimesTest implements WithContext {
    private static final LaunchConfig BLOCK = GraphTest.BLOCK;

    private static void others() {
        for (int i = 0; i < 20; i++) {
            Driver.memsetD32(Driver.memAlloc(128), 0, 32);
        }
    }

    @Test
    void whatCapturedWorkUsesLivesInCopiesAndExecutables() {
        var result = ByteBuffer.allocateDirect(128).order(ByteOrder.nativeOrder());
        try (var stream = new Stream()) {
            var memory = Driver.memAlloc(128);
            Driver.memsetD32(memory, 5, 32);
            var module = new SourceModule(GraphTest.SOURCE);
            Graph graph;
            try (var capture = stream.capture(CaptureMode.THREAD_LOCAL)) {
                module.function("twice").launch(BLOCK.stream(stream), memory);
                graph = capture.end();
            }
            graph.nodes().get(0).memcpyDtoh(result, memory);
            Graph copy = graph.copy();
            memory.close();
            module.close();
            graph.close();
            others();
            var run = copy.instantiate();
            copy.close();
            run.launch(stream);
            stream.synchronize();
            run.close();
            assertEquals(10, result.getInt(124));
        }
    }

    private interface Call {
        void queue(DevicePointer memory, Stream stream);
    }

    /** Copies and fills of 128 bytes of device memory. */
    private static Map<String, Call> copiesAndFills(ByteBuffer host) {
        return Map.of("memsetD8", (memory, stream) -> Driver.memsetD8Async(memory, (byte) 1, 128, stream),
            "memsetD16", (memory, stream) -> Fills.memsetD16Async(memory, (short) 1, 64, stream),
            "memsetD32", (memory, stream) -> Driver.memsetD32Async(memory, 1, 32, stream),
            "memsetD2d8", (memory, stream) -> Fills.memsetD2d8Async(memory, 32, (byte) 1, 32, 4, stream),
            "memsetD2d16", (memory, stream) -> Fills.memsetD2d16Async(memory, 32, (short) 1, 16, 4, stream),
            "memsetD2d32", (memory, stream) -> Fills.memsetD2d32Async(memory, 32, 1, 8, 4, stream),
            "memcpyHtod", (memory, stream) -> Driver.memcpyHtodAsync(memory, host, stream),
            "memcpyDtoh", (memory, stream) -> Driver.memcpyDtohAsync(host, memory, stream),
            "memcpyDtod", (memory, stream) -> Driver.memcpyDtodAsync(memory, memory.plus(64), 64, stream),
            "Memcpy2D", (memory, stream) -> new Memcpy2D().setSrcHost(host).setDstDevice(memory).setWidthInBytes(32).setHeight(4).copy(stream));
    }

    @ParameterizedTest
    @ValueSource(strings = {"memAlloc", "pool", "memAllocAsync"})
    void memoryOfCapturedCopiesAndFillsIsNotReused(String kind) {
        try (var pool = new DeviceMemoryPool(); var stream = new Stream(); var pinned = Driver.pagelockedZeros(DType.INT32, 32)) {
            Supplier<DeviceMemory> make = () -> kind.equals("pool") ? pool.allocate(128)
                : kind.equals("memAlloc") ? Driver.memAlloc(128) : Driver.memAllocAsync(128, stream);
            copiesAndFills(pinned.buffer(0, 128)).forEach((name, call) -> {
                DeviceMemory memory = make.get();
                Driver.memsetD32Async(memory, 5, 32, stream);
                ExecutableGraph run;
                try (var capture = stream.capture(CaptureMode.THREAD_LOCAL)) {
                    call.queue(memory, stream);
                    try (Graph graph = capture.end()) {
                        run = graph.instantiate();
                    }
                }
                memory.close();
                List<DeviceMemory> others = IntStream.range(0, 4).mapToObj(i -> make.get()).toList();
                others.forEach(other -> Driver.memsetD32Async(other, 9, 32, stream));
                run.launch(stream);
                stream.synchronize();
                others.forEach(other -> assertArrayEquals(GraphTest.all(9), Driver.fromDevice(other, 32, int[].class), name));
                assertNotEquals(9, pinned.buffer(0, 128).getInt(0), name);
                run.close();
                others.forEach(DeviceMemory::close);
            });
        }
    }

    /** Another executable graph that does the same, or contains it. */
    private static ExecutableGraph runBy(String route, Graph graph) {
        switch (route) {
            case "copy":
                return graph.copy().instantiate();
            case "child": {
                var parent = new Graph();
                parent.childGraph(graph);
                return parent.instantiate();
            }
            default:
                return graph.instantiate();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"graph", "copy", "child"})
    void launchesBehindABlockedHostFunctionKeepEverything(String route) {
        var calls = new AtomicInteger();
        var memory = Driver.memAlloc(128);
        var module = new SourceModule(GraphTest.SOURCE);
        var graph = new Graph();
        // A launch waits for copies of pageable memory.
        try (var stream = new Stream(StreamFlags.NON_BLOCKING); var pinned = Driver.pagelockedZeros(DType.INT32, 32)) {
            graph.hostFunction(calls::incrementAndGet).memset(memory, 9, 32, 4).kernel(module.function("twice"), BLOCK, memory)
                .memcpyDtoh(pinned.buffer(0, 128), memory);
            ExecutableGraph run = runBy(route, graph);
            try (var gate = new Gate(stream)) {
                run.launch(stream);
                run.close();
                graph.close();
                memory.close();
                module.close();
                System.gc();
                assertEquals(0, calls.get());
            }
            assertEquals(18, pinned.buffer(0, 128).getInt(124));
            assertEquals(1, calls.get());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"event", "module", "graph", "executable graph", "device allocation"})
    void whatAGraphKeptGoesWithIt(String kind) throws InterruptedException {
        long before = Devices.liveWithoutGarbage(kind);
        try (var stream = new Stream(); var memory = Driver.memAlloc(128); var event = new Event(); var graph = new Graph();
             var module = new SourceModule(GraphTest.SOURCE)) {
            graph.memset(memory, 1, 32, 4).kernel(module.function("twice"), BLOCK, memory).eventRecord(event).hostFunction(() -> {});
            try (var run = graph.instantiate()) {
                run.launch(stream);
                stream.synchronize();
            }
        }
        LifetimeTest.eventually(() -> Devices.live(kind) <= before, kind + " is left");
    }

    @Test
    void anExecutableIsUpdatedWhileItRuns() {
        try (var stream = new Stream(); var memory = Driver.memAlloc(128); var other = Driver.memAlloc(128); var graph = new Graph()) {
            Driver.memsetD32(memory, 0, 32);
            Driver.memsetD32(other, 0, 32);
            GraphNode node = graph.kernel(GraphTest.kernel("add"), BLOCK, memory, 1);
            try (var run = graph.instantiate()) {
                for (int i = 0; i < 100; i++) {
                    run.node(node).update(i % 2 == 0 ? memory : other, i);
                    run.launch(stream);
                }
            }
            stream.synchronize();
            assertArrayEquals(GraphTest.all(49 * 50), Driver.fromDevice(memory, 32, int[].class));
            assertArrayEquals(GraphTest.all(50 * 50), Driver.fromDevice(other, 32, int[].class));
        }
    }

    @Test
    void aGraphIsCollectedInTheMiddleOfItsCapture() {
        try (var stream = new Stream(); var memory = Driver.memAlloc(128)) {
            Driver.memsetD32(memory, 0, 32);
            var capture = stream.capture(CaptureMode.THREAD_LOCAL);
            GraphTest.kernel("add").launch(BLOCK.stream(stream), memory, 3);
            for (int i = 0; i < 3; i++) {
                new Graph().hostFunction(() -> {});
                new SourceModule(GraphTest.SOURCE);
                Cleanup.collectGarbage();
            }
            GraphTest.kernel("add").launch(BLOCK.stream(stream), memory, 4);
            try (var run = capture.end().instantiate()) {
                run.launch(stream);
                stream.synchronize();
            }
            assertArrayEquals(GraphTest.all(7), Driver.fromDevice(memory, 32, int[].class));
        }
    }

    @ParameterizedTest
    @EnumSource(CaptureMode.class)
    void aStreamEndsInTheMiddleOfItsCapture(CaptureMode mode) {
        try (var memory = Driver.memAlloc(128)) {
            Driver.memsetD32(memory, 1, 32);
            var stream = new Stream();
            var capture = stream.capture(mode);
            GraphTest.kernel("twice").launch(BLOCK.stream(stream), memory);
            stream.close();
            assertThrows(Driver.LogicError.class, capture::end);
            GraphTest.kernel("add").launch(BLOCK, memory, 1);
            assertArrayEquals(GraphTest.all(2), Driver.fromDevice(memory, 32, int[].class));
        }
    }

    @Test
    void aContextEndsInTheMiddleOfACapture() {
        var context = new Device(0).makeContext();
        var stream = new Stream();
        var memory = Driver.memAlloc(128);
        var graph = new Graph();
        graph.memset(memory, 1, 32, 4);
        var run = graph.instantiate();
        var capture = stream.capture(CaptureMode.THREAD_LOCAL);
        Driver.memsetD32Async(memory, 4, 32, stream);
        Context.pop();
        context.detach();
        assertThrows(Driver.LogicError.class, capture::end);
        assertThrows(Driver.LogicError.class, run::launch);
        assertThrows(Driver.LogicError.class, graph::empty);
        assertFalse(OpenCaptures.any());
        Context.synchronize();
    }

    @Test
    void twoThreadsCaptureAtTheSameTime() throws Exception {
        var context = Autoinit.context();
        var both = new CyclicBarrier(2);
        var threads = Executors.newFixedThreadPool(2);
        try {
            var futures = IntStream.range(1, 3).<Future<float[]>>mapToObj(factor -> threads.submit(() -> {
                try (var scope = context.pushed(); var stream = new Stream(StreamFlags.NON_BLOCKING);
                     var a = GPUArray.toGpu(new float[] {1, 2, 3})) {
                    float[] result = null;
                    for (int i = 0; i < 20; i++) {
                        Graph graph;
                        GPUArray made;
                        try (var capture = stream.capture(CaptureMode.THREAD_LOCAL)) {
                            both.await();
                            made = a.mul(factor).add(1);
                            both.await();
                            graph = capture.end();
                        }
                        try (var run = graph.instantiate()) {
                            run.launch(stream);
                            stream.synchronize();
                        }
                        result = made.get(float[].class);
                        graph.close();
                        made.close();
                    }
                    return result;
                }
            })).toList();
            assertArrayEquals(new float[] {2, 3, 4}, futures.get(0).get());
            assertArrayEquals(new float[] {3, 5, 7}, futures.get(1).get());
        } finally {
            threads.shutdown();
        }
    }

    @Test
    void memoryOfAGraphIsItsOwn() {
        try (var stream = new Stream(StreamFlags.NON_BLOCKING); var a = GPUArray.toGpu(new float[] {1, 2, 3})) {
            Graph graph;
            GPUArray made;
            try (var capture = stream.capture(CaptureMode.THREAD_LOCAL)) {
                try (var two = a.mul(2); var three = a.mul(3)) {
                    made = two.add(three);
                }
                graph = capture.end();
            }
            try (var run = graph.instantiate()) {
                graph.close();
                for (int i = 0; i < 20; i++) {
                    GPUArray.zeros(DType.FLOAT32, 3).fill(7);
                }
                run.launch(stream);
                stream.synchronize();
                assertArrayEquals(new float[] {5, 10, 15}, made.get(float[].class));
            }
            try (var more = made.add(1)) {
                assertTrue(more.get(float[].class)[2] == 16);
            }
            made.close();
        }
    }

    private static Array row(float... values) {
        return Textures.matrixToArray(HostData.of(new float[][] {values}), Order.C);
    }

    private interface TextureUse {
        ExecutableGraph of(Function read, TextureObject texture, DeviceMemory out, Stream stream);
    }

    @Test
    void graphsKeepTexturesAndTheirArrays() {
        Map<String, TextureUse> uses = Map.of(
            "node", (read, texture, out, stream) -> {
                var graph = new Graph();
                graph.kernel(read, Driver.block(4), texture, out);
                return graph.instantiate();
            },
            "update", (read, texture, out, stream) -> {
                var graph = new Graph();
                GraphNode node = graph.kernel(read, Driver.block(4), new TextureObject(row(9, 9, 9, 9)), out);
                ExecutableGraph run = graph.instantiate();
                run.node(node).update(texture, out);
                return run;
            },
            "launch", (read, texture, out, stream) -> captured(stream, config -> read.launch(config, texture, out)),
            "prepared call", (read, texture, out, stream) ->
                captured(stream, config -> read.prepare("PP").preparedAsyncCall(config, stream, texture, out)),
            "invocation", (read, texture, out, stream) ->
                captured(stream, config -> read.prepare("PP").invocation().set(0, texture).set(1, out).launch(config)));
        try (var module = new SourceModule("""
                __global__ void read(cudaTextureObject_t from, float *out) { out[threadIdx.x] = tex2D<float>(from, threadIdx.x + 0.5f, 0.5f); }
                """); var stream = new Stream(StreamFlags.NON_BLOCKING); var out = Driver.memAlloc(16)) {
            Function read = module.function("read");
            uses.forEach((name, use) -> {
                Array array = row(1, 2, 3, 4);
                var texture = new TextureObject(array);
                ExecutableGraph run = use.of(read, texture, out, stream);
                texture.close();
                array.close();
                var others = IntStream.range(0, 4).mapToObj(i -> new TextureObject(row(7, 7, 7, 7))).toList();
                Driver.memsetD32(out, 0, 4);
                run.launch(stream);
                stream.synchronize();
                assertArrayEquals(new float[] {1, 2, 3, 4}, Driver.fromDevice(out, 4, float[].class), name);
                others.forEach(TextureObject::close);
                run.close();
            });
        }
    }

    private static ExecutableGraph captured(Stream stream, Consumer<LaunchConfig> launch) {
        try (var capture = stream.capture(CaptureMode.THREAD_LOCAL)) {
            launch.accept(Driver.block(4).stream(stream));
            return capture.end().instantiate();
        }
    }
}
