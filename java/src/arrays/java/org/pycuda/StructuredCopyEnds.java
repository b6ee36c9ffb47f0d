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

    /** Copies from direct memory. */
    public StructuredCopyEnds setSrcHost(Buffer buffer) {
        setSrcHostMemory(buffer);
        return this;
    }

    /** Copies from direct memory. */
    public StructuredCopyEnds setSrcHost(HostObject host) {
        setSrcHostMemory(HostObject.dataOf(host));
        return this;
    }

    private void setSrcHostMemory(Object host) {
        HostUse use = HostUse.forEver(host);
        setSrcHost(use.address, use.nbytes, host);
    }

    /** Copies from device memory. */
    public StructuredCopyEnds setSrcDevice(PointerHolderBase devptr) {
        setSrcDevice(devptr, devptr);
        return this;
    }

    /** Copies from direct memory, wherever its memory is. */
    public StructuredCopyEnds setSrcUnified(Buffer buffer) {
        setSrcUnifiedMemory(buffer);
        return this;
    }

    /** Copies from direct memory, wherever its memory is. */
    public StructuredCopyEnds setSrcUnified(HostObject host) {
        setSrcUnifiedMemory(HostObject.dataOf(host));
        return this;
    }

    private void setSrcUnifiedMemory(Object host) {
        HostUse use = HostUse.forEver(host);
        setSrcUnified(use.address, use.nbytes, host);
    }

    /** Copies from memory that the driver locates itself. */
    public StructuredCopyEnds setSrcUnified(PointerHolderBase devptr) {
        setSrcUnified(devptr, devptr);
        return this;
    }

    /** Copies into direct memory. */
    public StructuredCopyEnds setDstHost(Buffer buffer) {
        setDstHostMemory(buffer);
        return this;
    }

    /** Copies into direct memory. */
    public StructuredCopyEnds setDstHost(HostObject host) {
        setDstHostMemory(HostObject.dataOf(host));
        return this;
    }

    private void setDstHostMemory(Object host) {
        HostData.requireWritable(host);
        HostUse use = HostUse.forEver(host);
        setDstHost(use.address, use.nbytes, host);
    }

    /** Copies into device memory. */
    public StructuredCopyEnds setDstDevice(PointerHolderBase devptr) {
        setDstDevice(devptr, devptr);
        return this;
    }

    /** Copies into direct memory, wherever its memory is. */
    public StructuredCopyEnds setDstUnified(Buffer buffer) {
        setDstUnifiedMemory(buffer);
        return this;
    }

    /** Copies into direct memory, wherever its memory is. */
    public StructuredCopyEnds setDstUnified(HostObject host) {
        setDstUnifiedMemory(HostObject.dataOf(host));
        return this;
    }

    private void setDstUnifiedMemory(Object host) {
        HostData.requireWritable(host);
        HostUse use = HostUse.forEver(host);
        setDstUnified(use.address, use.nbytes, host);
    }

    /** Copies into memory that the driver locates itself. */
    public StructuredCopyEnds setDstUnified(PointerHolderBase devptr) {
        setDstUnified(devptr, devptr);
        return this;
    }
}
