package org.pycuda;

import java.util.function.LongConsumer;

/** Memory with a device address, which this object owns: however it was allocated, it goes wherever a device pointer does. */
public abstract class DeviceMemory extends Handle implements PointerHolderBase {
    DeviceMemory(long cPtr, boolean owned, LongConsumer delete) {
        super(cPtr, owned, delete);
    }

    DeviceMemory(long cPtr, boolean owned, LongConsumer delete, Object lifeline) {
        super(cPtr, owned, delete, lifeline);
    }

    /** The device address. LogicError after {@link #free}, and when the context is gone that it belongs to. */
    @Override
    public final long getPointer() {
        return value();
    }

    /** Same as {@link #close}. */
    public final void free() {
        close();
    }
}
