package org.pycuda;

import java.util.function.LongConsumer;

/**
 * What every class is that owns something of the driver's. {@link #close} ends that at once, and leaves the small C++ object, which
 * is deleted when the Java object is unreachable: so no method can meet a deleted one, and use after close is the core's LogicError.
 *
 * <p>The driver's handle or address is asked for once, as launches read it again and again. It is asked for anew after any context
 * has ended, since it may have been in that.
 */
abstract class Handle extends Proxy implements AutoCloseable {
    private volatile long value;
    private volatile long readAt;
    private boolean closing;

    Handle(long cPtr, boolean owned, LongConsumer delete) {
        super(cPtr, owned, delete);
    }

    Handle(long cPtr, boolean owned, LongConsumer delete, Object lifeline) {
        super(cPtr, owned, delete, lifeline);
    }

    /** The handle or address, from the core. LogicError when it is closed, or its context is gone. */
    abstract long nativeHandle();

    abstract void nativeClose();

    /** {@link #nativeHandle}, from here where that is as good. */
    final long value() {
        long known = value;
        return known != 0 && readAt == EndedContexts.count() ? known : read();
    }

    private synchronized long read() {
        long count = EndedContexts.count();
        long fresh = nativeHandle();
        if (!closing) {
            value = fresh;
            readAt = count;
        }
        return fresh;
    }

    /** What {@link #close} does first. */
    void beforeClose() {}

    /**
     * Ends it now. Calls that other threads have under way with it are not waited for: the driver's object is destroyed when the last
     * of them is back. A second call does nothing; any other use afterwards throws LogicError.
     */
    @Override
    public final void close() {
        beforeClose();
        forgetValue();
        nativeClose();  // without the lock: it may wait for a program's function that asks for the handle
    }

    private synchronized void forgetValue() {
        closing = true;
        value = 0;
    }
}
