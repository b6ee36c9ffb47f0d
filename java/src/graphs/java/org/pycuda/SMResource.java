package org.pycuda;

/**
 * Streaming multiprocessors (SMs) of one device, to be divided among green contexts.
 * <pre>{@code
 * var all = new SMResource(Context.device());
 * var parts = all.split(1);  // a group of the smallest size, and the rest
 * System.out.println(parts.get(0).smCount() + " of " + all.smCount() + " SMs");
 * }</pre>
 */
public final class SMResource extends SMResourceProxy {
    SMResource(long cPtr, boolean cMemoryOwn) {
        super(cPtr, cMemoryOwn);
    }

    /** All SMs of a device. */
    public SMResource(Device device) {
        super(device);
    }
}
