package org.pycuda;

import java.util.Arrays;

/** Comparisons of whole arrays. */
final class ArrayComparisons {
    private ArrayComparisons() {}

    static boolean allClose(GPUArray a, GPUArray b, double rtol, double atol, boolean equalNan) {
        return all(a.isclose(b, rtol, atol, equalNan));
    }

    static boolean equal(GPUArray a, GPUArray b, boolean equalNan) {
        if (!Arrays.equals(a.shape(), b.shape())) {
            return false;
        }
        boolean mayBeNan = DType.common(a.numbers(), b.numbers()).isFloating() || DType.common(a.numbers(), b.numbers()).isComplex();
        return all(equalNan && mayBeNan ? a.isclose(b, 0, 0, true) : a.eq(b));
    }

    /** Whether all elements are true; closes them. */
    private static boolean all(GPUArray answers) {
        try (answers; GPUArray all = answers.all()) {
            return all.getBoolean();
        }
    }
}
