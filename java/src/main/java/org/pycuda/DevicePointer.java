package org.pycuda;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * An object with a device address, accepted wherever a device pointer is expected. It may be a lambda.
 * <pre>{@code
 * try (var memory = Driver.toDevice(new int[] {1, 2, 3})) {
 *     DevicePointer second = memory.plus(4);
 *     System.out.println(Driver.fromDevice(second, 1, int[].class)[0]);  // 2
 * }
 * }</pre>
 */
@FunctionalInterface
public interface DevicePointer {
    /** The device address. */
    long pointer();

    /**
     * The device address for work that is about to be queued on {@code stream}, which is never null. Launches call this method:
     * pooled memory records the stream, so that its next user waits for it.
     */
    default long pointerFor(Stream stream) {
        return pointer();
    }

    /** The device pointer {@code address}, which the caller keeps valid. */
    static DevicePointer of(long address) {
        return new Holders.Fixed(address);
    }

    /** The device pointer at an offset of {@code bytes}. It keeps this object alive, and reads its address at each use. */
    default DevicePointer plus(long bytes) {
        return new Holders.Shifted(this, bytes);
    }

    /** {@link #asBuffer(long, long)} from the start. */
    default ByteBuffer asBuffer(long size) {
        return asBuffer(size, 0);
    }

    /**
     * A view, in native byte order, of {@code size} bytes from {@code offset}. Only for memory that the host can read:
     * elsewhere a read ends the process. The view does not keep the memory alive.
     */
    default ByteBuffer asBuffer(long size, long offset) {
        if (size < 0 || size > Integer.MAX_VALUE || offset < 0) {
            throw new IllegalArgumentException("a buffer can have 0 to 2^31 - 1 bytes, and its offset must not be negative, given "
                + size + " bytes at offset " + offset);
        }
        return DriverProxy.newDirectBuffer(pointer() + offset, size).order(ByteOrder.nativeOrder());
    }
}
