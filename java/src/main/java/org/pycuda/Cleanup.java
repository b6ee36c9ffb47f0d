package org.pycuda;

import java.lang.ref.Cleaner;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The one Cleaner: frees the native side of every object that became unreachable. */
final class Cleanup {
    private static final Cleaner CLEANER = Cleaner.create();
    private static final long PATIENCE_MILLIS = 500;

    private Cleanup() {}

    /** Runs {@code action}, which must not refer to {@code object}, once {@code object} is unreachable. */
    static void register(Object object, Runnable action) {
        CLEANER.register(object, action);
    }

    /**
     * Collects garbage and waits, but not forever, until what was found is freed. The core calls this when device memory is
     * out: the JVM sees only the small Java objects that hold it, and would see no reason to collect.
     */
    static void collectGarbage() {
        // The Cleaner takes references in the order of collections, so after the second round it is done with the first.
        for (int round = 0; round < 2; round++) {
            var cleaned = new CountDownLatch(1);
            register(new Object(), cleaned::countDown);
            System.gc();
            try {
                if (!cleaned.await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)) {
                    return;
                }
            } catch (InterruptedException interrupt) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
