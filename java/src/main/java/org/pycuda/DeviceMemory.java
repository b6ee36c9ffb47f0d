package org.pycuda;

import java.util.function.LongConsumer;

/**
 * Memory with a device address, owned by this object. However it was allocated, it is accepted as a device pointer.
 * @see DeviceAllocation
 */
public abstract class DeviceMemory extends Handle implements DevicePointer {
    DeviceMemory(long cPtr, boolean owned, LongConsumer delete) {
        super(cPtr, owned, delete);
    }

    DeviceMemory(long cPtr, boolean owned, LongConsumer delete, Object lifeline) {
        super(cPtr, owned, delete, lifeline);
    }

    /** The device address. LogicError after {@link #free}, and after the end of its context. */
    @Override
    public final long pointer() {
        return pointerInGraph(Stream.DEFAULT);
    }

    @Override
    public long pointerFor(Stream stream) {
        return pointerInGraph(Stream.required(stream, "stream"));
    }

    /** If work with this memory is captured into a graph, the graph keeps the memory alive. */
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
