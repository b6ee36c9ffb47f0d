package org.pycuda;

/** An array or buffer that is copied from the device after the launch. */
public final class Out extends ArgumentHandler {
    /** @param host a primitive array or an NIO buffer */
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
