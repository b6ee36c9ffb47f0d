package org.pycuda;

import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.util.List;

/** Converts values of a program to elements of a type, for kernels and structures. */
final class ElementValues {
    private ElementValues() {}

    /**
     * The value as the Java type that holds elements of {@code type}, or a {@link Complex}. IllegalArgumentException for another kind of
     * number, and for integers out of range; unsigned types also accept the negative numbers with the same bits.
     */
    static Object number(DType type, Object given) {
        if (type == DType.BOOL && given instanceof Boolean flag) {
            return (byte) (flag ? 1 : 0);
        } else if (type.isInteger() || type == DType.BOOL) {
            return whole(type, given);
        } else if (type.isComplex() && given instanceof Complex) {
            return given;
        } else if (!(given instanceof Number)) {
            throw refused("a number", given);
        }
        double value = ((Number) given).doubleValue();
        return switch (type) {
            case COMPLEX64, COMPLEX128 -> new Complex(value, 0);
            case FLOAT32 -> (Object) (float) value;
            case FLOAT16 -> (Object) Half.bits(requireHalf(value));
            case BFLOAT16 -> (Object) bfloat16Bits((float) value);
            default -> (Object) value;
        };
    }

    private static double requireHalf(double value) {
        if (!Half.fits(value)) {
            throw refused("a number that FLOAT16 can hold", value);
        }
        return value;
    }

    /** The upper half of a float's bits, rounded to nearest even. */
    private static short bfloat16Bits(float value) {
        int bits = Float.floatToRawIntBits(value);
        return (short) (Float.isNaN(value) ? bits >>> 16 | 0x40 : bits + 0x7fff + (bits >>> 16 & 1) >>> 16);
    }

    private static Object whole(DType type, Object given) {
        boolean isWhole = given instanceof Byte || given instanceof Short || given instanceof Integer || given instanceof Long;
        if (!isWhole && !(given instanceof Character)) {
            throw refused("an integer", given);
        }
        long value = given instanceof Character letter ? letter : ((Number) given).longValue();
        int bits = 8 * type.itemsize();
        long min = bits == 64 ? Long.MIN_VALUE : -(1L << (bits - 1));
        long max = bits == 64 ? Long.MAX_VALUE : (1L << (type.isUnsigned() || type == DType.BOOL ? bits : bits - 1)) - 1;
        if (value < min || value > max) {
            throw refused("a number that " + type + " can hold", value);
        }
        return switch (bits) {
            case 8 -> (Object) (byte) value;
            case 16 -> (Object) (short) value;
            case 32 -> (Object) (int) value;
            default -> (Object) value;
        };
    }

    static IllegalArgumentException refused(String wanted, Object given) {
        boolean shown = given instanceof Number || given instanceof CType || given instanceof StructValue;
        return new IllegalArgumentException(
            "expected " + wanted + ", not " + (given == null ? "null" : given instanceof GPUArray array ? array.describe() : shown ? given : given.getClass().getTypeName()));
    }

    /** Writes the value of a field: an array or a list if the field has several elements. */
    static void put(ByteBuffer bytes, int offset, StructType.Field field, Object value) {
        if (field.count() == 1) {
            put(bytes, offset, field.type(), value);
            return;
        }
        Object several = value instanceof List<?> list ? list.toArray() : value;
        if (several == null || !several.getClass().isArray() || Array.getLength(several) != field.count()) {
            throw refused("an array of " + field.count(), value);
        }
        for (int i = 0; i < field.count(); i++) {
            put(bytes, offset + i * field.type().itemsize(), field.type(), Array.get(several, i));
        }
    }

    private static void put(ByteBuffer bytes, int offset, CType type, Object value) {
        if (type instanceof DType number) {
            put(bytes, offset, number, number(number, value));
        } else if (value instanceof StructValue given && given.type().equals(type)) {
            bytes.put(offset, given.toBuffer().array());
        } else {
            throw refused("a value of " + type, value);
        }
    }

    /** An element as a Java number, unsigned ones as the next larger type if there is one; or a {@link Complex}. */
    static Object get(ByteBuffer bytes, int offset, DType type) {
        return switch (type) {
            case BOOL, UINT8 -> (Object) Byte.toUnsignedInt(bytes.get(offset));
            case INT8 -> (Object) bytes.get(offset);
            case INT16 -> (Object) bytes.getShort(offset);
            case UINT16 -> (Object) Short.toUnsignedInt(bytes.getShort(offset));
            case INT32 -> (Object) bytes.getInt(offset);
            case UINT32 -> (Object) Integer.toUnsignedLong(bytes.getInt(offset));
            case INT64, UINT64 -> (Object) bytes.getLong(offset);
            case FLOAT16 -> (Object) (float) Half.value(bytes.getShort(offset));
            case BFLOAT16 -> (Object) Float.intBitsToFloat(bytes.getShort(offset) << 16);
            case FLOAT32 -> (Object) bytes.getFloat(offset);
            case FLOAT64 -> (Object) bytes.getDouble(offset);
            case COMPLEX64 -> new Complex(bytes.getFloat(offset), bytes.getFloat(offset + Float.BYTES));
            case COMPLEX128 -> new Complex(bytes.getDouble(offset), bytes.getDouble(offset + Double.BYTES));
        };
    }

    /** Writes a result of {@link #number}. */
    static void put(ByteBuffer bytes, int offset, DType type, Object number) {
        if (number instanceof Byte value) {
            bytes.put(offset, value);
        } else if (number instanceof Short value) {
            bytes.putShort(offset, value);
        } else if (number instanceof Integer value) {
            bytes.putInt(offset, value);
        } else if (number instanceof Long value) {
            bytes.putLong(offset, value);
        } else if (number instanceof Float value) {
            bytes.putFloat(offset, value);
        } else if (number instanceof Double value) {
            bytes.putDouble(offset, value);
        } else if (type == DType.COMPLEX64) {
            Complex value = (Complex) number;
            bytes.putFloat(offset, (float) value.re()).putFloat(offset + Float.BYTES, (float) value.im());
        } else {
            Complex value = (Complex) number;
            bytes.putDouble(offset, value.re()).putDouble(offset + Double.BYTES, value.im());
        }
    }
}
