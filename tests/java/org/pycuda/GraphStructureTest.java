package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nodes and edges that are asked about, added and removed. */
class GraphStructureTest implements WithContext {
    @Test
    void edgesComeAndGo() {
        try (var graph = new Graph(); var other = new Graph()) {
            GraphNode first = graph.empty();
            GraphNode second = graph.empty();
            second.addDependency(first);
            assertEquals(List.of(first), second.dependencies());
            assertEquals(List.of(second), first.dependents());
            assertEquals(List.of(first), graph.roots());
            assertThrows(Driver.LogicError.class, () -> second.addDependency(first));
            assertThrows(Driver.LogicError.class, () -> second.addDependency(other.empty()));
            second.removeDependency(first);
            assertTrue(graph.edges().isEmpty());
            assertThrows(Driver.LogicError.class, () -> second.removeDependency(first));
        }
    }

    @Test
    void removedNodesAreUnusable() {
        try (var graph = new Graph(); var memory = Driver.memAlloc(4)) {
            GraphNode kept = graph.memset(memory, 1, 4, 1);
            GraphNode gone = graph.memset(memory, 2, 4, 1);
            gone.remove();
            assertEquals(List.of(kept), graph.nodes());
            for (Runnable use : new Runnable[] {gone::kind, gone::remove, gone::parameters, () -> kept.addDependency(gone), gone::empty}) {
                var error = assertThrows(Driver.LogicError.class, use::run);
                assertTrue(error.getMessage().contains("was removed"), error.getMessage());
            }
            GraphNode child = graph.childGraph(new Graph());
            assertThrows(Driver.LogicError.class, child::remove);
        }
    }

    @Test
    void kernelsHaveAttributes() {
        try (var graph = new Graph()) {
            Function nothing = Driver.moduleFromBuffer(Ptx.SCALE).function("scale");
            var memory = Driver.memAlloc(16);
            GraphNode one = graph.kernel(nothing, Driver.block(4).attribute(LaunchAttribute.PRIORITY, -1), memory, 2f);
            GraphNode other = graph.kernel(nothing, Driver.block(4), memory, 2f);
            other.copyAttributes(one);
            assertEquals(List.of(-1L), other.attribute(LaunchAttribute.PRIORITY));
            other.setAttribute(LaunchAttribute.PRIORITY, 0);
            assertEquals(List.of(0L), other.attribute(LaunchAttribute.PRIORITY));
            assertThrows(Driver.LogicError.class, () -> graph.empty().attribute(LaunchAttribute.PRIORITY));
        }
    }

    @Test
    void eventsOfNodesCanBeReplaced() {
        try (var graph = new Graph(); var first = new Event(); var second = new Event(); var before = new Event()) {
            GraphNode node = graph.eventRecord(first);
            try (var run = graph.instantiate()) {
                before.record();
                run.node(node).updateEvent(second);
                run.launch();
                Context.synchronize();
                assertTrue(second.timeSince(before) >= 0);
                assertEquals(java.util.Set.of(), run.flags());
            }
            node.updateEvent(second);
            assertThrows(Driver.LogicError.class, () -> graph.empty().updateEvent(first));
        }
    }

    @Test
    void theDriverDescribesGraphs(@TempDir Path folder) throws IOException {
        try (var graph = new Graph()) {
            graph.empty();
            Path file = folder.resolve("graph.dot");
            graph.writeDebugDot(file.toString(), GraphDebugDotFlags.VERBOSE);
            assertTrue(Files.readString(file).startsWith("digraph"));
            assertThrows(Driver.Error.class, () -> graph.writeDebugDot(folder.resolve("no such folder/x").toString()));
            if (Driver.driverVersion() < 13010 && !Devices.isCpu()) {
                assertThrows(Driver.RuntimeError.class, graph::id);
            } else {
                assertTrue(graph.id() != new Graph().id());
            }
        }
    }
}
