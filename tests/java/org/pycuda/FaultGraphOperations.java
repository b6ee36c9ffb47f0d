package org.pycuda;

import java.util.List;
import java.util.function.BiFunction;

/** Operations of {@link FaultOperations} on graphs and their nodes. */
final class FaultGraphOperations {
    private FaultGraphOperations() {}

    private static final class Graphs extends FaultOperations.Things {
        final Function scale = keep(Driver.moduleFromBuffer(Ptx.SCALE)).function("scale");
        final DeviceAllocation memory = keep(Driver.memAlloc(16));
        final DeviceAllocation flag = keep(Driver.memAlloc(4));
        final Stream stream = keep(new Stream());  // one stream, so that a launch is ordered after one whose wait has failed

        private List<Float> result(ExecutableGraph run) {
            run.launch(stream);
            stream.synchronize();
            float[] values = Driver.fromDevice(memory, 4, float[].class);
            return List.of(values[0], values[1], values[2], values[3]);
        }

        /** The first node of a graph: the memory holds ones. */
        private GraphNode ones(Graph graph) {
            return graph.memset(memory, Float.floatToIntBits(1), 4, 4);
        }

        private GraphNode kernel(NodeBuilder after, float factor) {
            return after.kernel(scale, Driver.block(4), memory, factor);
        }
    }

    private record Made(Graph graph, FaultOperations.Things things) {
        private ExecutableGraph run() {
            return things.keep(graph.instantiate());
        }
    }

    private static void row(String name, BiFunction<Graphs, Made, Object> step) {
        FaultOperations.ALL.add(new FaultOperations.Operation<>(name, Graphs::new,
            (graphs, things) -> step.apply(graphs, new Made(things.keep(new Graph()), things))));
    }

    static void add() {
        row("Stream.capture", FaultGraphOperations::captured);
        row("Graph", FaultGraphOperations::built);
        row("Graph.memAlloc", FaultGraphOperations::inMemoryOfItsOwn);
        row("Graph.childGraph", FaultGraphOperations::withAChild);
        row("Graph.whileLoop", FaultGraphOperations::looped);
        row("Graph.conditions", FaultGraphOperations::branched);
        row("Graph.kernel.attributes", (g, made) -> {
            g.ones(made.graph).kernel(g.scale, Driver.block(4).cooperative().attribute(LaunchAttribute.PRIORITY, 0), g.memory, 3f);
            return g.result(made.run());
        });
        row("GraphNode.remove", FaultGraphOperations::rearranged);
        row("Graph.memoryOperations", FaultGraphOperations::withMemoryOperations);
        row("ExecutableGraph.update", FaultGraphOperations::updated);
        row("ExecutableGraph.Node.disable", FaultGraphOperations::switchedOffAndOn);
        row("ExecutableGraph.Node.updateMemcpyDtod", FaultGraphOperations::copiedFromElsewhere);
    }

    private static Object rearranged(Graphs g, Made made) {
        GraphNode fill = g.ones(made.graph);
        GraphNode node = g.kernel(made.graph, 3);
        GraphNode other = g.kernel(made.graph, 100);
        node.addDependency(fill);
        int edges = fill.dependents().size() + node.dependencies().size() + made.graph.roots().size();
        other.remove();
        other = node.empty();
        other.removeDependency(node);
        node.copyAttributes(node);
        node.setAttribute(LaunchAttribute.PRIORITY, node.attribute(LaunchAttribute.PRIORITY).get(0));
        ExecutableGraph run = made.run();
        return List.of(edges, run.flags(), g.result(run));
    }

    private static Object withMemoryOperations(Graphs g, Made made) {
        GraphNode node = g.ones(made.graph).memoryOperations(new MemoryOperations().writeValue32(g.memory, 1));
        node.updateMemoryOperations(new MemoryOperations().writeValue32(g.memory, 2));
        GraphNode event = node.eventRecord(made.things.keep(new Event()));
        event.updateEvent(made.things.keep(new Event()));
        ExecutableGraph run = made.run();
        run.node(node).updateMemoryOperations(new MemoryOperations().writeValue32(g.memory, Float.floatToIntBits(2)));
        run.node(event).updateEvent(made.things.keep(new Event()));
        return List.of(node.operations().count(), g.result(run));
    }

