package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Closing may wait for a host function, so it must not hold a lock that the function may need. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WaitingTest {
    /** The objects that are closed, by kind. */
    private static final Map<String, Supplier<AutoCloseable>> KINDS = new LinkedHashMap<>();

    static {
        Driver.init();
        KINDS.put("context", () -> Context.current());
        KINDS.put("memory", () -> Driver.memAlloc(100));
        KINDS.put("stream-ordered memory", () -> Driver.memAllocAsync(100));
        KINDS.put("managed memory", () -> Driver.managedEmpty(DType.INT8, 100));
        KINDS.put("page-locked memory", () -> Driver.pagelockedEmpty(DType.INT8, 100));
        KINDS.put("module", () -> Driver.moduleFromBuffer(Ptx.SCALE));
        KINDS.put("event", Event::new);
        KINDS.put("stream", org.pycuda.Stream::new);
        KINDS.put("pool", DeviceMemoryPool::new);
        KINDS.put("pool's block", () -> new DeviceMemoryPool().allocate(100));
    }

    static Stream<String> kinds() {
        return KINDS.keySet().stream();
    }

    /** Calls that a program may make on the object, such as handle(). */
    private static void look(AutoCloseable thing) {
        try {
            if (thing instanceof Handle handle) {
                handle.value();
            }
            thing.toString();
            thing.equals(new Object());
        } catch (Driver.LogicError closed) {
            // The object may be closed by then.
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aHostFunctionMayAskWhatIsBeingClosed(String kind) throws Exception {
        var context = new Device(0).makeContext();
        try {
            AutoCloseable thing = KINDS.get(kind).get();
            var ready = new CountDownLatch(1);
            var asked = new CountDownLatch(1);
            new org.pycuda.Stream().addHostFunction(() -> {
                ready.countDown();
                pause();  // until the other thread waits in close
                look(thing);
                asked.countDown();
            });
            assertTrue(ready.await(30, TimeUnit.SECONDS));
            thing.close();
            assertTrue(asked.await(30, TimeUnit.SECONDS));
        } finally {
            context.close();
        }
    }

    /** A driver thread must not call the driver: objects that are closed there are released a little later, on another thread. */
    @ParameterizedTest
    @MethodSource("kinds")
    void aHostFunctionMayClose(String kind) throws Exception {
        try (var context = new Device(0).makeContext()) {
            if (kind.equals("context")) {
                return;  // a driver call that the program makes
            }
            AutoCloseable thing = KINDS.get(kind).get();
            var failure = new AtomicReference<Throwable>();
            var stream = new org.pycuda.Stream();
            stream.addHostFunction(() -> {
                try {
                    thing.close();
                } catch (Throwable thrown) {
                    failure.set(thrown);
                }
            });
            stream.synchronize();
            assertEquals(null, failure.get());
            if (thing instanceof Handle handle) {
                assertThrows(Driver.LogicError.class, handle::value);
            }
        }
    }

    /** Closing the last block of a pool ends the context, on the thread that closes it. */
    @ParameterizedTest
    @MethodSource("kinds")
    void theContextEndsBehindAHostFunction(String kind) throws Exception {
        var context = new Device(0).makeContext();
        AutoCloseable thing = KINDS.get(kind).get();
        var done = new CountDownLatch(1);
        new org.pycuda.Stream().addHostFunction(() -> {
            pause();
            synchronized (this) {
                look(thing);
            }
            done.countDown();
        });
        Context.pop();
        var closing = new Thread(() -> {
            try {
                thing.close();
                context.close();
            } catch (Exception failure) {
                throw new IllegalStateException(failure);
            }
        });
        closing.start();
        assertTrue(done.await(30, TimeUnit.SECONDS));
        closing.join();
    }

    private static void pause() {
        try {
            Thread.sleep(50);
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
        }
    }
}
