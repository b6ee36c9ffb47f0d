package org.pycuda;

/** Streaming multiprocessors (SMs) of one device, to be divided among green contexts. */
public final class SMResource extends SMResourceProxy {
    SMResource(long cPtr, boolean cMemoryOwn) {
        super(cPtr, cMemoryOwn);
    }

    /** All SMs of a device. */
    public SMResource(Device device) {
        super(device);
    }
}
