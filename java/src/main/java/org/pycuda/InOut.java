package org.pycuda;

/** An array or buffer that is copied to the device before the launch and back afterwards. */
public final class InOut extends ArgumentHandler {
    /** @param host a primitive array or an NIO buffer */
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
