package org.pycuda;

/**
 * Type of the elements of an array, as declared in kernels.
 * @see DType
 */
public sealed interface CType permits DType, StructType {
    /** Bytes of an element. */
    int itemsize();

    /** Alignment of elements, in bytes. */
    int alignment();

    /** Its name in kernels, such as {@code float}. */
    String ctype();

    /** Its character in Python's struct module, such as {@code f}; {@code E} for bfloat16; for a structure its size, such as {@code 12s}. */
    String structChar();
}
