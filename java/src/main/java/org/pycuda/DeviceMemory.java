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
        return pointerInGraph(null);
    }

    @Override
    public long pointerFor(Stream stream) {
        return pointerInGraph(stream);
    }

    /** A graph that work with this memory becomes part of keeps the memory. */
    private long pointerInGraph(Stream stream) {
        long address = value();
        if (OpenCaptures.any()) {
            DriverProxy.noteMemoryOfGraph(address, stream);
        }
        return address;
    }

    /** Same as {@link #close}. */
    public final void free() {
        close();
    }
}
