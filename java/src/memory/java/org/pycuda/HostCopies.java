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
import java.util.Objects;
import java.util.function.Consumer;

/**
 * Host data is a primitive array, an array of arrays whose rows have one length, the remaining elements of an NIO buffer, whose position and
 * limit are never changed, or a MemorySegment. Memory outside the Java heap is copied in place ({@link HostUse}); other data goes
 * through {@link Staging}, so that the garbage collector is never blocked.
 */
final class HostCopies {
    private static final long ANY_SIZE = -1;

    private HostCopies() {}

    /** IllegalArgumentException for an object that is not host data. */
    static void require(Object host) {
        nbytes(host);
    }

    /** Size in bytes. IllegalArgumentException for an object that is not host data. */
    static long nbytes(Object host) {
        if (Segments.isSegment(host)) {
            return Segments.byteSize(host);
        } else if (NestedArrays.isNested(host)) {
            return NestedArrays.nbytes(host);
        } else if (host instanceof boolean[] flags) {
            return flags.length;
        }
        Buffer buffer = view(host);
        return (long) buffer.remaining() * elementSize(buffer);
    }

    static void requireWritable(Object host) {
        if (host instanceof Buffer buffer && buffer.isReadOnly() || Segments.isSegment(host) && Segments.isReadOnly(host)) {
            throw new IllegalArgumentException("cannot copy into a read-only " + (host instanceof Buffer ? "buffer" : "segment"));
        }
    }

    /** Allocates device memory with the data. */
    static DeviceAllocation toDevice(Object host) {
        long nbytes = nbytes(host);
        var allocation = new DeviceAllocation(nbytes);
        try {
            htod(allocation.pointer(), nbytes, host, Stream.DEFAULT);
            return allocation;
        } catch (RuntimeException failure) {
            allocation.close();
            throw failure;
        }
    }

    /** Copies to the device, on the default stream. */
    static void htod(DevicePointer dest, Object host) {
        htod(Objects.requireNonNull(dest, "dest").pointerFor(Stream.DEFAULT), host, Stream.DEFAULT);
        Reference.reachabilityFence(dest);
    }

    /** Copies from the device, on the default stream. */
    static void dtoh(Object host, DevicePointer src) {
        dtoh(host, Objects.requireNonNull(src, "src").pointerFor(Stream.DEFAULT), Stream.DEFAULT);
        Reference.reachabilityFence(src);
    }

    /**
     * Copies to the device; in the order of {@code stream}. The data may be changed after the return, except page-locked
     * memory, which stays alive until the stream has read it.
     */
    static void htod(long dest, Object host, Stream stream) {
        htod(dest, ANY_SIZE, host, stream);
    }

    /** The same of {@code nbytes} bytes: IllegalArgumentException where the host data has another size by now. */
    static void htod(long dest, long nbytes, Object host, Stream stream) {
        keep(copyIn(dest, nbytes, host, stream), stream);
    }

    /** The same, but the caller must keep the result until the stream has read the data; null if it has. */
    static Object copyIn(long dest, long nbytes, Object host, Stream stream) {
        if (!HostUse.isDirect(host)) {
            JavaElements elements = JavaElements.of(host);
            requireSize(elements.nbytes(), nbytes);
            copyStaged(dest, elements, stream);
            return null;
        }
        HostUse use = HostUse.of(host);
        boolean later = false;
        try {
            requireSize(use.nbytes, nbytes);
            later = copyIn(dest, use.address, use.nbytes, stream);
            if (later) {
                use.isHeldBy(stream);
            }
            return later ? use.kept() : null;
        } finally {
            if (!later) {
                use.release();
            }
        }
    }

    /** Copies from the device. On a stream a direct buffer is written in stream order; an array makes this thread wait. */
    static void dtoh(Object host, long src, Stream stream) {
        dtoh(host, ANY_SIZE, src, stream);
    }

    /** The same of {@code nbytes} bytes: IllegalArgumentException where the host data has another size by now. */
    static void dtoh(Object host, long nbytes, long src, Stream stream) {
        keep(copyOut(host, nbytes, src, stream), stream);
    }

    /** The same, but the caller must keep the result until the stream has written the data; null if it has. */
    static Object copyOut(Object host, long nbytes, long src, Stream stream) {
        requireWritable(host);
        if (!HostUse.isDirect(host)) {
            JavaElements elements = JavaElements.of(host);
            requireSize(elements.nbytes(), nbytes);
            copyStaged(elements, src, stream);
            elements.finish();
            return null;
        }
        HostUse use = HostUse.of(host);
        boolean kept = false;
        try {
            requireSize(use.nbytes, nbytes);
            if (stream == Stream.DEFAULT) {
                DriverJNI.memcpyDtoh(use.address, use.nbytes, src);
                return null;
            }
            stream.willWriteHost();
            DriverProxy.copyOut(use.address, use.nbytes, src, stream);
            kept = true;
            use.isHeldBy(stream);
            return use.kept();
        } finally {
            if (!kept) {
                use.release();
            }
        }
    }