    private static Object captured(Graphs g, Made made) {
        Stream captured = made.things.keep(new Stream());
        Graph graph;
        try (var capture = captured.capture(CaptureMode.THREAD_LOCAL)) {
            Driver.memsetD32Async(g.memory, Float.floatToIntBits(1), 4, captured);
            g.scale.launch(Driver.block(4).stream(captured), g.memory, 3f);
            graph = made.things.keep(capture.end());
        }
        return g.result(made.things.keep(graph.instantiate(captured)));
    }

    private static Object built(Graphs g, Made made) {
        Event event = made.things.keep(new Event());
        g.kernel(g.ones(made.graph), 3).eventRecord(event).hostFunction(() -> {}).empty().memcpyDtod(g.memory, g.memory, 16);
        Graph clone = made.things.keep(made.graph.copy());
        return List.of(g.result(made.things.keep(clone.instantiate())), made.graph.dot(), made.graph.edges().size());
    }

    private static Object inMemoryOfItsOwn(Graphs g, Made made) {
        Event event = made.things.keep(new Event(EventFlags.DISABLE_TIMING));
        GraphNode memory = g.ones(made.graph).memAlloc(1000);
        memory.memcpyDtod(memory.allocated(), g.memory, 16).eventRecord(event).eventWait(event).memcpyDtod(g.memory, memory.allocated(), 16)
            .memFree(memory);
        return List.of(g.result(made.run()), memory.parameters().get("size"), made.graph.dot().contains("1000 bytes"));
    }

    private static Object withAChild(Graphs g, Made made) {
        Graph child = made.things.keep(new Graph());
        g.ones(child);
        GraphNode node = made.graph.childGraph(child);
        g.kernel(node, 3);
        return List.of(g.result(made.run()), node.bodies().size());
    }

    private static Object looped(Graphs g, Made made) {
        Driver.memsetD32(g.flag, 1, 1);
        g.kernel(g.ones(made.graph).whileLoop(g.flag).body(), 2).memset(g.flag, 0, 1, 4);
        return g.result(made.run());
    }

    private static Object branched(Graphs g, Made made) {
        Driver.memsetD32(g.flag, 1, 1);
        GraphNode then = g.ones(made.graph).ifThen(g.flag);
        g.kernel(then.body(), 2);
        GraphNode both = then.ifElse(g.flag);
        g.kernel(both.bodies().get(0), 3);
        g.kernel(both.bodies().get(1), 5);
        GraphNode several = both.switchOn(g.flag, 2);
        g.kernel(several.bodies().get(0), 7);
        g.kernel(several.bodies().get(1), 11);
        return g.result(made.run());
    }

    private static Object updated(Graphs g, Made made) {
        GraphNode node = g.kernel(g.ones(made.graph), 3);
        ExecutableGraph run = made.run();
        run.node(node).update(g.memory, 5f);
        var first = g.result(run);
        Graph other = made.things.keep(new Graph());
        g.kernel(g.ones(other), 7);
        run.update(other);
        return List.of(first, g.result(run));
    }

    private static Object switchedOffAndOn(Graphs g, Made made) {
        GraphNode fill = g.ones(made.graph), node = g.kernel(fill, 3);
        ExecutableGraph run = made.run();
        run.node(fill).updateMemset(g.memory, Float.floatToIntBits(2), 4, 4);
        run.node(node).disable();
        var without = List.of(g.result(run), run.node(node).isEnabled());
        run.node(node).enable();
        return List.of(without, g.result(run));
    }

    private static Object copiedFromElsewhere(Graphs g, Made made) {
        DeviceAllocation other = made.things.keep(Driver.toDevice(new float[] {1, 2, 3, 4}));
        GraphNode node = g.ones(made.graph).memcpyDtod(g.memory, g.memory, 16);
        ExecutableGraph run = made.run();
        run.node(node).updateMemcpyDtod(g.memory, other, 16);
        return g.result(run);
    }
}
