package org.pycuda;

import java.nio.Buffer;
import java.util.function.LongConsumer;

/** The ends of a structured copy. What is set stays alive until another end is set and every copy queued from there is done. */
abstract class StructuredCopyEnds extends Proxy {
    StructuredCopyEnds(long cPtr, boolean owned, LongConsumer delete) {
        super(cPtr, owned, delete);
    }

    abstract void setSrcHost(long src, long nbytes, Object owner);

    abstract void setSrcDevice(PointerHolderBase devptr, Object owner);

    abstract void setSrcUnified(long src, long nbytes, Object owner);

    abstract void setSrcUnified(PointerHolderBase devptr, Object owner);

    abstract void setDstHost(long dest, long nbytes, Object owner);

    abstract void setDstDevice(PointerHolderBase devptr, Object owner);

    abstract void setDstUnified(long dest, long nbytes, Object owner);

    abstract void setDstUnified(PointerHolderBase devptr, Object owner);

    /** Copies from what remains of a direct buffer. */
    public final void setSrcHost(Buffer buffer) {
        setSrcHost(HostData.directAddress(buffer), HostData.nbytes(buffer), buffer);
    }

    /** Copies from device memory. */
    public final void setSrcDevice(PointerHolderBase devptr) {
        setSrcDevice(devptr, devptr);
    }

    /** Copies from what remains of a direct buffer, wherever its memory is. */
    public final void setSrcUnified(Buffer buffer) {
        setSrcUnified(HostData.directAddress(buffer), HostData.nbytes(buffer), buffer);
    }

    /** Copies from memory of which the driver finds out itself where it is. */
    public final void setSrcUnified(PointerHolderBase devptr) {
        setSrcUnified(devptr, devptr);
    }

    /** Copies into what remains of a direct buffer. */
    public final void setDstHost(Buffer buffer) {
        HostData.requireWritable(buffer);
        setDstHost(HostData.directAddress(buffer), HostData.nbytes(buffer), buffer);
    }

    /** Copies into device memory. */
    public final void setDstDevice(PointerHolderBase devptr) {
        setDstDevice(devptr, devptr);
    }

    /** Copies into what remains of a direct buffer, wherever its memory is. */
    public final void setDstUnified(Buffer buffer) {
        HostData.requireWritable(buffer);
        setDstUnified(HostData.directAddress(buffer), HostData.nbytes(buffer), buffer);
    }

    /** Copies into memory of which the driver finds out itself where it is. */
    public final void setDstUnified(PointerHolderBase devptr) {
        setDstUnified(devptr, devptr);
    }
}
