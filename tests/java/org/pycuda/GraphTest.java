package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.pycuda.compiler.SourceModule;

/** Graphs that are built node by node, and executable graphs. */
class GraphTest implements WithContext {
    static final String SOURCE = """
        __global__ void add(int* a, int k) { a[threadIdx.x] += k; }
        __global__ void twice(int* a) { a[threadIdx.x] *= 2; }
        __global__ void count_down(int* flag) { --*flag; }
        """;
    static final LaunchConfig BLOCK = Driver.block(32);

    static Function kernel(String name) {
        return new SourceModule(SOURCE).function(name);
    }

    static int[] all(int value) {
        return IntStream.generate(() -> value).limit(32).toArray();
    }

    static int[] result(ExecutableGraph run, DeviceAllocation memory) {
        run.launch();
        return Driver.fromDevice(memory, 32, int[].class);
    }

    @Test
    void nodesRunInTheOrderOfTheirEdges() {
        try (var memory = Driver.memAlloc(128); var graph = new Graph()) {
            GraphNode first = graph.memset(memory, 1, 32, 4);
            GraphNode second = first.kernel(kernel("add"), BLOCK, memory, 2);
            GraphNode third = second.kernel(kernel("twice"), BLOCK, memory);
            assertEquals(List.of(first, second, third), graph.nodes());
            assertEquals(List.of(new Graph.Edge(first, second), new Graph.Edge(second, third)), graph.edges());
            assertEquals(GraphNodeKind.MEMSET, first.kind());
            assertEquals(Map.of("function", "add", "grid", List.of(1L, 1L, 1L), "block", List.of(32L, 1L, 1L), "shared", 0L),
                second.parameters());
            assertTrue(graph.dot().contains("n1 -> n2;"), graph.dot());
            try (var run = graph.instantiate()) {
                assertArrayEquals(all(6), result(run, memory));
            }
        }
    }

    @Test
    void everyKindOfNode() {
        var host = ByteBuffer.allocateDirect(128).order(ByteOrder.nativeOrder());
        var calls = new AtomicInteger();
        host.asIntBuffer().put(all(5));
        try (var memory = Driver.memAlloc(128); var graph = new Graph(); var child = new Graph(); var event = new Event()) {
            child.kernel(kernel("add"), BLOCK, memory, 1);
            GraphNode last = graph.memcpyHtod(memory, host).eventRecord(event).eventWait(event).childGraph(child)
                .hostFunction(calls::incrementAndGet).empty().memset(memory, 9, 4, 4);
            GraphNode block = graph.memAlloc(128);
            block = graph.after(last, block).memcpyDtod(block.allocated(), memory, 128).memcpyDtoh(host, block.allocated()).memFree(block);
            try (var run = graph.instantiate()) {
                run.launch();
                run.launch();
                Context.synchronize();
            }
            assertEquals(2, calls.get());
            assertEquals(9, host.getInt(0));
            assertEquals(7, host.getInt(124));  // the second launch began with the first one's result
            assertEquals(1, graph.nodes().get(3).bodies().size());
        }
    }

    @Test
    void conditions() {
        try (var memory = Driver.memAlloc(128); var flag = Driver.memAlloc(4); var graph = new Graph()) {
            Graph loop = graph.memset(memory, 0, 32, 4).whileLoop(flag).body();
            loop.kernel(kernel("add"), BLOCK, memory, 2).kernel(kernel("count_down"), Driver.block(1), flag);
            try (var run = graph.instantiate()) {
                Driver.memcpyHtod(flag, new int[] {7});
                assertArrayEquals(all(14), result(run, memory));
            }
            try (var other = new Graph()) {
                List<Graph> bodies = other.switchOn(flag, 2).bodies();
                bodies.get(0).memset(memory, 3, 32, 4);
                other.after(other.nodes().get(1)).ifElse(flag).bodies().get(1).kernel(kernel("add"), BLOCK, memory, 1);
                other.ifThen(flag).body().memset(memory, 9, 32, 4);
                try (var run = other.instantiate()) {
                    assertArrayEquals(all(4), result(run, memory));
                }
            }
        }
    }

    @Test
    void aConditionIsAnInt() {
        try (var graph = new Graph(); var floats = GPUArray.zeros(DType.FLOAT32); var longs = GPUArray.zeros(DType.INT64, 3)) {
            for (var wrong : List.of(floats, longs)) {
                var error = assertThrows(IllegalArgumentException.class, () -> graph.whileLoop(wrong));
                assertTrue(error.getMessage().startsWith("a condition is an int32 in device memory, not "), error.getMessage());
            }
            GraphNode first = graph.empty();
            graph.after(first, first).empty();
            assertEquals(1, graph.edges().size());
        }
    }

