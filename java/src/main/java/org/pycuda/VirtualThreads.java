package org.pycuda;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * Virtual threads (Java 21). The current context belongs to the carrier of a virtual thread, and the carrier may change at each wait: so a
 * virtual thread has a context only while it is pinned, in {@link Context#run(Context.Work)}.
 */
final class VirtualThreads {
    /** Null if this JVM has none. */
    private static final MethodHandle IS_VIRTUAL = find();

    private VirtualThreads() {}

    private static MethodHandle find() {
        try {
            return MethodHandles.lookup().findVirtual(Thread.class, "isVirtual", MethodType.methodType(boolean.class));
        } catch (ReflectiveOperationException none) {
            return null;
        }
    }

    /** Whether the current thread is virtual. */
    static boolean isCurrent() {
        try {
            return IS_VIRTUAL != null && (boolean) IS_VIRTUAL.invokeExact(Thread.currentThread());
        } catch (Throwable impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** Whether a current context stays current: on a virtual thread only in {@link Context#run(Context.Work)}. */
    static boolean keepsContexts() {
        return !isCurrent() || PerThread.current().pinned;
    }

    /** LogicError if it does not. */
    static void requirePinned(String routine) {
        if (!keepsContexts()) {
            throw new Driver.LogicError("a virtual thread cannot keep a context current, because it moves between the threads that carry it: "
                + "run the code that needs the context with Context.run, or on a thread of Context.executor", routine, 0);
        }
    }

    /** Calls it, a virtual thread pinned to its carrier: a frame of native code is on its stack. */
    static <V, E extends Exception> V pinned(Context.Work<V, E> work) throws E {
        if (keepsContexts()) {
            return work.call();
        }
        PerThread here = PerThread.current();
        here.pinned = true;
        try {
            @SuppressWarnings("unchecked")  // what it returns and throws is what the work does
            V result = (V) callPinned(work);
            return result;
        } finally {
            here.pinned = false;
        }
    }

    private static native Object callPinned(Context.Work<?, ?> work);
}
