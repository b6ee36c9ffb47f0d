package org.pycuda;

/** Numbers and types as the core takes them: a number as its kind and two words, a type as one word. */
final class Scalars {
    static final int WHOLE = 0;
    static final int REAL = 1;
    static final int COMPLEX = 2;

    static final int STRUCTURE = DType.values().length;  // as the core's Opaque

    private Scalars() {}

    /** The code of the number type, or that of structures, with the bytes of an element in the bits above. */
    static long typeCode(CType type) {
        int code = type instanceof DType number ? number.value() : STRUCTURE;
        return (long) type.itemsize() << Byte.SIZE | code;
    }

    /** The type as a number type; IllegalArgumentException for structures. */
    static DType requireNumbers(CType type) {
        if (type instanceof DType number) {
            return number;
        }
        throw new IllegalArgumentException("this needs numbers, not structures of the type " + type);
    }

    static long bits(double value) {
        return Double.doubleToRawLongBits(value);
    }
}
