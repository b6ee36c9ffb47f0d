package org.pycuda;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.util.Objects;

/** Which Java elements hold the elements of arrays. */
final class HostElements {
    private HostElements() {}

    /** The default element type of host data. */
    static DType typeOf(Object host) {
        Objects.requireNonNull(host, "host");
        if (host instanceof float[] || host instanceof FloatBuffer) {
            return DType.FLOAT32;
        } else if (host instanceof double[] || host instanceof DoubleBuffer) {
            return DType.FLOAT64;
        } else if (host instanceof int[] || host instanceof IntBuffer) {
            return DType.INT32;
        } else if (host instanceof long[] || host instanceof LongBuffer) {
            return DType.INT64;
        } else if (host instanceof short[] || host instanceof ShortBuffer) {
            return DType.INT16;
        } else if (host instanceof char[] || host instanceof CharBuffer) {
            return DType.UINT16;
        } else if (host instanceof boolean[]) {
            return DType.BOOL;
        } else if (NestedArrays.isNested(host)) {
            return typeOf(NestedArrays.example(host));
        }
        HostCopies.require(host);
        return DType.INT8;
    }

    private static boolean isBytes(Object host) {
        return host instanceof ByteBuffer || Segments.isSegment(host);
    }

    /** The Java class of an element, twice for a complex number. */
    private static Class<?> elementOf(DType type) {
        return switch (type) {
            case BOOL, INT8, UINT8 -> byte.class;
            case INT16, UINT16, FLOAT16, BFLOAT16 -> short.class;
            case INT32, UINT32 -> int.class;
            case INT64, UINT64 -> long.class;
            case FLOAT32, COMPLEX64 -> float.class;
            case FLOAT64, COMPLEX128 -> double.class;
        };
    }

    /** The elements of a Java array for elements of {@code type}. */
    static String nameOf(CType type) {
        DType numbers = type instanceof StructType struct ? struct.base() : (DType) type;
        return numbers == null ? "byte" : numbers == DType.BOOL ? "boolean" : elementOf(numbers).getName();
    }

    /** IllegalArgumentException unless the data can be elements of {@code type}. A ByteBuffer or a segment is the bytes of any type. */
    static void require(Object host, CType type) {
        if (type instanceof StructType struct) {
            requireParts(host, struct);
        } else {
            requireNumbers(host, (DType) type);
        }
    }

    private static void requireParts(Object host, StructType type) {
        DType base = type.base();
        typeOf(host);  // rejects objects that are not host data
        if (isBytes(host)) {
            return;
        } else if (base == null) {
            throw new IllegalArgumentException("elements of " + type + " are copied as a ByteBuffer, not as " + host.getClass().getTypeName());
        }
        requireNumbers(host, base);
    }

    private static void requireNumbers(Object host, DType type) {
        DType own = typeOf(host);
        boolean fits = isBytes(host) || elementOf(own) == elementOf(type);
        if (own == DType.UINT16) {
            fits = type == DType.UINT16;
        }
        if (!fits) {
            throw new IllegalArgumentException("elements of " + type + " are copied as " + elementOf(type) + ", not as "
                + host.getClass().getTypeName());
        }
    }

    /** IllegalArgumentException unless the host data is exactly the bytes of the array. */
    static void requireSize(Object host, GPUArray array) {
        require(host, array.dtype());
        long nbytes = HostCopies.nbytes(host);
        if (nbytes != array.nbytes()) {
            throw new IllegalArgumentException("the host data has " + nbytes + " bytes, but the array has " + array.nbytes());
        }
    }

    static byte[] bytes(boolean[] flags) {
        byte[] bytes = new byte[flags.length];
        for (int i = 0; i < flags.length; i++) {
            bytes[i] = (byte) (flags[i] ? 1 : 0);
        }
        return bytes;
    }

    static void copy(byte[] bytes, boolean[] flags) {
        for (int i = 0; i < flags.length; i++) {
            flags[i] = bytes[i] != 0;
        }
    }
}
