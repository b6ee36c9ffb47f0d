package org.pycuda;

import java.lang.ref.Cleaner;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** The one Cleaner: frees the native side of every object that became unreachable. */
final class Cleanup {
    private static final Cleaner CLEANER = Cleaner.create();
    private static final AtomicLong STARTED = new AtomicLong();
    private static final AtomicLong FINISHED = new AtomicLong();
    private static final long PATIENCE_MILLIS = 2000;
    private static final long STEP_MILLIS = 10;
    private static final int QUIET_STEPS = 4;

    private Cleanup() {}

    /** Runs {@code action}, which must not refer to {@code object}, once {@code object} is unreachable. */
    static void register(Object object, Runnable action) {
        CLEANER.register(object, () -> {
            STARTED.incrementAndGet();
            try {
                action.run();
            } finally {
                FINISHED.incrementAndGet();
            }
        });
    }

    /**
     * Collects garbage and waits, but not forever, until what was found is freed. The core calls this when device memory is
     * out: the JVM sees only the small Java objects that hold it, and would see no reason to collect.
     */
    static void collectGarbage() {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS);
        var cleaned = new CountDownLatch(1);
        register(new Object(), cleaned::countDown);
        System.gc();
        try {
            if (cleaned.await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)) {
                waitUntilQuiet(deadline);
            }
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
        }
    }

    /** The Cleaner takes references in no order that could be relied on, and does not tell when it has no more. */
    private static void waitUntilQuiet(long deadline) throws InterruptedException {
        long seen = -1;
        for (int quiet = 0; quiet < QUIET_STEPS && System.nanoTime() < deadline; quiet++) {
            long started = STARTED.get();
            if (started != seen || started != FINISHED.get()) {
                seen = started;
                quiet = 0;
            }
            Thread.sleep(STEP_MILLIS);
        }
    }
}
