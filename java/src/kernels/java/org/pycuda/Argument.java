package org.pycuda;

/**
 * A parameter of a custom kernel.
 * @see VectorArg
 */
public sealed interface Argument permits ScalarArg, VectorArg {
    /** Type of the value, or of the elements. */
    CType dtype();

    /** Its name in the kernel. */
    String name();

    /** Its C declaration, such as {@code float *x}. */
    String declarator();

    /** Its character in Python's struct module; {@code P} for pointers. */
    String structChar();
}
