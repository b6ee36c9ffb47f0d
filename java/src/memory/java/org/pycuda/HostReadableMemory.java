package org.pycuda;

import java.nio.ByteBuffer;
import java.util.function.LongConsumer;

/**
 * Device memory that the host accesses at the same address. It is freed once neither this object nor a buffer of it is reachable.
 * @see ManagedAllocation
 */
public abstract class HostReadableMemory extends DeviceMemory implements HostBuffers {
    private final Object lifeline;
    private final OwnedSegment segment = new OwnedSegment();

    HostReadableMemory(long cPtr, boolean owned, LongConsumer delete) {
        this(cPtr, owned, delete, new Object());
    }

    private HostReadableMemory(long cPtr, boolean owned, LongConsumer delete, Object lifeline) {
        super(cPtr, owned, delete, lifeline);
        this.lifeline = lifeline;
    }

    @Override
    public final <T> T segment(Class<T> type) {
        return segment.of(type, this::pointer, size(), lifeline);
    }

    @Override
    void beforeClose() {
        segment.close();
    }

    @Override
    public final ByteBuffer buffer(long offset, int size) {
        return HostViews.view(pointer(), size(), offset, size, lifeline);
    }
}
