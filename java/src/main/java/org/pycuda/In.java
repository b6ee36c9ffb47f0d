package org.pycuda;

/** An array, buffer or MemorySegment that is copied to the device before the launch. On a stream, page-locked memory is read in stream order. */
public final class In extends ArgumentHandler {
    /** @param host a primitive array, an array of such arrays, an NIO buffer or a MemorySegment */
    public In(Object host) {
        super(host);
    }

    @Override
    protected void preCall(Stream stream) {
        copyIn(stream);
    }

    @Override
    protected void postCall(Stream stream) {
        // The kernel only reads it.
    }
}
