package org.pycuda;

import java.util.List;

/** Operations of {@link FaultOperations} on memory and semaphores of other interfaces. */
final class FaultExternalOperations {
    private FaultExternalOperations() {}

    private static final class Imported extends FaultOperations.Things {
        final External other = keep(new External());
        final ExternalMemory memory = keep(other.memory());
        final ExternalSemaphore timeline = keep(other.timeline());
        final Stream stream = keep(new Stream());

        SemaphoreValues at(long value) {
            return new SemaphoreValues().add(timeline, value);
        }
    }

    private static void row(String name, FaultOperations.Step<Imported> step) {
        FaultOperations.ALL.add(new FaultOperations.Operation<>(name, Imported::new, step));
    }

    static void add() {
        row("ExternalMemory", (given, made) -> made.keep(given.other.memory()).size());
        row("ExternalMemory.mapBuffer", (given, made) -> {
            try (var buffer = given.memory.mapBuffer(64, 16)) {
                Driver.memsetD8(buffer, (byte) 7, 16);
            }
            return Driver.fromDevice(made.keep(given.memory.mapBuffer(64)), 1, int[].class)[0];
        });
        row("ExternalMemory.mapMipmappedArray", (given, made) -> {
            try (var levels = given.memory.mapMipmappedArray(new ArrayDescriptor3D(4, 4, 0, ArrayFormat.FLOAT, 1), 2)) {
                return levels.level(1).descriptor().width();
            }
        });
        row("ExternalSemaphore", (given, made) -> made.keep(given.other.timeline()).handleType());
        row("Stream.signalSemaphore", (given, made) -> {
            given.stream.signalSemaphore(given.timeline, 1);
            given.stream.waitForSemaphore(given.timeline, 1);
            given.stream.signalSemaphores(given.at(2));
            given.stream.waitForSemaphores(given.at(2));
            given.stream.synchronize();
            return given.other.value();
        });
        row("Graph.signalSemaphores", (given, made) -> {
            Graph graph = made.keep(new Graph());
            GraphNode signal = graph.signalSemaphores(given.at(1));
            GraphNode wait = signal.waitForSemaphores(given.at(1));
            signal.updateSemaphores(given.at(2));
            wait.updateSemaphores(given.at(2));
            ExecutableGraph run = made.keep(graph.instantiate());
            run.node(signal).updateSemaphores(given.at(3));
            run.node(wait).updateSemaphores(given.at(3));
            run.launch(given.stream);
            given.stream.synchronize();
            return List.of(signal.parameters().get("values"), wait.parameters().get("values"), given.other.value());
        });
    }
}
