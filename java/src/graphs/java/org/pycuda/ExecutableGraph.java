package org.pycuda;

import java.nio.Buffer;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * A graph that is ready to be launched. Its launches run one after another.
 * <pre>{@code
 * try (var a = GPUArray.zeros(DType.INT32, 3); var graph = new Graph()) {
 *     graph.memset(a, 7, 3, 4);
 *     try (ExecutableGraph run = graph.instantiate()) {
 *         run.launch();
 *     }
 *     System.out.println(a);  // [7 7 7]
 * }
 * }</pre>
 */
public final class ExecutableGraph extends ExecutableGraphProxy {
    /** One node of an executable graph. */
    public final class Node {
        private final GraphNode node;
        private KernelNodes.PresentLayout layout;

        private Node(GraphNode node) {
            this.node = node;
        }

        /** Sets other arguments for a kernel. Running launches keep theirs. */
        public void update(Object... arguments) {
            Objects.requireNonNull(arguments, "arguments");
            updateKernel(null, arguments);
        }

        /** Sets other arguments and another geometry for a kernel. */
        public void update(LaunchConfig config, Object... arguments) {
            Objects.requireNonNull(config, "config");
            Objects.requireNonNull(arguments, "arguments");
            updateKernel(config, arguments);
        }

        private void updateKernel(LaunchConfig config, Object[] arguments) {
            KernelNodes.PresentLayout known = layout != null ? layout : KernelNodes.layout(ExecutableGraph.this, node);
            while (!updateKernel(known, config, arguments)) {
                known = KernelNodes.layout(ExecutableGraph.this, node);  // an update of the whole graph has changed the kernel
            }
            layout = known;
        }

        private boolean updateKernel(KernelNodes.PresentLayout known, LaunchConfig config, Object[] arguments) {
            DriverProxy.beginUpdatedArguments();
            try {
                return KernelNodes.update(ExecutableGraph.this, node, known, config, arguments);
            } catch (IllegalArgumentException mismatch) {
                if (known.id() == KernelNodes.layout(ExecutableGraph.this, node).id()) {
                    throw mismatch;
                }
                return false;
            } finally {
                DriverProxy.endNodeArguments();
            }
        }

        /** Sets other memory, value or size for a fill. */
        public void updateMemset(DevicePointer dest, int value, long count, int width) {
            withArguments(() -> ExecutableGraph.this.updateMemset(node, dest, value, count, width));
        }

        /** Sets other memory or size for a copy of device memory. */
        public void updateMemcpyDtod(DevicePointer dest, DevicePointer src, long size) {
            updateMemcpy(() -> RowCopy.onDevice(dest, src, size));
        }

        /** Another direct buffer, between its position and its limit, or other memory for a copy to the device. */
        public void updateMemcpyHtod(DevicePointer dest, Buffer src) {
            updateMemcpy(() -> RowCopy.toDevice(dest, src));
        }

        /** Another direct buffer, between its position and its limit, or other memory for a copy to the host. */
        public void updateMemcpyDtoh(Buffer dest, DevicePointer src) {
            updateMemcpy(() -> RowCopy.toHost(dest, src));
        }

        /**
         * Other memory or arrays for a copy of one row, also one that a capture recorded. Its ends stay device memory, host memory or arrays.
         *
         * @param ends a copy whose ends take the place of the node's; those that it does not set, and all offsets, stay
         * @param size bytes
         */
        public void updateMemcpy(Memcpy3D ends, long size) {
            Objects.requireNonNull(ends, "ends");
            withArguments(() -> ExecutableGraph.this.updateMemcpy(node, ends, size));
        }

        /**
         * Replaces a copy of one row by another one, with offsets. Rectangles and boxes cannot be changed here: change them in the graph
         * ({@link GraphNode#updateMemcpyNd}), and call {@link ExecutableGraph#update}.
         *
         * @param copy a {@link Memcpy2D} or {@link Memcpy3D} of one row, as it is now; its ends are kept until another update or the end of this graph
         * @throws Driver.LogicError the node does not copy, the copy has several rows, an end is not set or closed, or the driver rejects it
         */
        public void updateMemcpyNd(StructuredCopy copy) {
            Objects.requireNonNull(copy, "copy");
            withArguments(() -> ExecutableGraph.this.updateMemcpy(node, copy));
        }

        private void updateMemcpy(Supplier<RowCopy> row) {
            withArguments(() -> {
                RowCopy now = row.get();
                ExecutableGraph.this.updateMemcpy(node, now.copy(), now.nbytes());
            });
        }

        /** Lets an event node record another event, or wait for it. */
        public void updateEvent(Event event) {
            ExecutableGraph.this.updateEvent(node, event);
        }

        /** Replaces the operations of a node of memory operations by as many others of the same kinds. */
        public void updateMemoryOperations(MemoryOperations operations) {
            ExecutableGraph.this.updateMemoryOperations(node, operations);
        }

        /** Replaces the semaphores and values of a node that signals semaphores or waits for them; their number stays. */
        public void updateSemaphores(SemaphoreValues semaphores) {
            ExecutableGraph.this.updateSemaphores(node, semaphores);
        }

        /** Calls another function of the host, which must not call the driver. */
        public void updateHostFunction(Runnable function) {
            DriverProxy.updateExecutableHostFunction(ExecutableGraph.this, node, new HostFunction(Objects.requireNonNull(function, "function")));
        }

        /** Takes the parameters of all nodes of a child graph from another graph, which must have the same nodes and edges. */
        public void updateChildGraph(Graph child) {
            ExecutableGraph.this.updateChildGraph(node, child);
        }

        /** Enables the node in later launches. */
        public void enable() {
            setEnabled(node, true);
        }

        /** Disables the node in later launches: a kernel, a copy or a fill. */
        public void disable() {
            setEnabled(node, false);
        }

        /** Whether launches run the node. */
        public boolean isEnabled() {
            return ExecutableGraph.this.isEnabled(node);
        }
    }

    ExecutableGraph(long cPtr, boolean cMemoryOwn) {
        super(cPtr, cMemoryOwn);
    }

    ExecutableGraph(Graph graph) {
        super(graph);
    }

    ExecutableGraph(Graph graph, Stream upload) {
        super(graph, upload);
    }

    ExecutableGraph(Graph graph, Stream upload, boolean deviceLaunch) {
        super(graph, upload, deviceLaunch);
    }

    /** One node, of the graph that this was made from. */
    public Node node(GraphNode node) {
        return new Node(Objects.requireNonNull(node, "node"));
    }

    private static void withArguments(Runnable update) {
        GraphNode.withArguments(DriverProxy::beginUpdatedArguments, update);
    }
}
