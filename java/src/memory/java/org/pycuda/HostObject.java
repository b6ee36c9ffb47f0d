package org.pycuda;

import java.util.Objects;

/**
 * Host data of a type that the compiler does not know. Methods that take host data take this too. The constructor checks the object's
 * type: {@code Driver.memcpyHtod(dest, new HostObject(object))}.
 *
 * <pre>{@code
 * Object unknown = new float[] {1, 2, 3};
 * assert GPUArray.toGpu(new HostObject(unknown)).sum().getFloat() == 6;
 * }</pre>
 *
 * @param data a primitive array, an array of such arrays whose rows have one length, an NIO buffer or a MemorySegment
 */
public record HostObject(Object data) {
    /** IllegalArgumentException for an object that is not host data. */
    public HostObject {
        HostData.require(data);
    }

    static Object dataOf(HostObject host) {
        return Objects.requireNonNull(host, "host").data;
    }
}
