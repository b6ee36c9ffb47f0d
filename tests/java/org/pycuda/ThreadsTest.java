package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.pycuda.compiler.SourceModule;

class ThreadsTest implements WithContext {
    private static <T> List<T> together(int count, Callable<T> task) throws InterruptedException, ExecutionException {
        var pool = Executors.newFixedThreadPool(count);
        try {
            List<Future<T>> futures = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                futures.add(pool.submit(task));
            }
            List<T> results = new ArrayList<>();
            for (var future : futures) {
                results.add(future.get());
            }
            return results;
        } finally {
            pool.shutdown();
        }
    }

    @Test
    void threadsShareContextModuleAndFunction() throws Exception {
        var axpy = Kernels.get("axpy");
        for (float[] result : together(8, () -> {
            Autoinit.init();
            var y = new float[256];
            try (var stream = new Stream()) {
                for (int i = 0; i < 50; i++) {
                    axpy.launch(Driver.block(256).stream(i % 2 == 0 ? stream : Stream.DEFAULT), Driver.inOut(y), Driver.in(ones()), 1f, 256);
                }
            }
            return y;
        })) {
            var expected = new float[256];
            java.util.Arrays.fill(expected, 50);
            assertArrayEquals(expected, result);
        }
    }

    private static float[] ones() {
        var ones = new float[256];
        java.util.Arrays.fill(ones, 1);
        return ones;
    }

    @Test
    void closingDuringUseIsAtWorstAnError() throws Exception {
        for (int round = 0; round < 20; round++) {
            var memory = Driver.memAlloc(1024);
            var event = new Event();
            var failures = together(4, () -> {
                Autoinit.init();
                int refused = 0;
                for (int i = 0; i < 200; i++) {
                    try {
                        if (i == 100) {
                            memory.close();
                            event.close();
                        }
                        memory.pointer();
                        event.isDone();
                    } catch (Driver.LogicError error) {
                        refused++;
                    }
                }
                return refused;
            });
            for (int refused : failures) {
                assertEquals(true, refused >= 100, "only " + refused);
            }
        }
    }

    @Test
    void closingStopsLaunchesOfOtherThreads() throws Exception {
        Autoinit.init();
        for (int round = 0; round < 20; round++) {
            boolean closesTheStream = round % 2 == 0;
            var stream = new Stream();
            var module = new SourceModule("__global__ void nothing() {}");
            var nothing = module.function("nothing");
            for (int refused : together(4, () -> {
                Autoinit.init();
                int count = 0;
                for (int i = 0; i < 200; i++) {
                    if (i == 100) {
                        (closesTheStream ? stream : module).close();
                    }
                    try {
                        nothing.launch(Driver.block(1).stream(stream));
                        stream.isDone();
                    } catch (Driver.LogicError error) {
                        count++;
                    }
                }
                return count;
            })) {
                assertEquals(true, refused >= 100, "only " + refused);
            }
            stream.close();
            module.close();
        }
        Context.synchronize();
    }

    @Test
    void threadsMayHaveTheirOwnContexts() throws Exception {
        for (int sum : together(4, () -> {
            try (var context = new Device(0).makeContext(); var memory = Driver.toDevice(new int[] {1, 2, 3})) {
                Context.synchronize();
                return Driver.fromDevice(memory, 3, int[].class)[2];
            }
        })) {
            assertEquals(3, sum);
        }
    }

    private static long hostFunctionThreads() {
        return Thread.getAllStackTraces().keySet().stream().filter(thread -> thread.getName().equals("pycuda-host-function")).count();
    }

    /** Otherwise the JVM would list threads that have ended, whose memory is gone. */
    @Test
    void driverThreadsDetachFromTheJvmWhenTheyEnd() throws Exception {
        long before = hostFunctionThreads();
        for (int i = 0; i < 20; i++) {
            try (var context = new Device(0).makeContext(); var stream = new Stream()) {
                stream.addHostFunction(() -> { });
                stream.synchronize();
            }
        }
        for (int i = 0; i < 100 && hostFunctionThreads() > before + 5; i++) {
            Thread.sleep(100);
        }
        assertTrue(hostFunctionThreads() <= before + 5, hostFunctionThreads() + " threads, " + before + " before");
    }
}
