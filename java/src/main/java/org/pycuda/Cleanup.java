package org.pycuda;

import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/**
 * Frees the native side of an object that became unreachable, on a thread of its own. What java.lang.ref.Cleaner does, for a third of the
 * cost: to register and take back is two short critical sections, after which no collector ever sees it. CleanerBench, among the tests,
 * measured 36 ns for both, and 159 ns for Cleaner's (JDK 17; 40 and 116 ns in JDK 25). And a Cleaner's thread keeps what is registered: an
 * object in a static field would keep its class loader for ever. This thread knows the queue only.
 */
final class Cleanup extends PhantomReference<Object> implements Runnable {
    /** Native code's thread runs what comes out. */
    private static final ReferenceQueue<Object> UNREACHABLE = new ReferenceQueue<>();
    private static final CleanupList REGISTERED = new CleanupList();
    private static final long PATIENCE_MILLIS = 2000;
    private static final long STEP_MILLIS = 10;
    private static final int QUIET_STEPS = 4;

    /** How many were begun and finished: written by the thread that cleans. */
    private static volatile long started;
    private static volatile long finished;

    /** May be changed by the code that registered it, but only while {@code object} is reachable. */
    long pointer;
    private final LongConsumer delete;
    /** The list's own. */
    int place;

    /** Calls {@code delete}, which must not refer to {@code object}, with {@code pointer} once {@code object} is unreachable. */
    Cleanup(Object object, LongConsumer delete, long pointer) {
        super(object, UNREACHABLE);
        this.delete = delete;
        this.pointer = pointer;
        REGISTERED.add(this);
        Reference.reachabilityFence(object);
    }

    static void register(Object object, LongConsumer delete, long pointer) {
        new Cleanup(object, delete, pointer);
    }

    /** True if the caller now owns deletion; false if the cleanup thread has it. */
    boolean cancel() {
        return REGISTERED.remove(this);
    }

    /** What the thread does with each. */
    @Override
    public void run() {
        started = started + 1;
        try {
            if (cancel()) {
                delete.accept(pointer);
            }
        } finally {
            finished = finished + 1;
        }
    }

    /**
     * Collects garbage and waits, but not forever, until what was found is freed. The core calls this when device memory is
     * out: the JVM sees only the small Java objects that hold it, and would see no reason to collect.
     */
    static void collectGarbage() {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS);
        var cleaned = new CountDownLatch(1);
        register(new Object(), ignored -> cleaned.countDown(), 0);
        boolean interrupted = Thread.interrupted();  // what the program asked to end is its own wait, not this allocation
        System.gc();
        while (System.nanoTime() < deadline) {
            try {
                if (cleaned.await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                    waitUntilQuiet(deadline);
                }
                break;
            } catch (InterruptedException interrupt) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** The JVM hands references over in no order that could be relied on, and does not tell when it has no more. */
    private static void waitUntilQuiet(long deadline) throws InterruptedException {
        long seen = -1;
        for (int quiet = 0; quiet < QUIET_STEPS && System.nanoTime() < deadline; quiet++) {
            long begun = started;
            if (begun != seen || begun != finished) {
                seen = begun;
                quiet = 0;
            }
            Thread.sleep(STEP_MILLIS);
        }
    }
}
