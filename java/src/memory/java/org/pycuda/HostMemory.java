package org.pycuda;

import java.nio.ByteBuffer;
import java.util.Objects;

/** What the functions of {@link DriverOverloads} for host memory have in common. */
final class HostMemory {
    private static final int LARGEST_VIEW = 1 << 30;

    private HostMemory() {}

    /** Bytes of {@code n} elements. IllegalArgumentException when there are fewer than none, or more than a long can count. */
    static long bytes(long n, CType dtype) {
        int itemsize = Objects.requireNonNull(dtype, "dtype").itemsize();
        if (n < 0 || n > Long.MAX_VALUE / itemsize) {
            throw new IllegalArgumentException(n + " elements of " + dtype + " is not a valid amount of memory");
        }
        return n * itemsize;
    }

    /** Bytes of {@code host}, an array or a buffer. */
    static long bytesOf(Object host) {
        return HostData.nbytes(Objects.requireNonNull(host, "host"));
    }

    /** {@code memory}, filled with zeros. */
    static <T extends HostBuffers> T zeroed(T memory) {
        for (long done = 0; done < memory.size(); done += LARGEST_VIEW) {
            zero(memory.buffer(done, (int) Math.min(LARGEST_VIEW, memory.size() - done)));
        }
        return memory;
    }

    private static void zero(ByteBuffer buffer) {
        while (buffer.remaining() >= Long.BYTES) {
            buffer.putLong(0);
        }
        while (buffer.hasRemaining()) {
            buffer.put((byte) 0);
        }
    }
}
