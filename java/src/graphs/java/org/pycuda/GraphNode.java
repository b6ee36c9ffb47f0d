package org.pycuda;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A piece of work in a graph, which the node keeps alive. Nodes added to it wait for it.
 * <pre>{@code
 * try (var a = GPUArray.zeros(DType.INT32, 3); var b = GPUArray.zeros(DType.INT32, 3); var graph = new Graph()) {
 *     GraphNode fill = graph.memset(a, 7, 3, 4);
 *     GraphNode copy = fill.memcpyDtod(b, a, 12);
 *     System.out.println(copy.dependencies().get(0).kind());  // MEMSET
 * }
 * }</pre>
 */
public final class GraphNode extends GraphNodeProxy implements NodeBuilder {
    GraphNode(long cPtr, boolean cMemoryOwn) {
        super(cPtr, cMemoryOwn);
    }

    @Override
    long identity() {
        return handle();
    }

    @Override
    public List<GraphNode> predecessors() {
        return List.of(this);
    }

    /** The graph inside: the body of a loop or condition, or a child graph; the first if there are several. */
    public Graph body() {
        List<Graph> bodies = bodies();
        if (bodies.isEmpty()) {
            throw new Driver.LogicError("only a condition and a child graph have a body", "GraphNode.body", 0);
        }
        return bodies.get(0);
    }

    /**
     * The node's parameters, by names that depend on its kind: {@code function}, {@code grid}, {@code block}, {@code shared};
     * {@code dest}, {@code src}, {@code size}; {@code dest}, {@code value}, {@code count}, {@code width}; {@code pointer}, {@code size};
     * {@code condition}; {@code count} and {@code operation 0} and so on; {@code count}, {@code semaphores}, {@code values}. Values are of type Long, List of Long, or String.
     */
    public Map<String, Object> parameters() {
        List<String> texts = parameterTexts();
        var parameters = new LinkedHashMap<String, Object>();
        for (int i = 0; i < texts.size(); i += 2) {
            parameters.put(texts.get(i), value(texts.get(i + 1)));
        }
        return java.util.Collections.unmodifiableMap(parameters);
    }

    /**
     * Replaces this node's copy by another one of any shape, for executable graphs that are created or updated from the graph later.
     *
     * @param copy a {@link Memcpy2D} or {@link Memcpy3D}, as it is now; its ends are kept until another update or the end of the graph
     * @throws Driver.LogicError the node does not copy, an end is not set or closed, or the driver rejects the copy
     */
    public void updateMemcpyNd(StructuredCopy copy) {
        updateMemcpy(copy);
    }

    /**
     * Replaces this node's launch by another one, also of another kernel, for executable graphs that are created or updated from the graph later
     * (cuGraphKernelNodeSetParams).
     *
     * @param function the kernel
     * @param config the launch's geometry and attributes
     * @param arguments the arguments, as for {@link NodeBuilder#kernel}
     * @throws Driver.LogicError the node is not a kernel, or the driver rejects the launch
     */
    public void updateKernel(Function function, LaunchConfig config, Object... arguments) {
        java.util.Objects.requireNonNull(function, "function");
        java.util.Objects.requireNonNull(config, "config");
        java.util.Objects.requireNonNull(arguments, "arguments");
        withArguments(DriverProxy::beginReplacedArguments, () -> KernelNodes.replace(this, function, config, arguments));
    }

    /**
     * Replaces this node's fill by another one, for executable graphs that are created or updated from the graph later (cuGraphMemsetNodeSetParams).
     *
     * @param dest what to fill
     * @param value the value of each element
     * @param count number of elements
     * @param width bytes per element: 1, 2 or 4
     * @throws Driver.LogicError the node does not fill memory, or the driver rejects the fill
     */
    public void updateFill(DevicePointer dest, int value, long count, int width) {
        withArguments(DriverProxy::beginReplacedArguments, () -> updateMemset(dest, value, count, width));
    }

    /**
     * Lets this node call another function of the host, in executable graphs that are created or updated from the graph later
     * (cuGraphHostNodeSetParams).
     *
     * @param function the function; it must not call the driver
     * @throws Driver.LogicError the node does not call a function of the host
     */
    public void updateHostFunction(Runnable function) {
        DriverProxy.updateHostFunction(this, new HostFunction(java.util.Objects.requireNonNull(function, "function")));
    }

    /** Memory whose address is read meanwhile is kept, as {@code begin} says. */
    static void withArguments(Runnable begin, Runnable update) {
        begin.run();
        try {
            update.run();
        } finally {
            DriverProxy.endNodeArguments();
        }
    }

    /**
     * Returns an attribute of a kernel's launch (cuGraphKernelNodeGetAttribute).
     *
     * @param attribute the attribute
     * @return the parts of its value in order, without events: a Double for a ratio, otherwise a Long
     * @throws Driver.LogicError the node is not a kernel, or its launch does not have the attribute
     */
    public List<Number> attribute(LaunchAttribute attribute) {
        return LaunchAttributes.numbers(attributeFields(java.util.Objects.requireNonNull(attribute, "attribute").value()));
    }

    /**
     * Sets an attribute of a kernel's launch, for executable graphs that are created or updated from the graph later
     * (cuGraphKernelNodeSetAttribute).
     *
     * @param attribute the attribute
     * @param value the parts of its value in order, as for {@link LaunchConfig#attribute}
     * @throws Driver.LogicError the node is not a kernel, or the driver refuses the value
     * @throws IllegalArgumentException the value has another number of parts, or one is of another type or out of range
     */
    public void setAttribute(LaunchAttribute attribute, Object... value) {
        LaunchAttributes given = LaunchAttributes.NONE.with(attribute, value);
        setAttributeOf(given.address);
        java.lang.ref.Reference.reachabilityFence(given);
    }

    private static Object value(String text) {
        if (!text.matches("[0-9]+(,[0-9]+)*")) {
            return text;
        }
        List<Long> numbers = Arrays.stream(text.split(",")).map(Long::parseUnsignedLong).toList();
        return numbers.size() == 1 ? (Object) numbers.get(0) : numbers;
    }
}
