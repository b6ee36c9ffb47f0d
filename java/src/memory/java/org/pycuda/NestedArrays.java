package org.pycuda;

import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.List;

/** Arrays of arrays of a primitive type, as {@code float[][]}, as one array: all rows of an axis have one length. */
final class NestedArrays {
    private NestedArrays() {}

    static boolean isNested(Object host) {
        return host instanceof Object[] && elementOf(host.getClass()).isPrimitive();
    }

    /** The type of the elements of the innermost arrays. */
    private static Class<?> elementOf(Class<?> type) {
        Class<?> element = type;
        while (element.isArray()) {
            element = element.getComponentType();
        }
        return element;
    }

    /** An empty array that represents the innermost type. */
    static Object example(Object nested) {
        return Array.newInstance(elementOf(nested.getClass()), 0);
    }

    /** IllegalArgumentException if rows of one axis differ in length. */
    static long[] shape(Object nested) {
        List<Long> shape = new ArrayList<>();
        Object row = nested;
        for (Class<?> type = nested.getClass(); type.isArray(); type = type.getComponentType()) {
            int length = row == null ? 0 : Array.getLength(row);
            shape.add((long) length);
            row = length == 0 || !(row instanceof Object[] rows) ? null : rows[0];
        }
        requireShape(nested, shape, 0);
        return shape.stream().mapToLong(Long::longValue).toArray();
    }

    private static void requireShape(Object array, List<Long> shape, int axis) {
        if (array == null || Array.getLength(array) != shape.get(axis)) {
            throw new IllegalArgumentException("the rows of an array must have one length: expected " + shape.get(axis) + " elements, not "
                + (array == null ? "null" : Array.getLength(array)));
        }
        if (array instanceof Object[] rows) {
            for (Object row : rows) {
                requireShape(row, shape, axis + 1);
            }
        }
    }

    private static long size(Object nested) {
        long size = 1;
        for (long length : shape(nested)) {
            size *= length;
        }
        return size;
    }

    static long nbytes(Object nested) {
        Object example = example(nested);
        return size(nested) * (example instanceof boolean[] ? 1 : HostCopies.elementSize(HostCopies.view(example)));
    }

    /** The elements in C order in an array of numbers; booleans as bytes. */
    static Object packed(Object nested) {
        long size = size(nested);
        if (size > Integer.MAX_VALUE - 8) {
            throw new IllegalArgumentException("an array of arrays with " + size + " elements is too large to be copied at once: copy its rows");
        }
        Object all = Array.newInstance(elementOf(nested.getClass()), (int) size);
        move(nested, all, 0, true);
        return all instanceof boolean[] flags ? HostElements.bytes(flags) : all;
    }

    /** Copies the result of {@link #packed} back. */
    static void unpack(Object numbers, Object nested) {
        Object all = numbers;
        if (elementOf(nested.getClass()) == boolean.class) {
            boolean[] flags = new boolean[Array.getLength(numbers)];
            HostElements.copy((byte[]) numbers, flags);
            all = flags;
        }
        move(nested, all, 0, false);
    }

    /** Copies in either direction from index {@code from} of {@code all} on. Returns the next index. */
    private static int move(Object array, Object all, int from, boolean isPacking) {
        int index = from;
        if (array instanceof Object[] rows) {
            for (Object row : rows) {
                index = move(row, all, index, isPacking);
            }
            return index;
        }
        int length = Array.getLength(array);
        System.arraycopy(isPacking ? array : all, isPacking ? 0 : from, isPacking ? all : array, isPacking ? from : 0, length);
        return from + length;
    }

    /** The number of axes of an array type with primitive elements; 0 for other types. */
    static int axes(Class<?> type) {
        int axes = 0;
        for (Class<?> rest = type; rest.isArray(); rest = rest.getComponentType()) {
            axes++;
        }
        return elementOf(type).isPrimitive() ? axes : 0;
    }

    /** A new array of this type. IllegalArgumentException if no Java array can have this shape. */
    static Object ofShape(Class<?> type, long[] shape) {
        int[] lengths = new int[shape.length];
        for (int i = 0; i < lengths.length; i++) {
            if (shape[i] > Integer.MAX_VALUE - 8) {
                throw new IllegalArgumentException("an axis of " + shape[i] + " elements is longer than a Java array can be");
            }
            lengths[i] = (int) shape[i];
        }
        return Array.newInstance(elementOf(type), lengths);
    }
}
