package org.pycuda;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Work that is described once, by a capture ({@link Stream#capture}) or node by node, and launched any number of times. Memory, kernels,
 * events and functions that its nodes use stay alive until the graph, its copies and executable graphs are gone and their launches complete.
 * <pre>{@code
 * try (var a = GPUArray.zeros(DType.INT32, 3); var b = GPUArray.zeros(DType.INT32, 3); var graph = new Graph()) {
 *     graph.memset(a, 7, 3, 4).memcpyDtod(b, a, 12);  // the copy waits for the fill
 *     try (var run = graph.instantiate()) {
 *         run.launch();
 *     }
 *     System.out.println(b);  // [7 7 7]
 * }
 * }</pre>
 */
public final class Graph extends GraphProxy implements NodeBuilder {
    /** Two nodes, of which the second waits for the first. */
    public record Edge(GraphNode from, GraphNode to) {}

    private record After(Graph graph, List<GraphNode> predecessors) implements NodeBuilder {}

    Graph(long cPtr, boolean cMemoryOwn) {
        super(cPtr, cMemoryOwn);
    }

    /** An empty graph, for the current context. */
    public Graph() {}

    @Override
    public Graph graph() {
        return this;
    }

    @Override
    public List<GraphNode> predecessors() {
        return List.of();
    }

    /** Adds nodes that wait for all of {@code nodes}. */
    public NodeBuilder after(GraphNode... nodes) {
        for (int i = 0; i < Objects.requireNonNull(nodes, "nodes").length; i++) {
            Objects.requireNonNull(nodes[i], "nodes[" + i + "]");
        }
        return new After(this, List.of(nodes));
    }

    /** The dependencies. */
    public List<Edge> edges() {
        List<GraphNode> ends = edgeEnds();
        var edges = new ArrayList<Edge>();
        for (int i = 0; i < ends.size(); i += 2) {
            edges.add(new Edge(ends.get(i), ends.get(i + 1)));
        }
        return List.copyOf(edges);
    }

    /** Creates an executable graph. */
    public ExecutableGraph instantiate() {
        return new ExecutableGraph(this);
    }

    /** Creates an executable graph, and uploads it to the device on {@code upload} now. */
    public ExecutableGraph instantiate(Stream upload) {
        return new ExecutableGraph(this, upload);
    }

    /**
     * The same for launches by kernels as well, by the executable graph's handle. It may have kernels, copies, fills and child graphs only.
     * The CPU device has no such launches.
     *
     * @param upload the stream on which it is uploaded to the device now
     * @param deviceLaunch whether kernels may launch it
     * @return the executable graph
     */
    public ExecutableGraph instantiate(Stream upload, boolean deviceLaunch) {
        return new ExecutableGraph(this, upload, deviceLaunch);
    }
}
