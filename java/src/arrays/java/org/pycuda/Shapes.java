package org.pycuda;

import java.util.Arrays;
import java.util.Objects;

/** Shapes and indices given as {@code int}s. */
final class Shapes {
    private Shapes() {}

    /** These numbers as longs; {@code name} is the parameter's. */
    static long[] of(int[] values, String name) {
        return Arrays.stream(Objects.requireNonNull(values, name)).asLongStream().toArray();
    }
}
