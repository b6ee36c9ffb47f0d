package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.pycuda.compiler.SourceModule;

/** An update starts from the executable graph's present state, as in test_node_states.py. */
class NodeStatesTest implements WithContext {
    private static final String SOURCE = """
        __global__ void add(int* a, int k) { a[blockIdx.x * blockDim.x + threadIdx.x] += k; }
        __global__ void mul(int* a, int k) { a[blockIdx.x * blockDim.x + threadIdx.x] *= k; }
        __global__ void mul_add(int* a, int k, long long m) { int& x = a[blockIdx.x * blockDim.x + threadIdx.x]; x = x * k + (int)m; }
        """;
    private static final LaunchConfig BLOCK = Driver.block(32);

    private SourceModule module;
    private DeviceAllocation memory;

    @BeforeEach
    void prepare() {
        module = new SourceModule(SOURCE);
        memory = Driver.memAlloc(256);
    }

    @AfterEach
    void release() {
        memory.close();
    }

    private Function kernel(String name) {
        return module.function(name);
    }

    private int[] launched(ExecutableGraph run) {
        run.launch();
        return Driver.fromDevice(memory, 64, int[].class);
    }

    private void fill(int value) {
        Driver.memsetD32(memory, value, 64);
    }

    @Test
    void afterAnUpdateOfTheWholeGraphItsKernelAndGeometryAreTheState() {
        try (var graph = new Graph(); var other = new Graph()) {
            GraphNode node = graph.kernel(kernel("add"), BLOCK, memory, 1);
            try (var run = graph.instantiate()) {
                ExecutableGraph.Node present = run.node(node);
                fill(0);
                present.update(memory, 2);
                assertEquals(2, launched(run)[0]);
                other.kernel(kernel("mul"), BLOCK.grid(2, 1), memory, 10);
                run.update(other);
                other.close();
                fill(3);
                present.update(memory, 7);
                int[] values = launched(run);
                assertEquals(21, values[0]);
                assertEquals(21, values[63]);
            }
        }
    }

    @Test
    void aKernelWithOtherParametersGetsItsOwnLayout() {
        try (var graph = new Graph(); var other = new Graph()) {
            GraphNode node = graph.kernel(kernel("add"), BLOCK, memory, 1);
            try (var run = graph.instantiate()) {
                ExecutableGraph.Node present = run.node(node);
                present.update(memory, 2);
                other.kernel(kernel("mul_add"), BLOCK, memory, 10, 1L);
                run.update(other);
                assertThrows(IllegalArgumentException.class, () -> present.update(memory, 7));
                fill(3);
                present.update(memory, 7, 4L);
                assertEquals(25, launched(run)[0]);
            }
        }
    }

    @Test
    void theEndsOfACopyThatAreNotGivenStay() {
        try (var graph = new Graph(); var first = Driver.toDevice(new int[] {1, 2}); var second = Driver.toDevice(new int[] {3, 4})) {
            GraphNode node = graph.memcpyDtod(memory, first, 8);
            try (var run = graph.instantiate()) {
                fill(0);
                run.node(node).updateMemcpy(new Memcpy3D().setSrcDevice(second), 8);
                run.node(node).updateMemcpy(new Memcpy3D().setDstDevice(memory.plus(8)), 8);
                int[] values = launched(run);
                assertArrayEquals(new int[] {0, 0, 3, 4, 0}, java.util.Arrays.copyOf(values, 5));
            }
        }
    }
}
