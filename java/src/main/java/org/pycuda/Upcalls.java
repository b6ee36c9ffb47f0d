package org.pycuda;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts program code that runs inside native calls, such as allocators: those calls still use objects that the code
 * closes.
 */
final class Upcalls {
    private static final AtomicInteger COUNT = new AtomicInteger();

    private Upcalls() {}

    static void begin() {
        COUNT.incrementAndGet();
    }

    static void end() {
        COUNT.decrementAndGet();
    }

    /** On any thread. */
    static boolean areUnderWay() {
        return COUNT.get() != 0;
    }
}
