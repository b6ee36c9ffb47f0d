package org.pycuda.arguments;

import static org.pycuda.arguments.Row.SIZE;
import static org.pycuda.arguments.Row.reads;
import static org.pycuda.arguments.Row.writes;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.pycuda.Context;
import org.pycuda.Driver;
import org.pycuda.ExecutableGraph;
import org.pycuda.Graph;
import org.pycuda.GraphNode;
import org.pycuda.DevicePointer;
import org.pycuda.compiler.SourceModule;

/** Graph nodes: each is added or updated, and then its graph is launched. */
final class GraphRows {
    private GraphRows() {}

    private static final byte[] SEVENS = new byte[SIZE];
    private static final Supplier<Graph> GRAPH = Graph::new;
    private static final Row.Then LAUNCH = (result, self, values) -> launch((Graph) self);
    /** Memory of another kind than the node's, which the driver does not allow in an update; {@link Kernels} updates nodes of these kinds. */
    private static final String[] OTHER = {"StreamOrderedAllocation", "VirtualMemory", "mapped page-locked memory", "mapped registered memory"};
    private static final String[] OTHER_HOST = {"StreamOrderedAllocation", "VirtualMemory", "mapped page-locked memory", "mapped registered memory",
        "buffer of page-locked memory", "buffer of managed memory", "buffer of registered memory"};
    /** Arrays of other elements than int32. */
    private static final String[] NO_CONDITIONS = {"GPUArray", "view of a GPUArray", "GPUArray of an ended context"};
    /** The last node that {@link #updated} returned. */
    private static ExecutableGraph run;

    static {
        Arrays.fill(SEVENS, (byte) 7);
    }

    static List<Row> all() {
        List<Row> rows = new ArrayList<>();
        rows.add(new Row(Graph.class, "memset", writes(SEVENS), 7, (long) SIZE, 1).on(GRAPH).then(LAUNCH));
        rows.add(new Row(Graph.class, "memcpyDtod", writes(1), reads(), (long) SIZE).on(GRAPH).then(LAUNCH));
        rows.add(new Row(Graph.class, "memcpyHtod", writes(1), reads()).on(GRAPH).then(LAUNCH)
            .but(IllegalArgumentException.class, CopyRows.HEAP).but(IllegalArgumentException.class, CopyRows.CLOSABLE));
        rows.add(new Row(Graph.class, "memcpyDtoh", writes(1), reads()).on(GRAPH).then(LAUNCH)
            .but(IllegalArgumentException.class, CopyRows.HEAP).but(IllegalArgumentException.class, CopyRows.CLOSABLE));
        rows.add(new Row(Graph.class, "ifThen", reads()).on(GRAPH).then(LAUNCH).but(IllegalArgumentException.class, NO_CONDITIONS));
        rows.add(new Row(Graph.class, "ifElse", reads()).on(GRAPH).then(LAUNCH).but(IllegalArgumentException.class, NO_CONDITIONS));
        rows.add(new Row(Graph.class, "whileLoop", reads(new byte[SIZE])).on(GRAPH).then(LAUNCH).but(IllegalArgumentException.class, NO_CONDITIONS));
        rows.add(new Row(Graph.class, "switchOn", reads(), 2).on(GRAPH).then(LAUNCH).but(IllegalArgumentException.class, NO_CONDITIONS));
        rows.add(new Row(Kernels.class, "add", writes(SEVENS)));
        rows.add(new Row(Kernels.class, "update", writes(SEVENS)));
        Row.Then again = (result, self, values) -> launch(run);
        rows.add(new Row(GraphNode.class, "updateFill", writes(SEVENS), 7, (long) SIZE, 1).on(() -> new Graph().memset(Driver.memAlloc(SIZE), 0, SIZE, 1)).except(OTHER)
            .then((result, self, values) -> launch(((GraphNode) self).graph())));
        rows.add(new Row(ExecutableGraph.Node.class, "updateMemset", writes(SEVENS), 7, (long) SIZE, 1)
            .on(updated(graph -> graph.memset(Driver.memAlloc(SIZE), 0, SIZE, 1))).then(again).except(OTHER));
        rows.add(new Row(ExecutableGraph.Node.class, "updateMemcpyDtod", writes(1), reads(), (long) SIZE)
            .on(updated(graph -> graph.memcpyDtod(Driver.memAlloc(SIZE), Driver.memAlloc(SIZE), SIZE))).then(again).except(OTHER));
        rows.add(new Row(ExecutableGraph.Node.class, "updateMemcpyHtod", writes(1), reads())
            .on(updated(graph -> graph.memcpyHtod(Driver.memAlloc(SIZE), ByteBuffer.allocateDirect(SIZE)))).then(again).except(OTHER_HOST)
            .but(IllegalArgumentException.class, CopyRows.HEAP).but(IllegalArgumentException.class, CopyRows.CLOSABLE));
        rows.add(new Row(ExecutableGraph.Node.class, "updateMemcpyDtoh", writes(1), reads())
            .on(updated(graph -> graph.memcpyDtoh(ByteBuffer.allocateDirect(SIZE), Driver.memAlloc(SIZE)))).then(again).except(OTHER_HOST)
            .but(IllegalArgumentException.class, CopyRows.HEAP).but(IllegalArgumentException.class, CopyRows.CLOSABLE));
        rows.add(new Row(Kernels.class, "updateMemset", writes(SEVENS)));
        rows.add(new Row(Kernels.class, "updateMemcpyDtod", writes(1), reads()));
        return rows;
    }

    private static Supplier<ExecutableGraph.Node> updated(Function<Graph, GraphNode> add) {
        return () -> {
            var graph = new Graph();
            GraphNode node = add.apply(graph);
            run = graph.instantiate();
            return run.node(node);
        };
    }

    private static void launch(Graph graph) {
        try (var executable = graph.instantiate()) {
            launch(executable);
        }
    }

    private static void launch(ExecutableGraph executable) {
        executable.launch();
        Context.synchronize();
    }

    /** Makes nodes with an argument of any type look like calls with a device address. */
    public static final class Kernels {
        private static final String SOURCE = "__global__ void set(unsigned char *to, int value) { to[threadIdx.x] = value; }";

        private Kernels() {}

        private static GraphNode node(Graph graph, DevicePointer to, int value) {
            return graph.kernel(new SourceModule(SOURCE).function("set"), Driver.block(SIZE), to, value);
        }

        public static void add(DevicePointer to) {
            var graph = new Graph();
            node(graph, to, 7);
            launch(graph);
        }

        /** The node uses the same memory, which may be of any kind. */
        public static void updateMemset(DevicePointer to) {
            var graph = new Graph();
            GraphNode node = graph.memset(to, 0, SIZE, 1);
            var executable = graph.instantiate();
            executable.node(node).updateMemset(to, 7, SIZE, 1);
            launch(executable);
        }

        /** The same for a copy, which the update makes longer. */
        public static void updateMemcpyDtod(DevicePointer to, DevicePointer from) {
            var graph = new Graph();
            GraphNode node = graph.memcpyDtod(to, from, 1);
            var executable = graph.instantiate();
            executable.node(node).updateMemcpyDtod(to, from, SIZE);
            launch(executable);
        }

        public static void update(DevicePointer to) {
            var graph = new Graph();
            GraphNode node = node(graph, Driver.memAlloc(SIZE), 1);
            var executable = graph.instantiate();
            executable.node(node).update(to, 7);
            launch(executable);
        }
    }
}