    @Test
    void nodesOfExecutableGraphsAreUpdated() {
        try (var memory = Driver.memAlloc(128); var graph = new Graph()) {
            GraphNode fill = graph.memset(memory, 1, 32, 4);
            GraphNode add = fill.kernel(kernel("add"), BLOCK, memory, 2);
            try (var run = graph.instantiate()) {
                run.node(add).update(memory, 5);
                assertArrayEquals(all(6), result(run, memory));
                run.node(fill).updateMemset(memory, 10, 32, 4);
                assertArrayEquals(all(15), result(run, memory));
                run.node(add).disable();
                assertFalse(run.node(add).isEnabled());
                assertArrayEquals(all(10), result(run, memory));
                run.node(add).enable();
                run.node(add).update(Driver.block(16), memory, 1);
                assertEquals(36, Arrays.stream(result(run, memory)).sum() - 300);
                assertThrows(IllegalArgumentException.class, () -> run.node(add).update(memory));
                assertThrows(Driver.LogicError.class, () -> run.node(fill).update(memory, 1));
            }
        }
    }

    @Test
    void anUpdateSaysWhichNodeDiffers() {
        try (var memory = Driver.memAlloc(128); var graph = new Graph(); var same = new Graph(); var other = new Graph()) {
            graph.memset(memory, 1, 32, 4).kernel(kernel("add"), BLOCK, memory, 2);
            same.memset(memory, 10, 32, 4).kernel(kernel("add"), BLOCK, memory, 20);
            other.memset(memory, 10, 32, 4).memcpyDtod(memory, memory, 4);
            try (var run = graph.instantiate()) {
                run.update(same);
                assertArrayEquals(all(30), result(run, memory));
                var error = assertThrows(Driver.GraphUpdateError.class, () -> run.update(other));
                assertTrue(error.getMessage().contains("node 1"), error.getMessage());
                assertArrayEquals(all(30), result(run, memory));
            }
        }
    }

    @Test
    void copiesHaveTheirOwnNodes() {
        try (var memory = Driver.memAlloc(128); var graph = new Graph()) {
            GraphNode node = graph.memset(memory, 1, 32, 4);
            try (var copy = graph.copy()) {
                GraphNode same = copy.findInClone(node);
                same.kernel(kernel("twice"), BLOCK, memory);
                assertEquals(1, graph.nodes().size());
                assertEquals(2, copy.nodes().size());
                assertThrows(Driver.LogicError.class, () -> graph.after(same).empty());
            }
        }
    }

    @Test
    void handlersAreRejectedAsNodeArguments() {
        try (var graph = new Graph()) {
            var error = assertThrows(IllegalArgumentException.class,
                () -> graph.kernel(kernel("add"), BLOCK, new InOut(new int[32]), 1));
            assertTrue(error.getMessage().contains("InOut"), error.getMessage());
            assertThrows(IllegalArgumentException.class, () -> graph.memcpyHtod(DevicePointer.of(16), ByteBuffer.allocate(4)));
            assertEquals(List.of(), graph.nodes());
        }
    }

    @Test
    void everythingMayBeClosedWhileItRuns() {
        var host = ByteBuffer.allocateDirect(128).order(ByteOrder.nativeOrder());
        var stream = new Stream(StreamFlags.NON_BLOCKING);
        var memory = Driver.memAlloc(128);
        var event = new Event();
        var graph = new Graph();
        var module = new SourceModule(SOURCE);
        graph.memset(memory, 7, 32, 4).kernel(module.function("add"), BLOCK, memory, 1).eventRecord(event).memcpyDtoh(host, memory);
        var run = graph.instantiate(stream);
        module.close();
        memory.close();
        event.close();
        for (int i = 0; i < 100; i++) {
            run.launch(stream);
        }
        run.close();
        graph.close();
        stream.synchronize();
        stream.close();
        assertEquals(8, host.getInt(124));
        assertThrows(Driver.LogicError.class, run::launch);
        assertThrows(Driver.LogicError.class, graph::nodes);
    }

    private static ByteBuffer ints(int value) {
        var buffer = ByteBuffer.allocateDirect(128).order(ByteOrder.nativeOrder());
        buffer.asIntBuffer().put(all(value));
        return buffer;
    }

