package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ArgumentHandlerTest implements WithContext {
    private static final LaunchConfig FOUR = Driver.block(4);

    @Test
    void argumentHandlersCopyInAndOut() {
        var x = new float[] {1, 2, 3, 4};
        var y = new float[] {10, 20, 30, 40};
        Kernels.get("axpy").launch(FOUR, new InOut(y), new In(x), 2f, 4);
        assertArrayEquals(new float[] {12, 24, 36, 48}, y);
        assertArrayEquals(new float[] {1, 2, 3, 4}, x);
        var out = new int[4];
        Kernels.get("fill").launch(FOUR, new Out(out), 7, 4);
        assertArrayEquals(new int[] {7, 7, 7, 7}, out);
    }

    @Test
    void arraysAreReadyAfterALaunchOnAStream() {
        try (var stream = new Stream()) {
            for (int round = 0; round < 20; round++) {
                var y = new float[] {0, 1, 2, 3};
                Kernels.get("axpy").launch(FOUR.stream(stream), Driver.inOut(y), Driver.in(new float[] {1, 1, 1, 1}), (float) round, 4);
                assertArrayEquals(new float[] {round, 1 + round, 2 + round, 3 + round}, y);
            }
        }
    }

    @Test
    void directBuffersAreWrittenInStreamOrder() {
        try (var stream = new Stream()) {
            var y = ByteBuffer.allocateDirect(16).order(ByteOrder.nativeOrder()).asFloatBuffer();
            var x = ByteBuffer.allocateDirect(16).order(ByteOrder.nativeOrder()).asFloatBuffer().put(0, 3f);
            Kernels.get("axpy").launch(FOUR.stream(stream), Driver.inOut(y), Driver.in(x), 2f, 4);
            x.put(0, -1f);  // has been read already
            stream.synchronize();
            assertEquals(6f, y.get(0));
        }
    }

    @Test
    void memoryComesFromThePool() {
        try (var stream = new Stream(StreamFlags.NON_BLOCKING); var pool = DeviceMemoryPool.ofCurrentContext()) {
            var host = new float[1 << 16];
            Kernels.get("fill").launch(FOUR, Driver.inOut(host), 1, 4);
            long managed = pool.managedBytes();
            long active = pool.activeBlocks();  // includes other tests' arrays, which may be collected in the meantime
            for (int i = 0; i < 10; i++) {
                Kernels.get("fill").launch(FOUR, Driver.inOut(host), 1, 4);
                Kernels.get("fill").launch(FOUR.stream(stream), Driver.inOut(host), 1, 4);
                assertThrows(IllegalArgumentException.class, () -> Kernels.get("fill").launch(FOUR, Driver.in(host), 1));
                assertTrue(pool.activeBlocks() <= active);
                assertEquals(managed, pool.managedBytes());
            }
        }
    }

    @Test
    void memoryAllocatedBeforeALaunchIsUsedByIt() {
        var pool = DeviceMemoryPool.ofCurrentContext();
        var doubled = new Doubled(new int[] {1, 2, 3, 4});
        long active = pool.activeBlocks();
        var memory = doubled.deviceAlloc();
        Kernels.get("fill").launch(FOUR, doubled, 9, 2);
        assertArrayEquals(new int[] {9, 9, 6, 8}, (int[]) doubled.array());
        assertThrows(Driver.LogicError.class, memory::pointer, "it was freed with the launch");
        assertTrue(pool.activeBlocks() <= active);
    }

    /** Launches a second kernel with a handler that is in use by a launch, from either callback of the first. */
    private static final class Launching extends ArgumentHandler {
        private final Runnable before;
        private final Runnable after;

        Launching(Object host, Runnable before, Runnable after) {
            super(host);
            this.before = before;
            this.after = after;
        }

        @Override
        protected void preCall(Stream stream) {
            copyIn(stream);
            before.run();
        }

        @Override
        protected void postCall(Stream stream) {
            after.run();
            copyOut(stream);
        }
    }

    @Test
    void aHandlerServesOneLaunchAtATime() {
        var pool = DeviceMemoryPool.ofCurrentContext();
        long active = pool.activeBlocks();
        for (boolean before : new boolean[] {true, false}) {
            for (boolean byThread : new boolean[] {true, false}) {
                var y = new int[] {1, 2, 3, 4};
                var shared = new ArrayList<ArgumentHandler>();
                var context = Context.current();
                var second = new int[4];
                Runnable launch = () -> {
                    Runnable refused = () -> {
                        var failure = assertThrows(IllegalStateException.class,
                            () -> Kernels.get("fill").launch(FOUR, shared.get(0), 5, 4));
                        assertEquals("Launching serves another launch, which has not returned: create one for each launch", failure.getMessage());
                        assertThrows(IllegalStateException.class,
                            () -> Kernels.get("axpy").launch(FOUR, Driver.inOut(second), shared.get(0), 5f, 4));
                    };
                    if (byThread) {
                        CompletableFuture.runAsync(() -> context.run(refused::run)).join();
                    } else {
                        refused.run();
                    }
                };
                shared.add(new Launching(y, before ? launch : () -> { }, before ? () -> { } : launch));
                Kernels.get("fill").launch(FOUR, shared.get(0), 7, 3);
                assertArrayEquals(new int[] {7, 7, 7, 4}, y);
                Kernels.get("axpy").launch(FOUR, Driver.inOut(new float[4]), Driver.in(new float[4]), 2f, 4);
            }
        }
        assertTrue(pool.activeBlocks() <= active);
    }

    @Test
    void aHandlerPassedTwiceHasOneAllocation() {
        var y = Driver.inOut(new float[] {1, 2, 3, 4});
        Kernels.get("axpy").launch(FOUR, y, y, 2f, 4);
        assertArrayEquals(new float[] {3, 6, 9, 12}, (float[]) y.array());
    }

    @Test
    void pageLockedMemoryIsReadInStreamOrder() {
        var axpy = Kernels.get("axpy");
        var registered = ByteBuffer.allocateDirect(16).order(ByteOrder.nativeOrder());
        try (var locked = Driver.pagelockedEmpty(DType.FLOAT32, 4); var registration = Memory.registerHostMemory(registered);
             var memory = Driver.memAlloc(16)) {
            for (var y : List.of(locked.asFloatBuffer(), registered.asFloatBuffer())) {
                axpy.launch(FOUR, memory, memory, 0f, 4);
                try (var gate = new Gate()) {
                    y.put(0, 3f);
                    Driver.memsetD32Async(memory, 0, 4, gate.stream);
                    axpy.launch(FOUR.stream(gate.stream), memory, Driver.in(y), 2f, 4);
                    y.put(0, 5f);
                    gate.open();
                    assertEquals(10f, Driver.fromDevice(memory, 4, float[].class)[0]);
                }
            }
        }
    }

    @Test
    void everyKindOfHostMemory() {
        var direct = ByteBuffer.allocateDirect(16).order(ByteOrder.nativeOrder());
        var half = ByteBuffer.allocateDirect(16).order(ByteOrder.nativeOrder());
        try (var locked = Driver.pagelockedEmpty(DType.FLOAT32, 4); var registration = Memory.registerHostMemory(direct);
             var managed = Driver.managedEmpty(DType.FLOAT32, 4);
             var pool = new PageLockedMemoryPool(); var pooled = pool.allocate(16); var stream = new Stream()) {
            for (var y : List.of(locked.asFloatBuffer(), direct.asFloatBuffer(), managed.asFloatBuffer(), pooled.asFloatBuffer(),
                    half.asFloatBuffer(), FloatBuffer.allocate(4))) {
                y.put(0, 1f);
                Kernels.get("axpy").launch(FOUR.stream(stream), Driver.inOut(y), Driver.in(y), 1f, 4);
                stream.synchronize();
                Kernels.get("axpy").launch(FOUR.stream(stream), Driver.inOut(y), Driver.in(y), 1f, 4);
                stream.synchronize();
                assertEquals(4f, y.get(0));
                Kernels.get("axpy").launch(FOUR, Driver.inOut(y), Driver.in(y), 1f, 4);
                assertEquals(8f, y.get(0));
            }
        }
    }

    @Test
    void pageLockedMemoryIsKeptAliveUntilTheStreamIsDone() throws InterruptedException {
        var axpy = Kernels.get("axpy");
        axpy.launch(FOUR, Driver.inOut(new float[4]), Driver.in(new float[4]), 2f, 4);
        var gate = new Gate();
        var y = Driver.pagelockedEmpty(DType.FLOAT32, 4).asFloatBuffer();
        var gone = new WeakReference<>(y);
        long before = Devices.live("page-locked allocation");
        axpy.launch(FOUR.stream(gate.stream), Driver.out(y), Driver.in(y), 2f, 4);
        y = null;
        assertEquals(before, Devices.liveWithoutGarbage("page-locked allocation"));
        gate.open();
        for (int i = 0; i < 500 && gone.get() != null; i++) {
            System.gc();
            Thread.sleep(10);
        }
        assertEquals(null, gone.get());
        gate.stream.close();
    }

    /** A launch whose named driver call fails, then one that works. */
    static final class SecondFails {
        public static void main(String[] arguments) {
            Autoinit.init();
            var pool = DeviceMemoryPool.ofCurrentContext();
            var stream = arguments.length > 0 ? new Stream() : Stream.DEFAULT;
            var axpy = Kernels.get("axpy");
            var first = ByteBuffer.allocateDirect(16).order(ByteOrder.nativeOrder());
            var second = ByteBuffer.allocateDirect(16).order(ByteOrder.nativeOrder());
            for (int round = 0; round < 2; round++) {
                try {
                    axpy.launch(FOUR.stream(stream), Driver.inOut(first), Driver.inOut(second), 1f, 4);
                    System.out.println("done");
                } catch (Driver.Error error) {
                    System.out.println(error.getClass().getSimpleName() + " " + error.routine() + " " + pool.activeBlocks());
                }
            }
            Context.synchronize();
            System.out.println(pool.activeBlocks());
        }
    }

    @Test
    void aFailureInTheMiddleLeaksNothing() {
        for (String[] stream : new String[][] {{}, {"stream"}}) {
            for (String call : List.of("cuMemcpyHtoD", "cuMemcpyDtoH", "cuLaunchKernel", "cuMemAlloc")) {
                String name = stream.length > 0 && call.contains("cpy") ? call + "Async" : call;
                String faults = switch (call) {
                    case "cuLaunchKernel" -> name + ":1:1";
                    case "cuMemAlloc" -> name + ":2:2," + name + ":3:2," + name + ":4:2";
                    default -> name + ":2:1";
                };
                var child = ChildJvm.run(SecondFails.class, Map.of("PYCUDA_DRIVER", "cpu", "PYCUDA_CPU_FAULTS", faults), stream);
                String kind = call.equals("cuMemAlloc") ? "MemoryError" : "LogicError";
                assertEquals(kind + " " + name + " 0\ndone\n0\n", child.out(), child.err());
            }
        }
    }

    @Test
    void concurrentLaunchesWithOneHandlerSucceedOrAreRejected() throws InterruptedException {
        var shared = new InOut(new int[4]);
        var context = Autoinit.context();
        long active = DeviceMemoryPool.ofCurrentContext().activeBlocks();
        var done = new AtomicInteger();
        var unexpected = new ConcurrentLinkedQueue<Throwable>();
        var threads = new ArrayList<Thread>();
        for (int t = 0; t < 4; t++) {
            threads.add(new Thread(() -> context.run(() -> {
                for (int i = 0; i < 200; i++) {
                    try {
                        Kernels.get("fill").launch(FOUR, shared, 7, 4);
                        done.incrementAndGet();
                    } catch (IllegalStateException inUse) {
                        Thread.onSpinWait();
                    } catch (Throwable other) {
                        unexpected.add(other);
                    }
                }
            })));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(List.of(), List.copyOf(unexpected));
        assertTrue(done.get() > 0);
        assertArrayEquals(new int[] {7, 7, 7, 7}, (int[]) shared.array());
        assertTrue(DeviceMemoryPool.ofCurrentContext().activeBlocks() <= active);
    }

    /** Doubles the input, and records the calls. */
    private static final class Doubled extends ArgumentHandler {
        final List<String> calls = new ArrayList<>();

        Doubled(int[] host) {
            super(host);
        }

        @Override
        protected void preCall(Stream stream) {
            calls.add("pre");
            int[] twice = ((int[]) array()).clone();
            for (int i = 0; i < twice.length; i++) {
                twice[i] *= 2;
            }
            Driver.memcpyHtod(deviceAlloc(), twice);
        }

        @Override
        protected void postCall(Stream stream) {
            calls.add("post");
            Driver.memcpyDtoh(HostData.ofObject(array()), deviceAlloc());
        }
    }

    @Test
    void subclassesMayOverrideTheCopies() {
        var host = new int[] {1, 2, 3, 4};
        var doubled = new Doubled(host);
        Kernels.get("fill").launch(FOUR, doubled, 9, 2);
        assertArrayEquals(new int[] {9, 9, 6, 8}, host);
        assertEquals(List.of("pre", "post"), doubled.calls);
    }

    @Test
    void onlyHostDataIsAccepted() {
        assertThrows(IllegalArgumentException.class, () -> new In(HostData.ofObject("text")));
        assertThrows(IllegalArgumentException.class, () -> new InOut(new Boolean[3]));
        assertThrows(IllegalArgumentException.class, () -> Driver.out((float[]) null));
    }

    @Test
    @org.junit.jupiter.api.Timeout(60)
    void readingAResultWaitsForItsStreamOnly() {
        var wait = Kernels.module("""
            __global__ void wait_for(volatile int *flag) { for (long long i = 0; i < 1ll << 40 && *flag == 0; i++); }
            """).function("wait_for");
        var values = new int[4];
        try (var flag = Driver.toDevice(new int[1]); var busy = new Stream(StreamFlags.NON_BLOCKING);
             var stream = new Stream(StreamFlags.NON_BLOCKING)) {
            wait.launch(Driver.block(1).stream(busy), flag);
            try {
                Kernels.get("fill").launch(Driver.block(4).stream(stream), Driver.out(values), 7, 4);
                assertArrayEquals(new int[] {7, 7, 7, 7}, values);
                assertFalse(busy.isDone());
            } finally {
                Driver.memsetD32Async(flag, 1, 1, stream);
                busy.synchronize();
            }
        }
    }
}
