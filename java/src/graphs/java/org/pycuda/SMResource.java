package org.pycuda;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** Streaming multiprocessors (SMs) of one device, to be divided among green contexts. */
public final class SMResource extends SMResourceProxy {
    SMResource(long cPtr, boolean cMemoryOwn) {
        super(cPtr, cMemoryOwn);
    }

    /** All SMs of a device. */
    public SMResource(Device device) {
        super(device);
    }

    /** Of resources that native code made. */
    static List<SMResource> listOf(long[] addresses) {
        return Arrays.stream(addresses).mapToObj(address -> new SMResource(address, true)).toList();
    }

    static long[] addresses(List<SMResource> resources) {
        return Objects.requireNonNull(resources, "resources").stream().mapToLong(resource -> resource.swigCPtr).toArray();
    }
}
