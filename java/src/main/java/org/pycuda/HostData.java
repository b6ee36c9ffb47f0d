package org.pycuda;

import java.lang.ref.Reference;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;

/**
 * Host data is a primitive array, or what remains of an NIO buffer; position and limit are never changed. Memory of direct
 * buffers is copied where it is; everything else goes through {@link Staging}, so that the collector is never held up.
 */
final class HostData {
    private HostData() {}

    /** Size in bytes. IllegalArgumentException for what is no host data. */
    static long nbytes(Object host) {
        Buffer buffer = view(host);
        return (long) buffer.remaining() * elementSize(buffer);
    }

    static void requireWritable(Object host) {
        if (view(host).isReadOnly()) {
            throw new IllegalArgumentException("cannot copy into a read-only buffer");
        }
    }

    /** New device memory with the data. */
    static DeviceAllocation toDevice(Object host) {
        var allocation = new DeviceAllocation(nbytes(host));
        try {
            htod(allocation.getPointer(), host, null);
            return allocation;
        } catch (RuntimeException failure) {
            allocation.close();
            throw failure;
        }
    }

    /**
     * Copies to the device; on {@code stream} if it is not null. The data may then be changed on return, unless it is page-locked
     * memory, which stays alive until the stream has read it.
     */
    static void htod(long dest, Object host, Stream stream) {
        if (copyIn(dest, host, stream)) {
            DriverProxy.keepUntilDone(stream, host);
        }
    }

    /** The same, but the caller keeps the data alive: true when the stream has yet to read it. */
    static boolean copyIn(long dest, Object host, Stream stream) {
        Buffer buffer = view(host);
        if (buffer.isDirect()) {
            boolean later = copyIn(dest, address(buffer), nbytes(buffer), stream);
            Reference.reachabilityFence(host);
            return later;
        }
        Staging staging = Staging.ofThread(nbytes(buffer));
        int size = elementSize(buffer);
        int chunk = staging.capacity() / size;
        for (int done = 0, count; done < buffer.remaining(); done += count) {
            count = Math.min(chunk, buffer.remaining() - done);  // the sum never passes what remains
            staging.load(buffer, buffer.position() + done, count);
            copyIn(dest + (long) done * size, staging.address(), (long) count * size, stream);
        }
        return false;
    }

    /** Copies from the device. On a stream a direct buffer is written in stream order; an array makes this thread wait. */
    static void dtoh(Object host, long src, Stream stream) {
        if (copyOut(host, src, stream)) {
            DriverProxy.keepUntilDone(stream, host);
        }
    }

    /** The same, but the caller keeps page-locked memory alive: true when the stream has yet to write it. */
    static boolean copyOut(Object host, long src, Stream stream) {
        requireWritable(host);
        Buffer buffer = view(host);
        if (buffer.isDirect()) {
            boolean later = false;
            if (stream == null) {
                DriverJNI.memcpyDtoh(address(buffer), nbytes(buffer), src);
            } else {
                later = stream.copyOut(host, address(buffer), nbytes(buffer), src);
            }
            Reference.reachabilityFence(host);
            return later;
        }
        Staging staging = Staging.ofThread(nbytes(buffer));
        int size = elementSize(buffer);
        int chunk = staging.capacity() / size;
        for (int done = 0, count; done < buffer.remaining(); done += count) {
            count = Math.min(chunk, buffer.remaining() - done);
            copyOut(staging.address(), (long) count * size, src + (long) done * size, stream);
            staging.store(buffer, buffer.position() + done, count);
        }
        return false;
    }

    /** Copies and waits: for what is queued on {@code stream}, and for nothing else. */
    private static void copyOut(long dest, long nbytes, long src, Stream stream) {
        if (stream == null) {
            DriverJNI.memcpyDtoh(dest, nbytes, src);
        } else {
            DriverProxy.memcpyDtohAsync(dest, nbytes, PointerHolderBase.of(src), stream);
            stream.synchronize();
        }
    }

    /** Address of what remains of a direct buffer. IllegalArgumentException for a heap buffer. */
    static long directAddress(Buffer buffer) {
        view(buffer);
        if (!buffer.isDirect()) {
            throw new IllegalArgumentException("an asynchronous copy needs a direct buffer: the JVM may move arrays");
        }
        return address(buffer);
    }

    private static boolean copyIn(long dest, long src, long nbytes, Stream stream) {
        if (stream == null) {
            DriverJNI.memcpyHtod(dest, src, nbytes);
            return false;
        }
        return DriverProxy.copyIn(dest, src, nbytes, stream);
    }

    private static long address(Buffer buffer) {
        return DriverProxy.bufferAddress(buffer) + (long) buffer.position() * elementSize(buffer);
    }

    /** The data as a buffer. */
    private static Buffer view(Object host) {
        if (host instanceof Buffer buffer) {
            requireNativeOrder(buffer);
            return buffer;
        } else if (host instanceof float[] array) {
            return FloatBuffer.wrap(array);
        } else if (host instanceof double[] array) {
            return DoubleBuffer.wrap(array);
        } else if (host instanceof int[] array) {
            return IntBuffer.wrap(array);
        } else if (host instanceof long[] array) {
            return LongBuffer.wrap(array);
        } else if (host instanceof byte[] array) {
            return ByteBuffer.wrap(array);
        } else if (host instanceof short[] array) {
            return ShortBuffer.wrap(array);
        } else if (host instanceof char[] array) {
            return CharBuffer.wrap(array);
        }
        throw new IllegalArgumentException("host data must be a byte[], short[], char[], int[], long[], float[] or double[], or an "
            + "NIO buffer, not " + (host == null ? "null" : host.getClass().getTypeName()));
    }

    private static int elementSize(Buffer buffer) {
        if (buffer instanceof ByteBuffer) {
            return 1;
        } else if (buffer instanceof ShortBuffer || buffer instanceof CharBuffer) {
            return 2;
        }
        return buffer instanceof IntBuffer || buffer instanceof FloatBuffer ? 4 : 8;
    }

    /** A ByteBuffer is bytes; numbers in the order of another machine are a forgotten {@code order(nativeOrder())}. */
    private static void requireNativeOrder(Buffer buffer) {
        ByteOrder order;
        if (buffer instanceof FloatBuffer floats) {
            order = floats.order();
        } else if (buffer instanceof IntBuffer ints) {
            order = ints.order();
        } else if (buffer instanceof DoubleBuffer doubles) {
            order = doubles.order();
        } else if (buffer instanceof LongBuffer longs) {
            order = longs.order();
        } else if (buffer instanceof ShortBuffer shorts) {
            order = shorts.order();
        } else if (buffer instanceof CharBuffer chars) {
            order = chars.order();
        } else {
            return;
        }
        if (order != ByteOrder.nativeOrder()) {
            throw new IllegalArgumentException("the buffer's byte order is " + order + ", the device's is " + ByteOrder.nativeOrder()
                + ": call order(ByteOrder.nativeOrder()) on the ByteBuffer before making a view of it");
        }
    }
}
