package org.pycuda;

import java.util.function.LongConsumer;

/**
 * The base of classes that own an object of the driver. {@link #close} destroys that at once, and leaves the small C++ object, which
 * is deleted when the Java object is unreachable: so no method can access a deleted object, and use after close is the core's LogicError.
 *
 * <p>The driver's handle or address is cached, because launches read it often. It is read again after any context
 * has ended, since it may have belonged to that one.
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

    /** The handle or address, from the core. LogicError if it is closed, or if its context has ended. */
    abstract long nativeHandle();

    abstract void nativeClose();

    /** The cached {@link #nativeHandle} if it is still valid, else a new one. */
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
     * Destroys the object now. Does not wait for calls of other threads that use it: the driver's object is destroyed when the last
     * of them returns. A second call does nothing; any other use afterwards throws LogicError.
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
