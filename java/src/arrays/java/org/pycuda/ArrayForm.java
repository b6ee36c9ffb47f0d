package org.pycuda;

import java.util.Arrays;

/** Type and shape of an array, and derived values, from native code. */
final class ArrayForm {
    private static final int HEADER = 4;

    private final long[] numbers;

    /** @param numbers of {@code array_form} */
    ArrayForm(long[] numbers) {
        this.numbers = numbers;
    }

    /** For arrays of numbers. */
    DType dtype() {
        return DType.fromValue((int) numbers[0]);
    }

    /** Whether the elements are structures. */
    boolean isStruct() {
        return numbers[0] == Scalars.STRUCTURE;
    }

    long size() {
        return numbers[2];
    }

    boolean isCContiguous() {
        return (numbers[3] & 1) != 0;
    }

    boolean isFContiguous() {
        return (numbers[3] & 2) != 0;
    }

    int ndim() {
        return (numbers.length - HEADER) / 2;
    }

    long[] shape() {
        return Arrays.copyOfRange(numbers, HEADER, HEADER + ndim());
    }

    long[] strides() {
        return Arrays.copyOfRange(numbers, HEADER + ndim(), numbers.length);
    }
}
