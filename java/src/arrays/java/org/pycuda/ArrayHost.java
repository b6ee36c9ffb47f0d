package org.pycuda;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/** Copies between arrays and host data, and the single elements of arrays of size 1. */
final class ArrayHost {
    private ArrayHost() {}

    /** The number of Java elements of this many bytes that hold all elements. IllegalArgumentException if a Java array cannot be so long. */
    static int length(GPUArray array, int bytes) {
        long length = array.nbytes() / bytes;
        if (length > Integer.MAX_VALUE - 8) {
            throw new IllegalArgumentException("the array has " + length + " elements, more than a Java array can have; use getInto with "
                + "slices of it");
        }
        return (int) length;
    }

    /** Copies all elements in C order to {@code host}, and waits. Booleans take numbers of every type, because comparisons have their operands' type. */
    static void read(GPUArray array, Object host) {
        if (HostElements.typeOf(host) == DType.BOOL && array.dtype() instanceof DType type && type.itemsize() != DType.BOOL.itemsize()) {
            try (GPUArray flags = array.converted(DType.BOOL, Order.C)) {
                read(flags, host);
            }
            return;
        }
        HostElements.requireSize(host, array);
        readBytes(array, host);
    }

    /** The elements in a new Java array of this type, and of the array's shape. */
    static <T> T shaped(GPUArray array, Class<T> type) {
        int axes = NestedArrays.axes(type);
        if (axes == 0 || axes != array.ndim()) {
            throw new IllegalArgumentException(array.ndim() == 0
                ? "an array without axes has one element: read it with getDouble, getLong and similar methods, not as " + type.getTypeName()
                : "expected " + HostElements.nameOf(array.dtype()) + "[]".repeat(array.ndim()) + ".class for an array of " + array.dtype() + " with "
                    + array.ndim() + (array.ndim() == 1 ? " axis" : " axes") + ", not " + type.getTypeName());
        }
        T host = type.cast(NestedArrays.ofShape(type, array.shape()));
        read(array, host);
        return host;
    }

    static StructType typeOf(Record[] records) {
        return StructType.of(records.getClass().getComponentType().asSubclass(Record.class));
    }

    /** The records as structures. */
    static ByteBuffer bytesOf(Record[] records) {
        StructType type = typeOf(records);
        long nbytes = (long) records.length * type.itemsize();
        if (nbytes > Integer.MAX_VALUE - 8) {
            throw new IllegalArgumentException(records.length + " records have " + nbytes + " bytes, too many to be copied at once: copy parts of them");
        }
        ByteBuffer bytes = ByteBuffer.allocate((int) nbytes);
        for (int i = 0; i < records.length; i++) {
            bytes.put(type.value(java.util.Objects.requireNonNull(records[i], "records[" + i + "]")).toBuffer());
        }
        return bytes.flip();
    }

    static GPUArray ofRecords(Record[] records) {
        return ArrayFactory.DEFAULT.filled(bytesOf(records), typeOf(records), new long[] {records.length});
    }

    static <R extends Record> List<R> records(GPUArray array, Class<R> record) {
        if (!(array.dtype() instanceof StructType type)) {
            throw new IllegalArgumentException("elements of " + array.dtype() + " are not structures");
        }
        ByteBuffer bytes = ByteBuffer.allocate(length(array, Byte.BYTES)).order(ByteOrder.nativeOrder());
        readBytes(array, bytes);
        List<R> records = new ArrayList<>();
        for (int offset = 0; offset < bytes.capacity(); offset += type.itemsize()) {
            records.add(RecordTypes.read(record, type, bytes, offset));
        }
        return records;
    }

    private static void readBytes(GPUArray array, Object host) {
        GPUArray packed = array.isCContiguous() ? array : array.converted(array.dtype(), Order.C);
        try {
            Stream stream = Stream.inUse(array.stream());
            long address = packed.pointerFor(stream);
            if (array.size() > 0) {
                HostCopies.dtoh(host, array.nbytes(), address, stream);
                if (stream != Stream.DEFAULT) {
                    stream.synchronize();
                }
            }
            Reference.reachabilityFence(packed);
        } finally {
            if (packed != array) {
                packed.close();
            }
        }
    }

    /** Copies {@code host} to the elements; it may change afterwards. */
    static void write(GPUArray array, Object host) {
        HostElements.requireSize(host, array);
        if (array.size() == 0) {
            return;
        }
        Stream stream = Stream.inUse(array.stream());
        if (array.isCContiguous()) {
            HostCopies.htod(array.pointerFor(stream), array.nbytes(), host, stream);
            Reference.reachabilityFence(array);
            return;
        }
        try (var packed = GPUArray.factory().on(array.stream()).empty(array.dtype(), array.shape())) {
            HostCopies.htod(packed.pointerFor(stream), array.nbytes(), host, stream);
            array.set(packed);
        }
    }

    /** Queues a copy of {@code host}, which is direct memory, to the elements. */
    static void writeAsync(GPUArray array, Object host) {
        requireContiguous(host, array, "setAsync");
        HostCopies.htodAsync(array, host, Stream.inUse(array.stream()));
    }

    /** Queues a copy of the elements to {@code host}, which is direct memory. */
    static void readAsync(GPUArray array, Object host) {
        requireContiguous(host, array, "getAsync");
        HostCopies.dtohAsync(host, array, Stream.inUse(array.stream()));
    }

    private static void requireContiguous(Object host, GPUArray array, String routine) {
        HostElements.requireSize(host, array);
        if (!array.isCContiguous()) {
            throw new Driver.LogicError("only a contiguous array can be copied asynchronously; copy it on the device first", routine, 0);
        }
    }

    /** The one element, as {@link ElementValues#get} returns it. */
    private static Object element(GPUArray array) {
        if (array.size() != 1) {
            throw new IllegalArgumentException("only an array of one element can be converted to a number, not one of " + array.size());
        }
        ByteBuffer bytes = ByteBuffer.allocate(array.itemsize()).order(ByteOrder.nativeOrder());
        readBytes(array, bytes);
        return ElementValues.get(bytes, 0, array.numbers());
    }

    private static Number number(GPUArray array, boolean fits, String wanted) {
        if (!fits) {
            throw new IllegalArgumentException("an element of " + array.dtype() + " cannot be returned as " + wanted + "; convert the array with "
                + "astype, or use another method");
        }
        return (Number) element(array);
    }

    static int intValue(GPUArray array) {
        DType type = array.numbers();
        return number(array, !type.isFloating() && !type.isComplex() && type.itemsize() <= Integer.BYTES && type != DType.UINT32, "int").intValue();
    }

    static long longValue(GPUArray array) {
        DType type = array.numbers();
        return number(array, !type.isFloating() && !type.isComplex(), "long").longValue();
    }

    static float floatValue(GPUArray array) {
        DType type = array.numbers();
        return number(array, type == DType.FLOAT32 || type.itemsize() < Float.BYTES, "float").floatValue();
    }

    static double doubleValue(GPUArray array) {
        DType type = array.numbers();
        Number value = number(array, !type.isComplex(), "double");
        long bits = type == DType.UINT64 ? value.longValue() : 0;
        return bits < 0 ? ((bits >>> 1) | (bits & 1)) * 2.0 : value.doubleValue();
    }

    static Complex complexValue(GPUArray array) {
        return array.numbers().isComplex() ? (Complex) element(array) : new Complex(doubleValue(array), 0);
    }

    static boolean booleanValue(GPUArray array) {
        Complex value = complexValue(array);
        return value.re() != 0 || value.im() != 0;
    }
}
