package org.pycuda;

/** An array, buffer or MemorySegment that is copied to the device before the launch and back afterwards. */
public final class InOut extends ArgumentHandler {
    /** @param host a primitive array, an array of such arrays, an NIO buffer or a MemorySegment */
    public InOut(Object host) {
        super(host);
        HostData.requireWritable(host);
    }

    @Override
    protected void preCall(Stream stream) {
        copyIn(stream);
    }

    @Override
    protected void postCall(Stream stream) {
        copyOut(stream);
    }
}
