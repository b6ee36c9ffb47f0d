package org.pycuda;

/** Type of the elements of an array, as kernels see it. */
public sealed interface CType permits DType, StructType {
    /** Bytes of an element. */
    int itemsize();

    /** What addresses of elements are a multiple of, in bytes. */
    int alignment();

    /** Its name in kernels, as {@code float}. */
    String ctype();

    /** Its character in Python's struct module, as {@code f}; {@code E} for bfloat16; of a structure its size, as {@code 12s}. */
    String structChar();
}
