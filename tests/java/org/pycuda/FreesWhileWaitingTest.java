package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.pycuda.compiler.SourceModule;

/** What is closed or collected while a stream waits for a word does not stop the program: test_frees_while_waiting.py says more. */
class FreesWhileWaitingTest implements WithContext {
    private static final int LONGEST_SECONDS = 15;
    private static final int WORD = 7;

    private static final Map<String, Supplier<AutoCloseable>> KINDS = new TreeMap<>(Map.of(
        "memory", () -> Driver.memAlloc(64), "managed memory", () -> Driver.managedZeros(DType.INT32, 4),
        "a pool's memory", () -> new DeviceMemoryPool().allocate(64), "page-locked memory", () -> Driver.pagelockedZeros(DType.INT32, 4),
        "registered memory", () -> Memory.registerHostMemory(ByteBuffer.allocateDirect(8192)),
        "an array", () -> new Array(new ArrayDescriptor(8, 8, ArrayFormat.FLOAT, 1)),
        "a mipmapped array", () -> new MipmappedArray(new ArrayDescriptor3D(8, 8, 0, ArrayFormat.FLOAT, 1), 2),
        "a module", () -> new SourceModule("__global__ void f() {}")));

    static Iterable<String> kinds() {
        return KINDS.keySet();
    }

    private interface Body {
        void run() throws Exception;
    }

    /** Runs the body while a stream waits. If it does not end by itself, this thread ends the wait, and the test fails. */
    private static void whileWaiting(Body body) throws Exception {
        try (var stream = new Stream(); var words = PinnedMemory.of(DType.INT32, 1).mapped().zeros()) {
            DevicePointer word = DevicePointer.of(words.devicePointer());
            stream.waitValue32(word, WORD, StreamWaitValueFlags.EQ);
            var ended = new CountDownLatch(1);
            Throwable[] failure = {null};
            var context = Context.current();
            var thread = new Thread(() -> {
                context.push();
                try {
                    body.run();
                    new Stream().close();  // these do not return either while the driver frees
                    Driver.memAlloc(64).close();
                } catch (Exception | AssertionError error) {
                    failure[0] = error;
                } finally {
                    Context.pop();
                    ended.countDown();
                }
            });
            thread.start();
            boolean inTime = ended.await(LONGEST_SECONDS, TimeUnit.SECONDS);
            boolean waits = inTime && !stream.isDone();
            words.asIntBuffer().put(0, WORD);
            stream.synchronize();
            thread.join();
            assertTrue(inTime, "stopped until the host wrote the word");
            assertTrue(waits);
            assertEquals(null, failure[0]);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void closing(String kind) throws Exception {
        AutoCloseable made = KINDS.get(kind).get();
        whileWaiting(made::close);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void collecting(String kind) throws Exception {
        List<AutoCloseable> held = new ArrayList<>(List.of(KINDS.get(kind).get()));
        whileWaiting(() -> {
            held.clear();
            Cleanup.collectGarbage();
        });
    }

    /** They end first: none of them runs into the wait. */
    @Test
    void freesThatRunWhenTheWaitIsQueued() throws Exception {
        var context = Context.current();
        var rounds = new AtomicLong();
        var stopped = new AtomicBoolean();
        var thread = new Thread(() -> {
            context.push();
            while (!stopped.get()) {
                Driver.memAlloc(64).close();
                rounds.incrementAndGet();
            }
            Context.pop();
        });
        thread.start();
        try {
            for (int i = 0; i < 100; ++i)
                whileWaiting(() -> {
                    long then = rounds.get();
                    LifetimeTest.eventually(() -> rounds.get() > then + 2, "the other thread stopped");
                });
        } finally {
            stopped.set(true);
            thread.join();
        }
    }

    @Test
    void itIsFreedOnceNoStreamWaits() throws Exception {
        var memory = Driver.memAlloc(1 << 22);
        long address = memory.pointer();
        whileWaiting(() -> {
            memory.close();
            assertEquals(address, Memory.memGetAddressRange(DevicePointer.of(address)).base());
        });
        LifetimeTest.eventually(() -> {
            try {
                return Memory.memGetAddressRange(DevicePointer.of(address)).base() == 0;
            } catch (Driver.Error gone) {
                return true;
            }
        }, "it is never freed");
    }
}
