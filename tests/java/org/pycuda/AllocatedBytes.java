package org.pycuda;

import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import org.junit.jupiter.api.Assumptions;

/** Bytes that this thread allocates, by a method that only some JVMs have. */
final class AllocatedBytes {
    private static final int WARM_UP = 20000;

    private static final Object THREADS = ManagementFactory.getThreadMXBean();
    /** Null if this JVM has none. */
    private static final Method COUNT = find();

    private AllocatedBytes() {}

    private static Method find() {
        try {
            return Class.forName("com.sun.management.ThreadMXBean").getMethod("getCurrentThreadAllocatedBytes");
        } catch (ReflectiveOperationException unknown) {
            return null;
        }
    }

    /** The bytes of so many calls, after many others. Ends the test if this JVM does not count them. */
    static long of(int calls, Runnable call) {
        Assumptions.assumeTrue(now() >= 0, "this JVM does not count bytes");
        for (int i = 0; i < WARM_UP; i++) {
            call.run();
        }
        long before = now();
        for (int i = 0; i < calls; i++) {
            call.run();
        }
        return now() - before;
    }

    /** All bytes so far; negative if this JVM does not count them. */
    private static long now() {
        try {
            return COUNT == null ? -1 : (long) COUNT.invoke(THREADS);
        } catch (ReflectiveOperationException unknown) {
            return -1;
        }
    }
}
