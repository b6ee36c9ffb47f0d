package org.pycuda;

/** An array, buffer or MemorySegment that is copied from the device after the launch. */
public final class Out extends ArgumentHandler {
    /** @param host a primitive array, an array of such arrays, an NIO buffer or a MemorySegment */
    public Out(Object host) {
        super(host);
        HostData.requireWritable(host);
    }

    @Override
    protected void preCall(Stream stream) {
        // The kernel only writes it.
    }

    @Override
    protected void postCall(Stream stream) {
        copyOut(stream);
    }
}
