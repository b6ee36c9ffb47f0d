package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pycuda.compiler.SourceModule;

class LifetimeTest implements WithContext {
    static void eventually(BooleanSupplier condition, String what) throws InterruptedException {
        for (int i = 0; i < 200 && !condition.getAsBoolean(); i++) {
            System.gc();
            Thread.sleep(10);
        }
        assertTrue(condition.getAsBoolean(), what);
    }

    @Test
    void closedObjectsLeakNothing() {
        Devices.collectGarbage();
        var before = MemoryReport.now().objects();
        for (int i = 0; i < 1000; i++) {
            try (var memory = Driver.memAlloc(1 << 20); var stream = new Stream(); var event = new Event(); var ordered = Driver.memAllocAsync(256);
                    var pool = new StreamOrderedPool(); var graph = new Graph(); var run = graph.instantiate();
                    var reserved = Devices.virtualMemory(1, 1 << 22)) {
                event.record(stream);
                ordered.freeAsync(stream);
            }
        }
        assertEquals(before, MemoryReport.now().objects());
    }

    /** What is closed in a host function ends soon, on another thread: one object of each kind. */
    @Test
    void everythingMayBeClosedInAHostFunction() throws InterruptedException {
        Devices.collectGarbage();
        var before = MemoryReport.now().objects();
        long free = Driver.memGetInfo().free();
        var current = Context.current();
        for (int i = 0; i < 10; i++) {
            var closed = new AtomicInteger();
            var reserved = Devices.virtualMemory(1, 1 << 22);
            var graph = new Graph();
            List<AutoCloseable> made = List.of(Driver.memAlloc(1 << 20), Driver.memAllocAsync(256), new StreamOrderedPool(), new Stream(), new Event(),
                Kernels.module("__global__ void f() {}"), graph.instantiate(), graph, reserved);
            var other = Context.device().makeContext();
            Driver.memAlloc(16 << 20);
            Context.pop();
            try (var stream = new Stream()) {
                for (AutoCloseable one : made) {
                    stream.addHostFunction(() -> {
                        try {
                            one.close();
                            closed.incrementAndGet();
                        } catch (Exception never) {
                            throw new AssertionError(never);
                        }
                    });
                }
                stream.addHostFunction(other::detach);
                stream.synchronize();
            }
            assertEquals(made.size(), closed.get());
        }
        eventually(() -> MemoryReport.now().objects().equals(before), "what host functions closed or detached did not end");
        if (Devices.isCpu()) {
            eventually(() -> Driver.memGetInfo().free() >= free, "their memory was not given back");
        }
    }

    @Test
    void unreachableMemoryIsFreedByTheCleaner() throws InterruptedException {
        long before = Devices.liveWithoutGarbage("device allocation");
        for (int i = 0; i < 100; i++) {
            assertNotNull(Driver.memAlloc(1 << 20));
        }
        eventually(() -> Devices.live("device allocation") <= before, "dropped allocations were not freed");
    }

    private static void launchOnADroppedStream(Function kernel, DeviceAllocation flag) {
        kernel.launch(Driver.block(1).stream(new Stream(StreamFlags.NON_BLOCKING)), flag, Driver.in(new int[4]));
    }

    @Test
    @Timeout(60)
    void anUnreachableStreamWithAHangingKernelBlocksNothing() throws InterruptedException {
        var hang = Kernels.module("""
            __global__ void hang(volatile int *flag, const int *) { for (long long i = 0; i < 1ll << 40 && *flag == 0; i++); }
            """).function("hang");
        try (var flag = Driver.toDevice(new int[1]); var release = new Stream(StreamFlags.NON_BLOCKING)) {
            long events = Devices.liveWithoutGarbage("event");
            launchOnADroppedStream(hang, flag);
            try {
                for (int i = 0; i < 100; i++) {
                    assertNotNull(new Event());
                }
                eventually(() -> Devices.live("event") <= events, "nothing else was freed");
            } finally {
                Driver.memsetD32Async(flag, 1, 1, release);
                release.synchronize();
            }
        }
    }

    @Test
    void unclosedAllocationsDoNotExhaustTheDevice() {
        long total = Driver.memGetInfo().total();
        long chunk = total / 8;
        // Twice the device's memory: this works only if running out of memory collects garbage.
        for (int i = 0; i < 16; i++) {
            assertNotNull(Driver.memAlloc(chunk));
        }
    }

    @Test
    void dependentsKeepTheirDependenciesAlive() throws InterruptedException {
        var function = new SourceModule("__global__ void five(int *out) { *out = 5; }").function("five");
        for (int i = 0; i < 5; i++) {
            System.gc();
            Thread.sleep(10);
        }
        var out = new int[1];
        function.launch(Driver.block(1), Driver.out(out));
        assertEquals(5, out[0]);
    }

    /** Creates objects of every kind, and closes or abandons them. */
    static final class Everything {
        public static void main(String[] arguments) throws InterruptedException {
            Driver.init();
            try (var context = new Device(0).makeContext()) {
                for (int i = 0; i < 10; i++) {
                    closeEach();
                    dropEach();
                }
                for (int i = 0; i < 20; i++) {
                    System.gc();
                    Thread.sleep(10);
                }
            }
        }

        private static void closeEach() {
            try (var stream = new Stream(); var event = new Event(); var memory = Driver.memAlloc(64);
                 var module = Driver.moduleFromBuffer(PTX)) {
                event.record(stream);
                module.function("nothing").launch(Driver.block(1).stream(stream));
                Driver.memsetD8Async(memory, 0, 64, stream);
            }
        }

        private static void dropEach() {
            new Stream().isDone();
            new Event().record();
            Driver.memAlloc(64);
            Driver.moduleFromBuffer(PTX).function("nothing");
        }

        private static final String PTX = """
            .version 7.0
            .target sm_52
            .address_size 64
            .visible .entry nothing() { ret; }
            """;
    }

    @Tag("child")
    @Test
    void everyCreatedHandleIsDestroyed() {
        var child = ChildJvm.run(Everything.class, Map.of("PYCUDA_TRACE", "1"));
        assertEquals(0, child.status(), child.err());
        for (String[] pair : new String[][] {{"cuStreamCreate", "cuStreamDestroy"}, {"cuEventCreate", "cuEventDestroy"},
            {"cuMemAlloc", "cuMemFree"}, {"cuModuleLoadDataEx", "cuModuleUnload"}, {"cuCtxCreate", "cuCtxDestroy"}}) {
            long made = count(child.err(), pair[0]);
            assertTrue(made > 0, pair[0] + " was never called:\n" + child.err().lines().limit(20).toList());
            assertEquals(made, count(child.err(), pair[1]), pair[1]);
        }
    }

    private static long count(String trace, String call) {
        return trace.lines().filter(line -> line.matches("(.*\\W)?" + call + "(_v\\d)?\\W.*")).count();
    }
}
