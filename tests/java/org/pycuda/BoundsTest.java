package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.pycuda.compiler.SourceModule;

/** The CPU device reports accesses around memory from every pool; the whole table is in tests/python/memory/test_bounds.py. */
@Tag("child")
class BoundsTest {
    private static final int N = 33_000;

    /** Memory, and how it is given back; without an address, the memory of an argument handler. */
    private record Lent(long address, Runnable close) { }

    private static Lent lent(DeviceMemory memory) {
        return new Lent(memory.pointer(), memory::close);
    }

    private static Lent array(GPUArray array) {
        return new Lent(array.pointer(), array::close);
    }

    private static Lent host() {
        var memory = new PageLockedMemoryPool().allocate(4 * N);
        return new Lent(memory.devicePointer(), memory::close);
    }

    private static Map<String, Supplier<Lent>> sources() {
        Map<String, Supplier<Lent>> sources = new LinkedHashMap<>();
        sources.put("memAlloc", () -> lent(Driver.memAlloc(4 * N)));
        sources.put("DeviceMemoryPool", () -> lent(new DeviceMemoryPool().allocate(4 * N)));
        sources.put("PageLockedMemoryPool", BoundsTest::host);
        sources.put("zeros", () -> array(GPUArray.zeros(DType.FLOAT32, N)));
        sources.put("a + b", () -> array(GPUArray.zeros(DType.FLOAT32, N).add(GPUArray.zeros(DType.FLOAT32, N))));
        return sources;
    }

    /** Prints what came of each access: one in each context. */
    static final class Table {
        private static void tell(String name, Consumer<Function> access) {
            var context = new Device(0).makeContext();
            try (var module = new SourceModule("__global__ void f(float *x, long long i) { x[i] = 1; }")) {
                access.accept(module.function("f"));
                Context.synchronize();
                System.out.println(name + ": missed");
            } catch (Driver.LaunchError error) {
                System.out.println(name + (error.getMessage().contains("freed earlier") ? ": freed" : ": illegal"));
            } finally {
                context.detach();
            }
        }

        private static void write(Function kernel, Lent memory, long index) {
            kernel.launch(Driver.block(1), memory.address(), index);
        }

        public static void main(String[] arguments) {
            Driver.init();
            sources().forEach((name, source) -> {
                for (long index : new long[] {-1, N, N + 1500}) {
                    tell(name + " " + index, kernel -> {
                        var memory = source.get();
                        write(kernel, memory, N - 1);
                        write(kernel, memory, index);
                    });
                }
                tell(name + " freed", kernel -> {
                    var memory = source.get();
                    write(kernel, memory, 0);
                    memory.close().run();
                    write(kernel, memory, 0);
                });
            });
            tell("InOut " + N, kernel -> kernel.launch(Driver.block(1), new InOut(new float[N]), (long) N));
            tell("Out " + N, kernel -> kernel.launch(Driver.block(1), new Out(new float[N]), (long) N));
            tell("In " + N, kernel -> kernel.launch(Driver.block(1), new In(new float[N]), (long) N));
        }
    }

    @Test
    void everyAccessOutsideIsReported() {
        var child = ChildJvm.run(Table.class, Map.of("PYCUDA_DRIVER", "cpu"));
        assertEquals(0, child.status(), child.err());
        var lines = child.out().lines().toList();
        assertEquals(4 * sources().size() + 3, lines.size(), child.out() + child.err());
        for (String line : lines) {
            assertTrue(line.endsWith(line.contains(" freed:") ? ": freed" : ": illegal"), child.out());
        }
    }
}
