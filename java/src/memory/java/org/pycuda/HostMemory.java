package org.pycuda;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;

/** Shared code of {@link PinnedMemory}, {@link ManagedMemory} and {@link AlignedMemory}. */
final class HostMemory {
    private static final int LARGEST_VIEW = 1 << 30;

    private HostMemory() {}

    /** Bytes of the elements of this shape. IllegalArgumentException if a length is negative, or the size exceeds a long. */
    static long bytes(CType type, long... shape) {
        long nbytes = Objects.requireNonNull(type, "type").itemsize();
        for (long length : Objects.requireNonNull(shape, "shape")) {
            if (length < 0 || length != 0 && nbytes > Long.MAX_VALUE / length) {
                throw new IllegalArgumentException("the shape " + Arrays.toString(shape) + " of " + type + " is not a valid amount of memory");
            }
            nbytes *= length;
        }
        return nbytes;
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
