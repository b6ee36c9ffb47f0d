package org.pycuda;

import java.nio.Buffer;
import java.util.function.LongConsumer;

/** The ends of a structured copy. An end is kept alive until another one is set and every copy queued with it is complete. */
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
    public StructuredCopyEnds setSrcHost(Buffer buffer) {
        HostUse use = HostUse.forEver(buffer);
        setSrcHost(use.address, use.nbytes, buffer);
        return this;
    }

    /** Copies from device memory. */
    public StructuredCopyEnds setSrcDevice(PointerHolderBase devptr) {
        setSrcDevice(devptr, devptr);
        return this;
    }

    /** Copies from what remains of a direct buffer, wherever its memory is. */
    public StructuredCopyEnds setSrcUnified(Buffer buffer) {
        HostUse use = HostUse.forEver(buffer);
        setSrcUnified(use.address, use.nbytes, buffer);
        return this;
    }

    /** Copies from memory whose location the driver determines. */
    public StructuredCopyEnds setSrcUnified(PointerHolderBase devptr) {
        setSrcUnified(devptr, devptr);
        return this;
    }

    /** Copies into what remains of a direct buffer. */
    public StructuredCopyEnds setDstHost(Buffer buffer) {
        HostData.requireWritable(buffer);
        HostUse use = HostUse.forEver(buffer);
        setDstHost(use.address, use.nbytes, buffer);
        return this;
    }

    /** Copies into device memory. */
    public StructuredCopyEnds setDstDevice(PointerHolderBase devptr) {
        setDstDevice(devptr, devptr);
        return this;
    }

    /** Copies into what remains of a direct buffer, wherever its memory is. */
    public StructuredCopyEnds setDstUnified(Buffer buffer) {
        HostData.requireWritable(buffer);
        HostUse use = HostUse.forEver(buffer);
        setDstUnified(use.address, use.nbytes, buffer);
        return this;
    }

    /** Copies into memory whose location the driver determines. */
    public StructuredCopyEnds setDstUnified(PointerHolderBase devptr) {
        setDstUnified(devptr, devptr);
        return this;
    }
}
