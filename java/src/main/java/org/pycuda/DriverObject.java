package org.pycuda;

import java.util.function.LongConsumer;

/** A {@link Handle} that other libraries know by the driver's own handle. */
abstract class DriverObject extends Handle {
    DriverObject(long cPtr, boolean owned, LongConsumer delete) {
        super(cPtr, owned, delete);
    }

    /** The driver's own handle. LogicError after {@link #close}, and when the context is gone that it belongs to. */
    public final long getHandle() {
        return value();
    }
}
