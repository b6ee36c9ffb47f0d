package org.pycuda;

import java.util.Objects;

/**
 * Host data of a type that the compiler does not know. Whatever takes host data takes this too, and the object's type is checked when this is
 * made: {@code Driver.memcpyHtod(dest, new HostObject(object))}.
 *
 * <pre>{@code
 * Object unknown = new float[] {1, 2, 3};
 * assert GPUArray.toGpu(new HostObject(unknown)).sum().getFloat() == 6;
 * }</pre>
 *
 * @param data a primitive array, an array of such arrays whose rows have one length, an NIO buffer or a MemorySegment
 */
public record HostObject(Object data) {
    /** IllegalArgumentException for what is no host data. */
    public HostObject {
        HostData.require(data);
    }

    static Object dataOf(HostObject host) {
        return Objects.requireNonNull(host, "host").data;
    }
}
