package org.pycuda;

/**
 * A kernel argument with work around the launch: device memory of its own, a copy before, a copy after. {@link In}, {@link Out}
 * and {@link InOut} are all that most programs need. Serves one launch at a time.
 */
public abstract class ArgumentHandler {
    private final Object host;
    private DeviceAllocation allocation;

    /** @param host a primitive array or an NIO buffer */
    protected ArgumentHandler(Object host) {
        HostData.nbytes(host);  // refuses what is no host data
        this.host = host;
    }

    /** The host data it was made with. */
    protected final Object getArray() {
        return host;
    }

    /** Device memory as large as the host data: allocated at the first call of a launch, freed after the launch. */
    protected final DeviceAllocation getDeviceAlloc() {
        if (allocation == null) {
            allocation = Driver.memAlloc(HostData.nbytes(host));
        }
        return allocation;
    }

    /** Called before the launch. {@code stream} is the launch's; null is the default stream. */
    protected abstract void preCall(Stream stream);

    /** Called after the launch was queued. */
    protected abstract void postCall(Stream stream);

    /** Ends a launch, failed or not. On a stream the memory lives until the stream has passed. */
    final void finish(Stream stream) {
        DeviceAllocation mine = allocation;
        allocation = null;
        if (mine == null) {
            return;
        }
        if (stream == null) {
            mine.close();
        } else {
            DriverProxy.freeWhenDone(stream, mine);
            mine.close();  // for whoever kept it: it is of no use any more
        }
    }

    /** Copies the host data to the device, on {@code stream} if there is one. The host data may be changed afterwards. */
    final void copyIn(Stream stream) {
        HostData.htod(getDeviceAlloc().getPointer(), host, stream);
    }

    /**
     * Copies the device memory back. On a stream a direct buffer is written when the stream gets there; an array can only be
     * written by this thread, which therefore waits for the stream.
     */
    final void copyOut(Stream stream) {
        HostData.dtoh(host, getDeviceAlloc().getPointer(), stream);
    }
}
