package org.pycuda;

import java.nio.ByteBuffer;
import java.util.function.LongConsumer;

/**
 * Host memory that this object owns or keeps page-locked. It is freed once neither this object nor a buffer of it is reachable.
 * @see PagelockedHostAllocation
 */
public abstract class HostPointer extends Handle implements HostBuffers {
    private final Object lifeline;
    private final OwnedSegment segment = new OwnedSegment();

    HostPointer(long cPtr, boolean owned, LongConsumer delete) {
        this(cPtr, owned, delete, new Object());
    }

    private HostPointer(long cPtr, boolean owned, LongConsumer delete, Object lifeline) {
        super(cPtr, owned, delete, lifeline);
        this.lifeline = lifeline;
    }

    abstract long nativeSize();

    /** The memory's device address (cuMemHostGetDevicePointer). LogicError if it is not mapped. */
    public abstract long devicePointer();

    @Override
    public final long size() {
        return nativeSize();
    }

    @Override
    public final <T> T segment(Class<T> type) {
        return segment.of(type, this::value, nativeSize(), lifeline);
    }

    @Override
    void beforeClose() {
        segment.close();
    }

    @Override
    public final ByteBuffer buffer(long offset, int size) {
        return HostViews.view(value(), nativeSize(), offset, size, lifeline);
    }

    /** Same as {@link #close}. */
    public final void free() {
        close();
    }
}