    /** Queues a copy of memory outside the Java heap, which is kept alive until it is complete. */
    static void htodAsync(DevicePointer dest, Object src, Stream stream) {
        Stream.required(stream, "stream");
        DevicePointer settled = Holders.settled(dest, "dest", stream);  // first: the program's code may close the host memory
        queue(HostUse.forLater(src), stream, use -> DriverProxy.memcpyHtodAsync(settled, use.address, use.nbytes, stream));
        Reference.reachabilityFence(dest);
    }

    /** Queues a copy into memory outside the Java heap, which is kept alive until it is complete. */
    static void dtohAsync(Object dest, DevicePointer src, Stream stream) {
        requireWritable(dest);
        Stream.required(stream, "stream").willWriteHost();
        DevicePointer settled = Holders.settled(src, "src", stream);
        queue(HostUse.forLater(dest), stream, use -> DriverProxy.memcpyDtohAsync(use.address, use.nbytes, settled, stream));
        Reference.reachabilityFence(src);
    }

    /** Queues a copy of {@code nbytes} bytes, possibly more than a buffer can hold, to the start of {@code dest}. */
    static void dtohAsync(HostPointer dest, long nbytes, DevicePointer src, Stream stream) {
        stream.willWriteHost();
        DriverProxy.memcpyDtohAsync(dest.value(), nbytes, src, stream);
        Stream.keepUntilDone(stream, dest);
    }

    private static void queue(HostUse use, Stream stream, Consumer<HostUse> copy) {
        boolean isKept = false;
        try {
            copy.accept(use);
            Stream.keepUntilDone(stream, use.kept());
            isKept = true;
            use.isHeldBy(stream);
        } finally {
            if (!isKept) {
                use.release();
            }
        }
    }

    /** Other threads may change the position and the limit of a buffer. */
    private static void requireSize(long nbytes, long expected) {
        if (expected != ANY_SIZE && nbytes != expected) {
            throw new IllegalArgumentException("the host data had " + expected + " bytes when the call began, and has " + nbytes + " now: no "
                + "other thread may move the position or the limit of a buffer during a copy");
        }
    }

    /** Keeps what {@link #copyIn} or {@link #copyOut} returned. */
    private static void keep(Object kept, Stream stream) {
        if (kept != null) {
            Stream.keepUntilDone(stream, kept);
        }
    }

    private static void copyStaged(long dest, JavaElements elements, Stream stream) {
        Staging staging = Staging.acquire(elements.nbytes());
        try {
            for (long done = 0, count; done < elements.nbytes(); done += count) {
                count = Math.min(staging.capacity(), elements.nbytes() - done);
                elements.load(staging, done, (int) count);
                copyIn(dest + done, staging.address(), count, stream);
            }
        } finally {
            staging.release();
        }
    }

    private static void copyStaged(JavaElements elements, long src, Stream stream) {
        Staging staging = Staging.acquire(elements.nbytes());
        try {
            for (long done = 0, count; done < elements.nbytes(); done += count) {
                count = Math.min(staging.capacity(), elements.nbytes() - done);
                copyOut(staging.address(), count, src + done, stream);
                elements.store(staging, done, (int) count);
            }
        } finally {
            staging.release();
        }
    }

    /** Copies and waits, only for the work of {@code stream}. */
    private static void copyOut(long dest, long nbytes, long src, Stream stream) {
        if (stream == Stream.DEFAULT) {
            DriverJNI.memcpyDtoh(dest, nbytes, src);
        } else {
            DriverProxy.memcpyDtohAsync(dest, nbytes, DevicePointer.of(src), stream);
            stream.synchronize();
        }
    }

    private static boolean copyIn(long dest, long src, long nbytes, Stream stream) {
        if (stream == Stream.DEFAULT) {
            DriverJNI.memcpyHtod(dest, src, nbytes);
            return false;
        }
        return DriverProxy.copyIn(dest, src, nbytes, stream);
    }

    /** The data as a buffer. */
    static Buffer view(Object host) {
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
        throw new IllegalArgumentException("host data must be a boolean[], byte[], short[], char[], int[], long[], float[] or double[], an "
            + "array of such arrays, an NIO buffer or a MemorySegment, not " + (host == null ? "null" : host.getClass().getTypeName()));
    }

    static int elementSize(Buffer buffer) {
        if (buffer instanceof ByteBuffer) {
            return 1;
        } else if (buffer instanceof ShortBuffer || buffer instanceof CharBuffer) {
            return 2;
        }
        return buffer instanceof IntBuffer || buffer instanceof FloatBuffer ? 4 : 8;
    }

    /** A ByteBuffer holds bytes. Other buffers in another byte order are rejected: {@code order(nativeOrder())} was forgotten. */
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
