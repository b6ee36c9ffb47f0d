package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.pycuda.compiler.SourceModule;

/** Virtual threads have no current context, because they move between carrier threads. */
class VirtualThreadsTest implements WithContext {
    private static Function fill() {
        return new SourceModule("extern \"C\" __global__ void f(int *x, int v) { x[threadIdx.x] = v; }", new SourceModule.Options()).function("f");
    }

    /** Processes each number in its own virtual thread. */
    private static void inEach(int count, java.util.function.IntConsumer work) throws InterruptedException, ExecutionException {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> results = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                int number = i;
                results.add(threads.submit(() -> work.accept(number)));
            }
            for (Future<?> result : results) {
                result.get();
            }
        }
    }

    private static void assertNamesRun(org.junit.jupiter.api.function.Executable call) {
        var error = assertThrows(Driver.LogicError.class, call);
        assertTrue(error.getMessage().contains("Context.run"), error.getMessage());
        assertFalse(error.getMessage().contains("pushed()") || error.getMessage().contains("push one"), error.getMessage());  // these throw here
    }

    @Test
    void missingContextErrorsMentionRun() throws Exception {
        Context context = Context.current();
        inEach(50, number -> {
            assertNamesRun(context::push);
            assertNamesRun(context::pushed);
            assertNamesRun(() -> Driver.memAlloc(16));
            assertNamesRun(() -> new Device(0).makeContext());
            assertSame(Autoinit.context(), Autoinit.context());
            assertNamesRun(() -> Driver.toDevice(new float[1]));
        });
    }

    @Test
    void runKeepsTheContextAcrossWaits() throws Exception {
        Context context = Context.current();
        var f = fill();
        inEach(500, number -> {
            int last = context.run(() -> {
                assertEquals(context, Context.current());
                Thread.yield();
                var out = new int[32];
                f.launch(Driver.block(32), Driver.out(out), number);
                Thread.yield();
                try (var inner = context.pushed(); var sum = GPUArray.toGpu(out).sum()) {
                    assertEquals(32 * number, sum.getInt());
                }
                return context.run(() -> out[31]);  // a nested call
            });
            assertEquals(number, last);
            context.run(Context::synchronize);
            assertNamesRun(context::push);
        });
    }

    @Test
    void exceptionsOfTheTaskPropagate() throws Exception {
        Context context = Context.current();
        var mine = new IOException("mine");
        assertSame(mine, assertThrows(IOException.class, () -> context.run(() -> {
            throw mine;
        })));
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var error = assertThrows(ExecutionException.class, () -> threads.submit(() -> context.run(() -> {
                throw mine;
            })).get());
            assertSame(mine, error.getCause());
        }
    }

    @Test
    void executorThreadsHaveTheContextCurrent() throws Exception {
        Context context = Context.current();
        var f = fill();
        var gpu = context.executor(2);
        try {
            inEach(200, number -> {
                try {
                    assertEquals(number, gpu.submit(() -> {
                        var out = new int[32];
                        f.launch(Driver.block(32), Driver.out(out), number);
                        return out[31];
                    }).get());
                } catch (InterruptedException | ExecutionException failure) {
                    throw new AssertionError(failure);
                }
            });
        } finally {
            gpu.shutdown();
        }
    }

    /** Waiting does not occupy a carrier thread: all of them wait at the same time, before any stream continues. */
    @Test
    void tenThousandVirtualThreadsWaitForStreams() throws Exception {
        int count = 10_000;
        var waiting = new CountDownLatch(count);
        var done = new AtomicInteger();
        try (var stream = new Stream(); var threads = Executors.newVirtualThreadPerTaskExecutor(); var gate = new Gate(stream)) {
            var reached = stream.whenDone();
            for (int i = 0; i < count; i++) {
                threads.submit(() -> {
                    waiting.countDown();
                    reached.join();
                    done.incrementAndGet();
                });
            }
            waiting.await();
            assertEquals(0, done.get());
        }
        assertEquals(count, done.get());
    }

    @Test
    void virtualThreadsShareNativeMemory() throws Exception {
        Context context = Context.current();
        var f = fill();
        var pool = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream().filter(bean -> bean.getName().equals("direct")).findFirst().orElseThrow();
        long before = pool.getMemoryUsed();
        int count = 2000;
        var gate = new CountDownLatch(1);
        var ran = new CountDownLatch(count);
        for (int i = 0; i < count; i++) {
            Thread.startVirtualThread(() -> {
                context.run(() -> {
                    f.launch(Driver.block(32), Driver.out(new int[8192]), 1);
                    return null;
                });
                ran.countDown();
                try {
                    gate.await();
                } catch (InterruptedException interrupt) {
                    Thread.currentThread().interrupt();
                }
            });
        }
        ran.await();
        long used = pool.getMemoryUsed() - before;
        gate.countDown();
        assertTrue(used < count * 4096L, used + " bytes for " + count + " threads");
    }
}
