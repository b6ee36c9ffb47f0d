package org.pycuda;

import java.nio.ByteBuffer;
import java.util.Objects;

/** What the functions of {@link DriverOverloads} for host memory have in common. */
final class HostMemory {
    private static final int LARGEST_VIEW = 1 << 30;

    private HostMemory() {}

    /** Bytes of {@code n} elements. */
    static long bytes(long n, DType dtype) {
        return Objects.requireNonNull(dtype, "dtype").bytes(n);
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
