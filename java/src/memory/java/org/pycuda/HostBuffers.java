package org.pycuda;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;

/**
 * Host memory as NIO buffers, in native byte order. A buffer keeps the memory alive, and so does a view of a buffer. After the memory was
 * freed explicitly, an access to a buffer crashes the process, and an access to {@link #segment} is an exception.
 * @see PinnedMemory
 */
public interface HostBuffers {
    /** Size in bytes. */
    long size();

    /** {@code size} bytes from {@code offset} on, for memory of more than 2 GiB. IllegalArgumentException beyond its end. */
    ByteBuffer buffer(long offset, int size);

    /**
     * All of it as a segment of java.lang.foreign, without a copy: {@code MemorySegment all = memory.segment(MemorySegment.class)}. The
     * segment keeps the memory alive. It is closed with the memory: then an access throws IllegalStateException, and so does closing the memory while
     * a copy uses the segment. Works for more than 2 GiB. Needs Java 22, where {@code memory.segment()} is the same; IllegalArgumentException
     * for another class.
     */
    <T> T segment(Class<T> type);

    /** All of it. IllegalArgumentException if it is larger than a buffer can be, 2 GiB - 1. */
    default ByteBuffer buffer() {
        if (size() > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(size() + " bytes do not fit into one buffer; use buffer(offset, size)");
        }
        return buffer(0, (int) size());
    }

    /** All of it, as shorts. */
    default ShortBuffer asShortBuffer() {
        return buffer().asShortBuffer();
    }

    /** All of it, as unsigned 16-bit numbers. */
    default CharBuffer asCharBuffer() {
        return buffer().asCharBuffer();
    }

    /** All of it, as ints. */
    default IntBuffer asIntBuffer() {
        return buffer().asIntBuffer();
    }

    /** All of it, as longs. */
    default LongBuffer asLongBuffer() {
        return buffer().asLongBuffer();
    }

    /** All of it, as floats. */
    default FloatBuffer asFloatBuffer() {
        return buffer().asFloatBuffer();
    }

    /** All of it, as doubles. */
    default DoubleBuffer asDoubleBuffer() {
        return buffer().asDoubleBuffer();
    }
}
