package org.pycuda;

/** How a number crosses to the core: its kind and two words. */
final class Scalars {
    static final int WHOLE = 0;
    static final int REAL = 1;
    static final int COMPLEX = 2;

    private Scalars() {}

    static long bits(double value) {
        return Double.doubleToRawLongBits(value);
    }
}
