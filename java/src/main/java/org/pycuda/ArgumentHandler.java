package org.pycuda;

/**
 * A kernel argument with work around the launch: its own device memory, a copy before, a copy after. {@link In}, {@link Out}
 * and {@link InOut} suffice for most programs. Serves one launch at a time.
 * <pre>{@code
 * class Ones extends ArgumentHandler {  // memory that begins as ones, and is read back
 *     Ones(float[] host) { super(host); }
 *     @Override protected void preCall(Stream stream) { Driver.memcpyHtod(deviceAlloc(), new float[] {1, 1}); }
 *     @Override protected void postCall(Stream stream) { Driver.memcpyDtoh((float[]) array(), deviceAlloc()); }
 * }
 * var twice = new SourceModule("__global__ void twice(float *x) { x[threadIdx.x] *= 2; }").function("twice");
 * var result = new float[2];
 * twice.launch(Driver.block(2), new Ones(result));
 * System.out.println(result[1]);  // 2.0
 * }</pre>
 */
public abstract class ArgumentHandler {
    private final Object host;
    /** The C++ object of the pooled memory, if owned here; 0 if there is none, or if {@link #allocation} owns it. */
    private long memory;
    private long address;
    private PooledDeviceAllocation allocation;
    /** The handlers of the launch that this one serves; null: none. */
    private ArgumentHandler[] launch;
    /** Bytes of the host data when the launch began. */
    private long nbytes;
    /** The host data, until a stream has completed a copy that uses it. */
    private Object hostInUse;

    /**
     * Creates an argument with this host data.
     *
     * @param host a primitive array, an array of such arrays, an NIO buffer or a MemorySegment
     */
    protected ArgumentHandler(Object host) {
        HostCopies.require(host);
        this.host = host;
    }

    /** The host data given to the constructor. */
    protected final Object array() {
        return host;
    }

    /**
     * Device memory as large as the host data, from the pool of the context: taken by a launch, or by the first call of this, and
     * returned to it after the launch, in the order of its stream.
     */
    protected final synchronized PooledDeviceAllocation deviceAlloc() {
        if (allocation == null) {
            if (memory == 0) {
                nbytes = HostCopies.nbytes(host);
                memory = DriverProxy.takePooled(nbytes);
            }
            allocation = new PooledDeviceAllocation(takeMemory(), true);
        }
        return allocation;
    }

    /** The C++ object, which the caller owns from here on. */
    private long takeMemory() {
        long taken = memory;
        memory = 0;
        return taken;
    }

    /** Called before the launch. {@code stream} is the launch's. */
    protected abstract void preCall(Stream stream);

    /** Called after the launch was queued. */
    protected abstract void postCall(Stream stream);

    /** Begins the launch of {@code handlers}, one of which this is: device memory for work on {@code stream}. */
    final synchronized void begin(ArgumentHandler[] handlers, Function function, Stream stream) {
        if (launch != null && launch != handlers) {
            throw new IllegalStateException(getClass().getSimpleName() + " serves another launch, which has not returned: create one for each launch");
        }
        launch = handlers;
        if (allocation != null) {
            address = allocation.pointerFor(stream);
        } else {
            if (memory == 0) {
                nbytes = HostCopies.nbytes(host);
                memory = DriverProxy.takePooled(function, nbytes, stream);
            }
            address = DriverProxy.pooledAddress(memory, stream);
        }
    }

    /** The device address, during a launch on {@code stream}. LogicError if the program's {@link #preCall} closed the memory. */
    final synchronized long address(Stream stream) {
        return allocation == null ? address : allocation.pointerFor(stream);
    }

    /**
     * Ends the launch of {@code handlers}, failed or not, if it is the one that this serves. Memory is returned without the lock, because
     * that may end a context and wait for its work.
     */
    final void end(ArgumentHandler[] handlers) {
        long mine;
        PooledDeviceAllocation given;
        synchronized (this) {
            if (launch != handlers) {
                return;
            }
            launch = null;
            mine = takeMemory();
            given = allocation;
            allocation = null;
            address = 0;
        }
        if (mine != 0) {
            DriverProxy.givePooled(mine);
        }
        if (given != null) {
            given.close();
        }
    }

    /** The host data, once, if a stream still has to reach a copy of the launch of {@code handlers} that uses it; else null. */
    final synchronized Object takeHostInUse(ArgumentHandler[] handlers) {
        if (launch != handlers) {
            return null;
        }
        Object used = hostInUse;
        hostInUse = null;
        return used;
    }

    /**
     * Copies the host data to the device, in the order of {@code stream}. It may change afterwards, unless it is page-locked,
     * registered or managed: such memory is read in stream order.
     */
    final void copyIn(Stream stream) {
        keepLater(HostCopies.copyIn(address, nbytes, host, stream), stream);
    }

    /**
     * Copies the device memory back. On a stream a direct buffer is written in stream order; an array can only be
     * written by this thread, which therefore waits for the stream.
     */
    final void copyOut(Stream stream) {
        keepLater(HostCopies.copyOut(host, nbytes, address, stream), stream);
    }

    private void keepLater(Object used, Stream stream) {
        if (hostInUse instanceof HostUse held) {
            Stream.keepUntilDone(stream, held);  // of the copy before
        }
        hostInUse = used == null ? hostInUse : used;
    }
}
