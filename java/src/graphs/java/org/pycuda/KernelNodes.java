package org.pycuda;

import java.lang.ref.Reference;
import java.util.List;

/** Kernel nodes with Java arguments. */
final class KernelNodes {
    private KernelNodes() {}

    static GraphNode add(Graph graph, Function function, LaunchConfig config, Object[] arguments, List<GraphNode> after) {
        return packed(function, config, arguments, (address, nbytes) -> DriverProxy.addKernelNode(graph, function, address, nbytes, after));
    }

    /** Makes a kernel node of a graph another launch. */
    static void replace(GraphNode node, Function function, LaunchConfig config, Object[] arguments) {
        packed(function, config, arguments, (address, nbytes) -> {
            DriverProxy.replaceKernel(node, function, address, nbytes);
            return node;
        });
    }

    private interface Use {
        GraphNode of(long address, int nbytes);
    }

    private static GraphNode packed(Function function, LaunchConfig config, Object[] arguments, Use use) {
        config.checkTexrefs(function);
        ArgumentBlock block = ArgumentBlock.acquire();
        try {
            int nbytes = pack(block, function.layout(), arguments);
            return use.of(block.addressFor(config), nbytes);
        } finally {
            block.release();
            Reference.reachabilityFence(arguments);
            Reference.reachabilityFence(config);
        }
    }

    /** The layout of a node's present kernel. */
    record PresentLayout(long id, ParameterLayout layout) {}

    static PresentLayout layout(ExecutableGraph run, GraphNode node) {
        long id = DriverProxy.kernelNodeLayoutId(run, node);  // first: if the kernel changes now, the update finds another one
        return new PresentLayout(id, new ParameterLayout("the node's kernel", DriverProxy.kernelNodeLayout(run, node)));
    }

    /**
     * @param config null: keep the geometry
     * @return false if the kernel has another layout by now
     */
    static boolean update(ExecutableGraph run, GraphNode node, PresentLayout known, LaunchConfig config, Object[] arguments) {
        ArgumentBlock block = ArgumentBlock.acquire();
        try {
            int nbytes = pack(block, known.layout(), arguments);
            long address = block.addressFor(config == null ? Driver.block(1) : config);
            return DriverProxy.updateKernelNode(run, node, known.id(), config != null, address, nbytes);
        } finally {
            block.release();
            Reference.reachabilityFence(arguments);
            Reference.reachabilityFence(config);
        }
    }

    private static int pack(ArgumentBlock block, ParameterLayout layout, Object[] arguments) {
        for (int i = 0; i < arguments.length; i++) {
            if (arguments[i] instanceof ArgumentHandler) {
                throw new IllegalArgumentException("argument " + i + ", counted from 0: given " + arguments[i].getClass().getSimpleName()
                    + ": nodes of graphs take device memory; add separate nodes for copies");
            }
        }
        return ArgumentPacker.pack(block, layout, arguments, Stream.DEFAULT);
    }
}
