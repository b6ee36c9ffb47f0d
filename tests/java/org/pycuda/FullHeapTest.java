package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.ref.Reference;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** If the JVM runs out of memory between the native call that creates an object and its Java object, the native object is released. */
class FullHeapTest {
    private static Graph memsets() {
        var graph = new Graph();
        var memory = GPUArray.zeros(DType.INT32, 1);
        for (int i = 0; i < 8; i++) {
            graph.memset(memory, 0, 1, 4);
        }
        return graph;
    }

    /** A separate program, because nothing else works meanwhile. Prints how many native objects are left. */
    static final class Program {
        private static final int ROUNDS = 12;
        private static final int TRIES = 20;
        private static final int MOST = 1 << 14;
        private static final int PIECE = 8000;
        private static final int ROOM = 4;

        private Program() {}

        /** Fills the heap with what {@code maker} creates, after more than half of it was filled already. {@code rest} varies where it runs out. */
        private static void fill(int rest, Supplier<?> maker) {
            var before = new byte[MOST][];
            var made = new Object[MOST];
            int count = 0;
            try {
                while (true) {
                    before[count++] = new byte[PIECE];
                }
            } catch (OutOfMemoryError full) {
                Arrays.fill(before, count - ROOM, count, null);
                before[count] = new byte[rest];
            }
            try {
                for (int i = 0; i < MOST; i++) {
                    made[i] = maker.get();
                }
            } catch (OutOfMemoryError full) {
                return;
            } finally {
                Reference.reachabilityFence(before);
            }
            throw new IllegalStateException("the heap is not full");
        }

        private static long alive(String kind) {
            DeviceMemoryPool.ofCurrentContext().freeHeld();
            return MemoryReport.now().objects().getOrDefault(kind, 0L);
        }

        private static void check(String what, String kind, Supplier<?> maker) throws InterruptedException {
            maker.get();  // links the classes that it calls
            Devices.collectGarbage();
            long before = alive(kind);
            for (int round = 0; round < ROUNDS; round++) {
                fill(8 * round, maker);
            }
            for (int tries = 0; tries < TRIES && alive(kind) > before; tries++) {
                Devices.collectGarbage();
            }
            System.out.println(what + " " + (alive(kind) - before));
        }

        public static void main(String[] none) throws InterruptedException {
            Autoinit.init();
            GPUArray x = GPUArray.ones(DType.FLOAT32, 4);
            check("Event", "event", Event::new);
            check("GPUArray.add", "pooled memory", () -> x.add(x));
            check("GPUArray.meshgrid", "pooled memory", () -> GPUArray.meshgrid(x, x));
            check("GPUArray.uniqueAll", "pooled memory", x::uniqueAll);
            check("GPUArray.histogram", "pooled memory", () -> x.histogram(4, 0, 2));
            check("Driver.memAllocPitch", "device allocation", () -> Driver.memAllocPitch(4, 4, 4));
            check("Graph.nodes", "graph", () -> FullHeapTest.memsets().nodes());
            GPUArray condition = GPUArray.zeros(DType.INT32, 1);
            check("GraphNode.bodies", "graph", () -> new Graph().switchOn(condition, 8).bodies());
        }
    }

    @Test
    void nativeObjectsAreReleased() {
        var child = ChildJvm.run(Program.class, Map.of("JDK_JAVA_OPTIONS", "-Xmx12m", "PYCUDA_CPU_MEMORY", "512M"));
        assertEquals(String.join(" 0\n", "Event", "GPUArray.add", "GPUArray.meshgrid", "GPUArray.uniqueAll", "GPUArray.histogram", "Driver.memAllocPitch", "Graph.nodes", "GraphNode.bodies", ""), child.out(), child.err());
        assertEquals(0, child.status());
    }
}
