package org.pycuda;

import java.util.function.LongConsumer;

/** A {@link Handle} whose driver handle is available to other libraries. */
abstract class DriverObject extends Handle {
    DriverObject(long cPtr, boolean owned, LongConsumer delete) {
        super(cPtr, owned, delete);
    }

    /** The driver's own handle. LogicError after {@link #close}, and after the end of its context. */
    public final long handle() {
        return value();
    }
}
