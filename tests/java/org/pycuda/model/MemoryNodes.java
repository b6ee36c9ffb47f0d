package org.pycuda.model;

import java.util.ArrayList;
import java.util.List;
import org.pycuda.Driver;
import org.pycuda.ExecutableGraph;
import org.pycuda.Graph;
import org.pycuda.GraphNode;
import org.pycuda.LaunchConfig;
import org.pycuda.Memcpy3D;
import org.pycuda.NodeBuilder;

/** Graphs that programs build node by node: the nodes of tests/model/calls.py. */
final class MemoryNodes {
    private static final LaunchConfig BLOCK = Driver.block(32);

    /** A graph, its nodes in their order, and its executable graph. */
    record Built(Graph graph, List<GraphNode> nodes, ExecutableGraph run) implements AutoCloseable {
        static Built of(Graph graph, List<GraphNode> nodes) {
            return new Built(graph, nodes, graph.instantiate());
        }

        @Override
        public void close() {
            run.close();
            graph.close();
        }
    }

    private final MemoryPrograms programs;
    private final List<GraphNode> nodes = new ArrayList<>();
    private final Graph graph = new Graph();

    MemoryNodes(MemoryPrograms programs) {
        this.programs = programs;
    }

    void add(String call, int v, int n, List<MemoryCalls.Operand> operands) {
        NodeBuilder last = nodes.isEmpty() ? graph : nodes.get(nodes.size() - 1);
        MemoryCalls.Operand to = operands.get(0);
        MemoryCalls.Operand from = operands.get(operands.size() - 1);
        nodes.add(switch (call) {
            case "launch_put" -> last.kernel(programs.put, BLOCK, to.argument(), n, v);
            case "launch_add" -> last.kernel(programs.add, BLOCK, to.argument(), from.argument(), n);
            case "memset_d32_async" -> last.memset(to.pointer(), v, n, 4);
            case "memset_d16_async" -> last.memset(to.pointer(), v % 32768, 2 * n, 2);
            case "memcpy_dtod_async" -> last.memcpyDtod(to.pointer(), from.pointer(), 4 * n);
            case "memcpy_htod_async" -> last.memcpyHtod(to.pointer(), from.host());
            case "memcpy_dtoh_async" -> last.memcpyDtoh(to.host(), from.pointer());
            default -> throw new IllegalArgumentException(call);
        });
    }

    Built built() {
        return Built.of(graph, nodes);
    }

    Graph graph() {
        return graph;
    }

    /** @param part "all", or the letter of the only end of a copy that changes */
    static void update(ExecutableGraph.Node node, String call, String part, int v, int n, List<MemoryCalls.Operand> operands) {
        MemoryCalls.Operand to = operands.get(0);
        MemoryCalls.Operand from = operands.get(operands.size() - 1);
        if (!part.equals("all")) {
            node.updateMemcpy(part.equals(call.equals("memcpy_dtoh_async") ? "h" : "y") ? destination(to) : source(from), 4 * n);
            return;
        }
        switch (call) {
            case "launch_put" -> node.update(to.argument(), n, v);
            case "launch_add" -> node.update(to.argument(), from.argument(), n);
            case "memset_d32_async" -> node.updateMemset(to.pointer(), v, n, 4);
            case "memset_d16_async" -> node.updateMemset(to.pointer(), v % 32768, 2 * n, 2);
            case "memcpy_dtod_async" -> node.updateMemcpyDtod(to.pointer(), from.pointer(), 4 * n);
            case "memcpy_htod_async" -> node.updateMemcpyHtod(to.pointer(), from.host());
            case "memcpy_dtoh_async" -> node.updateMemcpyDtoh(to.host(), from.pointer());
            default -> throw new IllegalArgumentException(call);
        }
    }

    private static Memcpy3D destination(MemoryCalls.Operand to) {
        return to.isHost() ? new Memcpy3D().setDstHost(to.host()) : new Memcpy3D().setDstDevice(to.pointer());
    }

    private static Memcpy3D source(MemoryCalls.Operand from) {
        return from.isHost() ? new Memcpy3D().setSrcHost(from.host()) : new Memcpy3D().setSrcDevice(from.pointer());
    }
}
