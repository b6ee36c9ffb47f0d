package org.pycuda;

import java.lang.ref.Reference;
import java.nio.Buffer;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;

/** Adds nodes to a {@link Graph}, after one of its nodes ({@link GraphNode}), or after several ({@link Graph#after}). */
public interface NodeBuilder {
    /** The graph that nodes are added to. */
    Graph graph();

    /** The nodes that a new node waits for. */
    List<GraphNode> predecessors();

    /**
     * A launch of a kernel.
     *
     * @param function the kernel
     * @param config geometry and attributes; its stream is ignored
     * @param arguments as of a launch, except In, Out and InOut
     * @return the node
     */
    default GraphNode kernel(org.pycuda.Function function, LaunchConfig config, Object... arguments) {
        Objects.requireNonNull(function, "function");
        Objects.requireNonNull(config, "config");
        Objects.requireNonNull(arguments, "arguments");
        return withArguments(after -> KernelNodes.add(graph(), function, config, arguments, after), arguments);
    }

    /** Sets {@code count} elements of {@code width} bytes (1, 2 or 4). */
    default GraphNode memset(DevicePointer dest, int value, long count, int width) {
        return withArguments(after -> graph().addMemset(dest, value, count, width, after), dest);
    }

    /** Copies device memory. */
    default GraphNode memcpyDtod(DevicePointer dest, DevicePointer src, long size) {
        return addRow(() -> RowCopy.onDevice(dest, src, size), dest, src);
    }

    /** Copies a direct buffer, between its position and its limit, with its contents when the node runs. */
    default GraphNode memcpyHtod(DevicePointer dest, Buffer src) {
        return addRow(() -> RowCopy.toDevice(dest, src), dest, src);
    }

    /** Copies direct memory with its contents at the time when the graph reaches the node. */
    default GraphNode memcpyHtod(DevicePointer dest, HostData src) {
        return addRow(() -> RowCopy.toDevice(dest, HostData.dataOf(src)), dest, src);
    }

    /** Copies into direct memory. */
    default GraphNode memcpyDtoh(HostData dest, DevicePointer src) {
        return addRow(() -> RowCopy.toHost(HostData.dataOf(dest), src), dest, src);
    }

    /** Copies into a direct buffer, between its position and its limit. */
    default GraphNode memcpyDtoh(Buffer dest, DevicePointer src) {
        return addRow(() -> RowCopy.toHost(dest, src), dest, src);
    }

    /**
     * Copies a rectangle or a box between memory and arrays. The node has the present settings of {@code copy}, and keeps both ends.
     *
     * @param copy a {@link Memcpy2D} or {@link Memcpy3D}
     * @return the node
     */
    default GraphNode memcpyNd(StructuredCopy copy) {
        return graph().addMemcpy(copy, predecessors());
    }

    /** Allocates memory, whose address is {@link GraphNode#allocated}. */
    default GraphNode memAlloc(long size) {
        return graph().addMemAlloc(size, predecessors());
    }

    /** Frees memory that another node allocates. */
    default GraphNode memFree(GraphNode allocation) {
        return graph().addMemFree(Objects.requireNonNull(allocation, "allocation").allocated(), predecessors());
    }

    /** Records an event. */
    default GraphNode eventRecord(Event event) {
        return graph().addEventRecord(event, predecessors());
    }

    /** Waits for an event. */
    default GraphNode eventWait(Event event) {
        return graph().addEventWait(event, predecessors());
    }

    /** Writes words of memory, and waits for words: the present operations, whose memory the program keeps. */
    default GraphNode memoryOperations(MemoryOperations operations) {
        return graph().addMemoryOperations(operations, predecessors());
    }

    /** Signals semaphores of other interfaces, which the graph keeps. */
    default GraphNode signalSemaphores(SemaphoreValues semaphores) {
        return graph().addSemaphoreSignals(semaphores, predecessors());
    }

    /** Waits for all of these semaphores, which the graph keeps. */
    default GraphNode waitForSemaphores(SemaphoreValues semaphores) {
        return graph().addSemaphoreWaits(semaphores, predecessors());
    }

    /** Calls a function of the host in each launch, on a thread of the driver; it must not call the driver. */
    default GraphNode hostFunction(Runnable function) {
        return DriverProxy.addHostFunctionNode(graph(), new HostFunction(Objects.requireNonNull(function, "function")), predecessors());
    }

    /** Adds a copy of another graph in its current state. */
    default GraphNode childGraph(Graph child) {
        return graph().addChildGraph(child, predecessors());
    }

    /** Adds a node that does nothing but can be waited for. */
    default GraphNode empty() {
        return graph().addEmpty(predecessors());
    }

    /** Runs its body if the int at {@code condition} is not 0 when the node runs. */
    default GraphNode ifThen(DevicePointer condition) {
        return withArguments(after -> graph().addIf(checked(condition), after), condition);
    }

    /** Runs its first body if the int at {@code condition} is not 0, else the second. */
    default GraphNode ifElse(DevicePointer condition) {
        return withArguments(after -> graph().addIfElse(checked(condition), after), condition);
    }

    /** Runs its body as long as the int at {@code condition} is not 0. */
    default GraphNode whileLoop(DevicePointer condition) {
        return withArguments(after -> graph().addWhile(checked(condition), after), condition);
    }

    /** Runs the body whose index is the int at {@code condition}, if there is one. */
    default GraphNode switchOn(DevicePointer condition, int branches) {
        return withArguments(after -> graph().addSwitch(checked(condition), branches, after), condition);
    }

    /** A condition is an int32; memory without a type is taken as it is. */
    private static DevicePointer checked(DevicePointer condition) {
        if (condition instanceof GPUArray array && !array.dtype().equals(DType.INT32) && !array.dtype().equals(DType.UINT32)) {
            throw new IllegalArgumentException("a condition is an int32 in device memory, not " + array.dtype());
        }
        return condition;
    }

    private GraphNode addRow(Supplier<RowCopy> row, Object... ends) {
        return withArguments(after -> graph().addMemcpy(row.get().copy(), after), ends);
    }

    private GraphNode withArguments(Function<List<GraphNode>, GraphNode> add, Object... arguments) {
        DriverProxy.beginNodeArguments(graph());
        try {
            return add.apply(ProxyLists.copy(predecessors(), "predecessors"));  // the last code of the program that runs
        } finally {
            DriverProxy.endNodeArguments();
            Reference.reachabilityFence(arguments);
        }
    }
}
