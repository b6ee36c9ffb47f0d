package org.pycuda;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts what runs of a program's code in the middle of native calls, such as its allocators: those calls still use what that code
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
