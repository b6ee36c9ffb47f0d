package org.pycuda;

import java.lang.ref.Reference;
import java.util.List;

/** Kernel nodes with Java arguments. */
final class KernelNodes {
    private KernelNodes() {}

    static GraphNode add(Graph graph, Function function, LaunchConfig config, Object[] arguments, List<GraphNode> after) {
        config.checkTexrefs(function);
        ArgumentBlock block = ArgumentBlock.acquire();
        try {
            int nbytes = pack(block, function.layout(), arguments);
            return DriverProxy.addKernelNode(graph, function, block.addressFor(config), nbytes, after);
        } finally {
            block.release();
            Reference.reachabilityFence(arguments);
            Reference.reachabilityFence(config);
        }
    }

    static ParameterLayout layout(ExecutableGraph run, GraphNode node) {
        return new ParameterLayout("the node's kernel", DriverProxy.kernelNodeLayout(run, node));
    }

    /** @param config null: keep the geometry */
    static void update(ExecutableGraph run, GraphNode node, ParameterLayout layout, LaunchConfig config, Object[] arguments) {
        ArgumentBlock block = ArgumentBlock.acquire();
        try {
            int nbytes = pack(block, layout, arguments);
            long address = block.addressFor(config == null ? Driver.block(1) : config);
            DriverProxy.updateKernelNode(run, node, config != null, address, nbytes);
        } finally {
            block.release();
            Reference.reachabilityFence(arguments);
            Reference.reachabilityFence(config);
        }
    }

    private static int pack(ArgumentBlock block, ParameterLayout layout, Object[] arguments) {
        for (int i = 0; i < arguments.length; i++) {
            if (arguments[i] instanceof ArgumentHandler) {
                throw new IllegalArgumentException("argument " + i + ", counted from 0, is an " + arguments[i].getClass().getSimpleName()
                    + ": nodes of graphs take device memory; add separate nodes for copies");
            }
        }
        return ArgumentPacker.pack(block, layout, arguments, null);
    }
}
