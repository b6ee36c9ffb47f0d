package org.pycuda;

import java.nio.Buffer;
import java.util.Arrays;
import java.util.Objects;

/**
 * Host data: arrays, arrays of arrays, buffers, segments or records, and the type and shape of their elements. Methods that take host data take
 * this; those that programs call most also take arrays and buffers as they are. The data is not copied: it is read or written by the call.
 *
 * <pre>{@code
 * var pixels = HostData.of(new byte[] {10, 20, 30, 40, 50, 60}).as(DType.UINT8).shape(2, 3);
 * try (var image = Textures.matrixToArray(pixels, Order.C)) {
 *     assert image.descriptor().width() == 3;
 * }
 * }</pre>
 *
 * <p>Immutable: {@link #as} and {@link #shape} return a changed copy.
 */
public final class HostData {
    private final Object data;
    private final CType type;
    /** Null: that of the data. */
    private final long[] shape;

    private HostData(Object data, CType type, long[] shape) {
        this.data = data;
        this.type = type;
        this.shape = shape;
    }

    /** Elements of BOOL. */
    public static HostData of(boolean[] array) {
        return known(array);
    }

    /** Elements of INT8. */
    public static HostData of(byte[] array) {
        return known(array);
    }

    /** Elements of INT16. */
    public static HostData of(short[] array) {
        return known(array);
    }

    /** Elements of UINT16. */
    public static HostData of(char[] array) {
        return known(array);
    }

    /** Elements of INT32. */
    public static HostData of(int[] array) {
        return known(array);
    }

    /** Elements of INT64. */
    public static HostData of(long[] array) {
        return known(array);
    }

    /** Elements of FLOAT32. */
    public static HostData of(float[] array) {
        return known(array);
    }

    /** Elements of FLOAT64. */
    public static HostData of(double[] array) {
        return known(array);
    }

    /** An array of arrays whose rows have one length, such as a {@code float[][]}, or an array of records, which are copied into a buffer now. */
    public static HostData of(Object[] array) {
        if (Objects.requireNonNull(array, "array") instanceof Record[] records) {
            return ofRecords(records);
        }
        return ofObject(array);
    }

    /** What remains of a buffer; a ByteBuffer is the bytes of elements of any type. Its position and limit are not changed. */
    public static HostData of(Buffer buffer) {
        return known(Objects.requireNonNull(buffer, "buffer"));
    }

    /**
     * Host data of a type that the compiler does not know.
     *
     * @param data a primitive array, an array of such arrays whose rows have one length, an NIO buffer or a MemorySegment
     * @return the host data
     * @throws IllegalArgumentException the object is no host data
     */
    public static HostData ofObject(Object data) {
        HostCopies.require(data);
        return known(data);
    }

    private static HostData known(Object data) {
        return new HostData(Objects.requireNonNull(data, "array"), null, null);
    }

    private static HostData ofRecords(Record[] records) {
        return new HostData(ArrayHost.bytesOf(records), ArrayHost.typeOf(records), new long[] {records.length});
    }

    /**
     * The same data as elements of another type: unsigned or half-precision numbers, complex numbers as pairs, or structures.
     *
     * @param elements the type, UINT8 of a {@code byte[]}, COMPLEX64 of a {@code float[]}, FLOAT16 of a {@code short[]}
     * @return a copy with this type
     * @throws IllegalArgumentException elements of this type are held by another Java type
     */
    public HostData as(CType elements) {
        HostElements.require(data, Objects.requireNonNull(elements, "elements"));
        return new HostData(data, elements, shape);
    }

    /**
     * The same data in another shape, in C order.
     *
     * @param lengths the length of each axis
     * @return a copy with this shape
     * @throws IllegalArgumentException the shape has another number of elements
     */
    public HostData shape(long... lengths) {
        long nbytes = HostMemory.bytes(type(), lengths);
        if (nbytes != nbytes()) {
            throw new IllegalArgumentException("the shape " + Arrays.toString(lengths) + " has elements of " + nbytes + " bytes, the host data has "
                + nbytes() + " bytes");
        }
        return new HostData(data, type, lengths.clone());
    }

    /** {@link #shape(long...)} with ints. */
    public HostData shape(int... lengths) {
        return shape(Shapes.of(lengths, "lengths"));
    }

    /** The array, buffer or segment; for records, a buffer with their bytes. */
    public Object data() {
        return data;
    }

    /** The type of the elements. */
    public CType type() {
        return type == null ? HostElements.typeOf(data) : type;
    }

    /** The length of each axis; one axis if none was given and the data is no array of arrays. */
    public long[] shape() {
        if (shape != null) {
            return shape.clone();
        }
        return NestedArrays.isNested(data) ? NestedArrays.shape(data) : new long[] {nbytes() / type().itemsize()};
    }

    /** Size in bytes. */
    public long nbytes() {
        return HostCopies.nbytes(data);
    }

    static Object dataOf(HostData host) {
        return Objects.requireNonNull(host, "host").data;
    }
}