    @Test
    void copiesOfHostMemoryAreUpdated() {
        try (var memory = Driver.memAlloc(128); var graph = new Graph()) {
            GraphNode in = graph.memcpyHtod(memory, ints(1));
            ByteBuffer first = ints(0), second = ints(0);
            GraphNode out = in.memcpyDtoh(first, memory);
            try (var run = graph.instantiate()) {
                run.node(in).updateMemcpyHtod(memory, ints(5));
                run.node(out).updateMemcpyDtoh(second, memory);
                assertArrayEquals(all(5), result(run, memory));
                assertEquals(0, first.getInt(0));
                assertEquals(5, second.getInt(124));
                var error = assertThrows(Driver.LogicError.class, () -> run.node(in).updateMemcpyDtod(memory, memory, 128));
                assertTrue(error.getMessage().contains("ends stay"), error.getMessage());
                assertThrows(IllegalArgumentException.class, () -> run.node(in).updateMemcpy(new Memcpy3D().setSrcHost(ints(1)), 256));
            }
        }
    }

    @Test
    void graphsForDeviceLaunch() {
        try (var memory = Driver.memAlloc(128); var stream = new Stream(); var graph = new Graph()) {
            graph.memset(memory, 4, 32, 4);
            if (Devices.isCpu()) {
                var error = assertThrows(Driver.LogicError.class, () -> graph.instantiate(stream, true));
                assertTrue(error.getMessage().contains("kernels cannot launch graphs"), error.getMessage());
                return;
            }
            try (var run = graph.instantiate(stream, true)) {
                assertArrayEquals(all(4), result(run, memory));
            }
        }
    }

    @Test
    void boxCopiesOfArraysAreUpdated() {
        try (var memory = Driver.memAlloc(24); var graph = new Graph()) {
            var array = Textures.matrixToArray(HostData.of(new float[] {1, 2, 3, 4, 5, 6}).shape(2, 3), Order.C);
            var copy = new Memcpy2D().setSrcArray(array).setDstDevice(memory).setWidthInBytes(12).setHeight(2);
            GraphNode node = graph.memcpyNd(copy);
            array.close();
            try (var run = graph.instantiate(); var third = Textures.matrixToArray(HostData.of(new float[6]).shape(2, 3), Order.C)) {
                assertArrayEquals(new float[] {1, 2, 3, 4, 5, 6}, launched(run, memory));
                var other = Textures.matrixToArray(HostData.of(new float[] {7, 8, 9, 10, 11, 12}).shape(2, 3), Order.C);
                node.updateMemcpyNd(copy.setSrcArray(other));
                other.close();
                assertArrayEquals(new float[] {1, 2, 3, 4, 5, 6}, launched(run, memory));
                var kept = assertThrows(Driver.GraphUpdateError.class, () -> run.update(graph));
                assertTrue(kept.getMessage().contains("cannot be changed"), kept.getMessage());
                try (var next = graph.instantiate()) {
                    assertArrayEquals(new float[] {7, 8, 9, 10, 11, 12}, launched(next, memory));
                }
                copy.setSrcArray(third);
                var refused = assertThrows(Driver.LogicError.class, () -> run.node(node).updateMemcpyNd(copy));
                assertTrue(refused.getMessage().contains("update the node of the graph"), refused.getMessage());
                var row = new Graph().memcpyNd(new Memcpy2D().setSrcArray(third).setDstDevice(memory).setWidthInBytes(12).setHeight(1));
                try (var rows = row.graph().instantiate()) {
                    rows.node(row).updateMemcpyNd(new Memcpy2D().setSrcArray(third).setSrcY(1).setDstDevice(memory.plus(4)).setWidthInBytes(4)
                        .setHeight(1));
                    assertArrayEquals(new float[] {7, 0, 9, 10, 11, 12}, launched(rows, memory));
                }
                assertThrows(Driver.LogicError.class, () -> graph.empty().updateMemcpyNd(copy));
                assertThrows(Driver.LogicError.class, () -> graph.memcpyNd(new Memcpy3DPeer().setSrcArray(third).setDstArray(third)));
                assertThrows(Driver.LogicError.class, () -> graph.memcpyNd(new Memcpy3D().setSrcArray(third)));
            }
        }
    }

    private static float[] launched(ExecutableGraph run, DeviceAllocation memory) {
        run.launch();
        return Driver.fromDevice(memory, 6, float[].class);
    }
}
