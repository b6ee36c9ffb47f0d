package org.pycuda;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;

/** Joins several arrays into one. */
final class ArrayJoins {
    private ArrayJoins() {}

    static GPUArray concatenate(List<GPUArray> list, int axis) {
        return CoreCalls.one("concatenate", new long[] {axis}, joinable(list));
    }

    /** The arrays: one at least, and structures only if all are the same. */
    private static GPUArray[] joinable(List<GPUArray> list) {
        GPUArray[] arrays = Objects.requireNonNull(list, "arrays").toArray(GPUArray[]::new);
        if (arrays.length == 0) {
            throw new IllegalArgumentException("at least one array must be given");
        }
        for (int i = 0; i < arrays.length; i++) {
            GPUArray array = Objects.requireNonNull(arrays[i], "arrays[" + i + "]");
            boolean structures = !(array.dtype() instanceof DType) || !(arrays[0].dtype() instanceof DType);
            if (structures && !array.dtype().equals(arrays[0].dtype())) {
                throw new IllegalArgumentException("arrays of " + arrays[0].dtype() + " and " + array.dtype() + " cannot be joined");
            }
        }
        return arrays;
    }

    /** The arrays, extended by {@code lift}, joined along {@code axis}, or the first one if they have no other. */
    private static GPUArray lifted(List<GPUArray> list, int axis, UnaryOperator<GPUArray> lift) {
        List<GPUArray> arrays = new ArrayList<>();
        for (int i = 0; i < Objects.requireNonNull(list, "arrays").size(); i++) {
            arrays.add(lift.apply(Objects.requireNonNull(list.get(i), "arrays[" + i + "]")));
        }
        return concatenate(arrays, arrays.isEmpty() || arrays.get(0).ndim() > 1 ? axis : 0);
    }

    /** A view with at least this many axes; the new ones come first. */
    private static GPUArray atLeast(int axes, GPUArray array) {
        Slice[] parts = new Slice[Math.max(axes - array.ndim(), 0)];
        Arrays.fill(parts, Slice.NEW_AXIS);
        return array.slice(parts);
    }

    static GPUArray hstack(List<GPUArray> arrays) {
        return lifted(arrays, 1, array -> atLeast(1, array));
    }

    static GPUArray vstack(List<GPUArray> arrays) {
        return lifted(arrays, 0, array -> atLeast(2, array));
    }

    static GPUArray dstack(List<GPUArray> arrays) {
        return lifted(arrays, 2, array -> array.ndim() < 3 ? atLeast(2, array).slice(Slice.REST, Slice.NEW_AXIS) : array);
    }

    static GPUArray columnStack(List<GPUArray> arrays) {
        return lifted(arrays, 1, array -> array.ndim() < 2 ? atLeast(1, array).slice(Slice.ALL, Slice.NEW_AXIS) : array);
    }

    /** {@code type}: a DType's value, or -1 for the common type. */
    static GPUArray einsum(String subscripts, int type, GPUArray[] arrays) {
        for (int i = 0; i < arrays.length; i++) {
            Objects.requireNonNull(arrays[i], "arrays[" + i + "]");
        }
        if (arrays.length == 0) {
            throw new IllegalArgumentException("expected an array for each part of \"" + subscripts + "\", given none");
        }
        long copies = CoreCalls.flag(true);
        return CoreCalls.one("einsum", LongStream.concat(LongStream.of(type, copies), subscripts.chars().map(letter -> letter < 128 ? letter : '?').asLongStream()).toArray(), arrays);
    }

    /** One result of this shape for each array; all are closed if {@code fill} fails. */
    private static List<GPUArray> results(List<GPUArray> arrays, long[] shape, Consumer<List<GPUArray>> fill) {
        Objects.requireNonNull(shape, "destShape");
        List<GPUArray> made = new ArrayList<>();
        try {
            for (int i = 0; i < Objects.requireNonNull(arrays, "arrays").size(); i++) {
                GPUArray array = Objects.requireNonNull(arrays.get(i), "arrays[" + i + "]");
                made.add(ArrayFactory.like(array).empty(array.dtype(), shape));
            }
            fill.accept(made);
            return List.copyOf(made);
        } catch (RuntimeException failure) {
            made.forEach(GPUArray::close);
            throw failure;
        }
    }

    static List<GPUArray> multiTakePut(List<GPUArray> arrays, GPUArray destIndices, GPUArray srcIndices, long[] destShape) {
        return results(arrays, destShape, out -> multiTakePutInto(out, arrays, destIndices, srcIndices, null));
    }

    static void multiTakePutInto(List<GPUArray> out, List<GPUArray> arrays, GPUArray to, GPUArray from, long[] offsets) {
        Objects.requireNonNull(to, "destIndices");
        Objects.requireNonNull(from, "srcIndices");
        requireAlike(out, arrays);
        if (offsets != null && offsets.length != arrays.size()) {
            throw new IllegalArgumentException("expected an offset for each of " + arrays.size() + " arrays, given " + offsets.length);
        }
        for (int i = 0; i < arrays.size(); i++) {
            out.get(i).takePut(to, arrays.get(i), from, offsets == null ? 0 : offsets[i]);
        }
    }

    static List<GPUArray> multiPut(List<GPUArray> arrays, GPUArray destIndices, long[] destShape) {
        return results(arrays, destShape, out -> multiPutInto(out, arrays, destIndices));
    }

    static void multiPutInto(List<GPUArray> out, List<GPUArray> arrays, GPUArray destIndices) {
        Objects.requireNonNull(destIndices, "destIndices");
        requireAlike(out, arrays);
        for (int i = 0; i < arrays.size(); i++) {
            out.get(i).put(destIndices, arrays.get(i));
        }
    }

    private static void requireAlike(List<GPUArray> out, List<GPUArray> arrays) {
        if (Objects.requireNonNull(out, "out").size() != Objects.requireNonNull(arrays, "arrays").size()) {
            throw new IllegalArgumentException("expected a result for each of " + arrays.size() + " arrays, given " + out.size());
        }
        for (int i = 0; i < arrays.size(); i++) {
            CType type = Objects.requireNonNull(arrays.get(i), "arrays[" + i + "]").dtype();
            if (!Objects.requireNonNull(out.get(i), "out[" + i + "]").dtype().equals(type)) {
                throw new IllegalArgumentException("result " + i + " needs elements of " + type + ", not " + out.get(i).dtype());
            }
        }
    }

    static GPUArray stack(List<GPUArray> list, int axis) {
        return CoreCalls.one("stack", new long[] {axis, CoreCalls.flag(false)}, joinable(list));
    }
}
