package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.lang.ref.WeakReference;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Memory of a holder that the program defined: a graph keeps the holder. Every way to use it, as in test_foreign_memory.py. */
class ForeignMemoryTest implements WithContext {
    private static final int N = 32;
    private static final LaunchConfig BLOCK = Driver.block(N);

    /** The program's own memory. */
    private static final class Holder implements DevicePointer {
        private final DeviceAllocation memory = Driver.memAlloc(4 * N);

        Holder() {
            Driver.memsetD32(memory, 1, N);
        }

        @Override
        public long pointer() {
            return memory.pointer();
        }
    }

    private interface Add {
        void to(Graph graph, DevicePointer memory);
    }

    private interface Update {
        void of(ExecutableGraph.Node node, DevicePointer memory);
    }

    private org.pycuda.Function add;
    private Stream stream;
    private DeviceAllocation out;
    private DeviceAllocation other;

    @BeforeEach
    void prepare() {
        add = GraphTest.kernel("add");
        stream = new Stream();
        out = Driver.memAlloc(4 * N);
        other = Driver.memAlloc(4 * N);
    }

    @AfterEach
    void release() {
        stream.close();
        out.close();
        other.close();
    }

    private static Function<DevicePointer, AutoCloseable> node(Add add) {
        return memory -> {
            var graph = new Graph();
            add.to(graph, memory);
            return graph;
        };
    }

    private Function<DevicePointer, AutoCloseable> captured(Function<DevicePointer, Object> work) {
        return memory -> {
            try (var capture = stream.capture(CaptureMode.THREAD_LOCAL)) {
                work.apply(memory);
                return capture.end();
            }
        };
    }

    private static Function<DevicePointer, AutoCloseable> updated(Function<Graph, GraphNode> node, Update update) {
        return memory -> {
            try (var graph = new Graph()) {
                GraphNode added = node.apply(graph);
                ExecutableGraph run = graph.instantiate();
                update.of(run.node(added), memory);
                return run;
            }
        };
    }

    private static Memcpy2D row(DevicePointer dest, DevicePointer src) {
        return new Memcpy2D().setDstDevice(dest).setSrcDevice(src).setWidthInBytes(4 * N).setHeight(1);
    }

    private Map<String, Function<DevicePointer, AutoCloseable>> uses() {
        var uses = new LinkedHashMap<String, Function<DevicePointer, AutoCloseable>>();
        uses.put("kernel", node((graph, memory) -> graph.kernel(add, BLOCK, memory, 1)));
        uses.put("shifted", node((graph, memory) -> graph.kernel(add, Driver.block(8), memory.plus(16), 1)));
        uses.put("memset", node((graph, memory) -> graph.memset(memory, 3, N, 4)));
        uses.put("memcpy from", node((graph, memory) -> graph.memcpyDtod(out, memory, 4 * N)));
        uses.put("memcpy to", node((graph, memory) -> graph.memcpyDtod(memory, out, 4 * N)));
        uses.put("memcpyNd", node((graph, memory) -> graph.memcpyNd(row(out, memory))));
        uses.put("condition", node((graph, memory) -> graph.ifThen(memory)));
        uses.put("body", node((graph, memory) -> graph.ifThen(out).body().kernel(add, BLOCK, memory, 1)));
        uses.put("array", node((graph, memory) -> graph.kernel(add, BLOCK, GPUArray.wrap(memory, DType.INT32, N), 1)));
        uses.put("view", node((graph, memory) -> graph.kernel(add, Driver.block(16), GPUArray.wrap(memory, DType.INT32, N).reshape(4, 8), 1)));
        uses.put("clone", memory -> {
            try (var graph = new Graph()) {
                graph.kernel(add, BLOCK, memory, 1);
                return graph.copy();
            }
        });
        uses.put("child", memory -> {
            var outer = new Graph();
            try (var graph = new Graph()) {
                graph.kernel(add, BLOCK, memory, 1);
                outer.childGraph(graph);
            }
            return outer;
        });
        uses.put("executable", memory -> {
            try (var graph = new Graph()) {
                graph.kernel(add, BLOCK, memory, 1);
                return graph.instantiate();
            }
        });
        uses.put("captured launch", captured(memory -> {
            add.launch(BLOCK.stream(stream), memory, 1);
            return null;
        }));
        uses.put("captured prepared call", captured(memory -> {
            GraphTest.kernel("add").prepare("Pi").preparedAsyncCall(BLOCK, stream, memory, 1);
            return null;
        }));
        uses.put("captured invocation", captured(memory -> {
            GraphTest.kernel("add").prepare("Pi").invocation().set(0, memory).set(1, 1).launch(BLOCK.stream(stream));
            return null;
        }));
        uses.put("captured memset", captured(memory -> {
            Driver.memsetD32Async(memory, 3, N, stream);
            return null;
        }));
        uses.put("captured memcpy", captured(memory -> {
            Driver.memcpyDtodAsync(out, memory, 4 * N, stream);
            return null;
        }));
        uses.put("captured memcpyNd", captured(memory -> {
            row(out, memory).copy(stream);
            return null;
        }));
        uses.put("captured operation", captured(memory -> GPUArray.wrap(memory, DType.INT32, N).add(1)));
        uses.put("update of a kernel", updated(graph -> graph.kernel(add, BLOCK, out, 1), (node, memory) -> node.update(memory, 1)));
        uses.put("update of a fill", updated(graph -> graph.memset(out, 1, N, 4), (node, memory) -> node.updateMemset(memory, 1, N, 4)));
        uses.put("update of a copy", updated(graph -> graph.memcpyDtod(out, other, 4 * N), (node, memory) -> node.updateMemcpyDtod(out, memory, 4 * N)));
        uses.put("update of an end", updated(graph -> graph.memcpyDtod(out, other, 4 * N),
            (node, memory) -> node.updateMemcpy(new Memcpy3D().setDstDevice(memory), 4 * N)));
        return uses;
    }

    private static AutoCloseable used(Function<DevicePointer, AutoCloseable> use, WeakReference<?>[] reference) {
        var holder = new Holder();
        reference[0] = new WeakReference<>(holder);
        return use.apply(holder);
    }

    @Test
    void theGraphKeepsTheHolderAndReleasesIt() throws Exception {
        for (var use : uses().entrySet()) {
            var reference = new WeakReference<?>[1];
            AutoCloseable keeper = used(use.getValue(), reference);
            System.gc();
            Context.synchronize();
            System.gc();
            assertNotNull(reference[0].get(), use.getKey());
            keeper.close();
            keeper = null;
            LifetimeTest.eventually(() -> reference[0].get() == null, use.getKey());
        }
    }

    @Test
    void anUpdateOfOneEndKeepsTheOther() throws Exception {
        try (var graph = new Graph()) {
            GraphNode node = graph.memcpyDtod(out, other, 4 * N);
            try (var run = graph.instantiate()) {
                var reference = new WeakReference<?>[1];
                used(memory -> {
                    run.node(node).updateMemcpyDtod(out, memory, 4 * N);
                    return null;
                }, reference);
                run.node(node).updateMemcpy(new Memcpy3D().setDstDevice(other), 4 * N);
                System.gc();
                assertNotNull(reference[0].get());
                run.launch();
                assertArrayEquals(GraphTest.all(1), Driver.fromDevice(other, N, int[].class));
                run.node(node).updateMemcpyDtod(other, out, 4 * N);
                LifetimeTest.eventually(() -> reference[0].get() == null, "the other end is kept");
            }
        }
    }
}
