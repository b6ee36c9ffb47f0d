package org.pycuda;

import java.util.Objects;

/** A graph that is ready to be launched. Its launches run one after another. */
public final class ExecutableGraph extends ExecutableGraphProxy {
    /** One node of an executable graph. */
    public final class Node {
        private final GraphNode node;
        private ParameterLayout layout;

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
            if (layout == null) {
                layout = KernelNodes.layout(ExecutableGraph.this, node);
            }
            withArguments(() -> KernelNodes.update(ExecutableGraph.this, node, layout, config, arguments));
        }

        /** Sets other memory, value or size for a fill. */
        public void updateMemset(PointerHolderBase dest, int value, long count, int width) {
            withArguments(() -> ExecutableGraph.this.updateMemset(node, dest, value, count, width));
        }

        /** Sets other memory or size for a copy of device memory. */
        public void updateMemcpyDtod(PointerHolderBase dest, PointerHolderBase src, long size) {
            withArguments(() -> ExecutableGraph.this.updateMemcpyDtod(node, dest, src, size));
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

    /** The executable form of a node of the original graph. */
    public Node node(GraphNode node) {
        return new Node(Objects.requireNonNull(node, "node"));
    }

    private static void withArguments(Runnable update) {
        DriverProxy.beginUpdatedArguments();
        try {
            update.run();
        } finally {
            DriverProxy.endNodeArguments();
        }
    }
}
