package org.pycuda;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Native memory of one thread, through which data of the Java heap is copied in pieces. Plain bulk copies, no JNI. */
final class Staging {
    private static final int SMALLEST = 1 << 12;
    private static final int LARGEST = 1 << 20;
    /** Shared by virtual threads: there may be very many of them, and few are copying. */
    private static final Queue<Staging> SPARE = new ConcurrentLinkedQueue<>();

    private final ByteBuffer bytes;
    private final ShortBuffer shorts;
    private final CharBuffer chars;
    private final IntBuffer ints;
    private final LongBuffer longs;
    private final FloatBuffer floats;
    private final DoubleBuffer doubles;
    private final long address;

    private Staging(int capacity) {
        bytes = ByteBuffer.allocateDirect(capacity).order(ByteOrder.nativeOrder());
        shorts = bytes.asShortBuffer();
        chars = bytes.asCharBuffer();
        ints = bytes.asIntBuffer();
        longs = bytes.asLongBuffer();
        floats = bytes.asFloatBuffer();
        doubles = bytes.asDoubleBuffer();
        address = DriverProxy.bufferAddress(bytes);
    }

    /** Borrows the memory until {@link #release}; large enough for {@code nbytes}, up to a limit. */
    static Staging acquire(long nbytes) {
        boolean shared = VirtualThreads.isCurrent();
        Staging staging = shared ? SPARE.poll() : PerThread.current().staging;
        if (staging == null || (staging.capacity() < nbytes && staging.capacity() < LARGEST)) {
            long capacity = SMALLEST;
            while (capacity < nbytes && capacity < LARGEST) {
                capacity *= 2;
            }
            staging = new Staging((int) capacity);
            if (!shared) {
                PerThread.current().staging = staging;
            }
        }
        return staging;
    }

    void release() {
        if (VirtualThreads.isCurrent()) {
            SPARE.offer(this);
        }
    }

    /** All of it. */
    ByteBuffer bytes() {
        return bytes;
    }

    /** Bytes; a multiple of every element size. */
    int capacity() {
        return bytes.capacity();
    }

    long address() {
        return address;
    }

    /** Copies in {@code count} elements of {@code source} from index {@code from}. */
    void load(Buffer source, int from, int count) {
        if (source instanceof FloatBuffer buffer) {
            floats.put(0, buffer, from, count);
        } else if (source instanceof DoubleBuffer buffer) {
            doubles.put(0, buffer, from, count);
        } else if (source instanceof IntBuffer buffer) {
            ints.put(0, buffer, from, count);
        } else if (source instanceof LongBuffer buffer) {
            longs.put(0, buffer, from, count);
        } else if (source instanceof ByteBuffer buffer) {
            bytes.put(0, buffer, from, count);
        } else if (source instanceof ShortBuffer buffer) {
            shorts.put(0, buffer, from, count);
        } else {
            chars.put(0, (CharBuffer) source, from, count);
        }
    }

    /** Copies {@code count} elements out to {@code dest} from index {@code from} on. */
    void store(Buffer dest, int from, int count) {
        if (dest instanceof FloatBuffer buffer) {
            buffer.put(from, floats, 0, count);
        } else if (dest instanceof DoubleBuffer buffer) {
            buffer.put(from, doubles, 0, count);
        } else if (dest instanceof IntBuffer buffer) {
            buffer.put(from, ints, 0, count);
        } else if (dest instanceof LongBuffer buffer) {
            buffer.put(from, longs, 0, count);
        } else if (dest instanceof ByteBuffer buffer) {
            buffer.put(from, bytes, 0, count);
        } else if (dest instanceof ShortBuffer buffer) {
            buffer.put(from, shorts, 0, count);
        } else {
            ((CharBuffer) dest).put(from, chars, 0, count);
        }
    }
}
