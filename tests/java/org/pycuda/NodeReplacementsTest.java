package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Nodes that are given another kernel, fill, function or child graph. */
class NodeReplacementsTest implements WithContext {
    private static float[] run(Graph graph, DeviceAllocation memory) {
        try (var executable = graph.instantiate()) {
            executable.launch();
            Context.synchronize();
        }
        return Driver.fromDevice(memory, 4, float[].class);
    }

    @Test
    void kernelsAndFills() {
        Function scale = Driver.moduleFromBuffer(Ptx.SCALE).function("scale");
        try (var graph = new Graph(); var memory = Driver.toDevice(new float[] {1, 1, 1, 1}); var other = Driver.toDevice(new float[] {1, 1, 1, 1})) {
            GraphNode fill = graph.memset(memory, 0, 16, 1);
            GraphNode kernel = fill.kernel(scale, Driver.block(4), memory, 2f);
            fill.updateFill(other, Float.floatToIntBits(3), 2, 4);
            kernel.updateKernel(scale, Driver.block(2), other, 5f);
            assertArrayEquals(new float[] {15, 15, 1, 1}, run(graph, other));
            assertArrayEquals(new float[] {1, 1, 1, 1}, Driver.fromDevice(memory, 4, float[].class));
            assertEquals(List.of(2L, 1L, 1L), kernel.parameters().get("block"));
            assertThrows(Driver.LogicError.class, () -> fill.updateKernel(scale, Driver.block(4), memory, 2f));
            assertThrows(Driver.LogicError.class, () -> kernel.updateFill(memory, 0, 4, 4));
            assertThrows(RuntimeException.class, () -> kernel.updateKernel(null, Driver.block(4)));
            assertThrows(RuntimeException.class, () -> kernel.updateKernel(scale, Driver.block(4), memory));
        }
    }

    @Test
    void functionsAndChildGraphs() {
        List<String> called = java.util.Collections.synchronizedList(new ArrayList<>());
        try (var graph = new Graph(); var child = new Graph(); var memory = Driver.toDevice(new float[] {1, 1, 1, 1})) {
            GraphNode call = graph.hostFunction(() -> called.add("first"));
            child.memset(memory, 0, 4, 4);
            GraphNode inside = graph.childGraph(child);
            try (var executable = graph.instantiate(); var another = new Graph()) {
                another.memset(memory, Float.floatToIntBits(7), 4, 4);
                executable.node(inside).updateChildGraph(another);
                executable.node(call).updateHostFunction(() -> called.add("second"));
                call.updateHostFunction(() -> called.add("third"));
                executable.launch();
                Context.synchronize();
                assertEquals(List.of("second"), called);
                assertArrayEquals(new float[] {7, 7, 7, 7}, Driver.fromDevice(memory, 4, float[].class));
                assertThrows(Driver.LogicError.class, () -> executable.node(call).updateChildGraph(another));
                assertThrows(Driver.LogicError.class, () -> inside.updateHostFunction(() -> { }));
                assertThrows(NullPointerException.class, () -> call.updateHostFunction(null));
            }
            run(graph, memory);
            assertEquals(List.of("second", "third"), called);
        }
    }
}
