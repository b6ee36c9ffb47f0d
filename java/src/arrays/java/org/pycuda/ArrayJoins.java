package org.pycuda;

import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** Joins several arrays into one. */
final class ArrayJoins {
    private ArrayJoins() {}

    static GPUArray concatenate(List<GPUArray> arrays, int axis) {
        if (Objects.requireNonNull(arrays, "arrays").isEmpty()) {
            throw new IllegalArgumentException("at least one array must be given");
        }
        long[] handles = new long[arrays.size()];
        Stream stream = null;
        for (int i = 0; i < handles.length; i++) {
            GPUArray array = Objects.requireNonNull(arrays.get(i), "arrays[" + i + "]");
            handles[i] = array.handle();
            if (i == 0) {
                stream = array.stream();
            } else if (array.stream() != null) {
                StreamJoin.await(stream, array.stream());
            }
        }
        long made = ArrayCalls.arrayConcatenated(handles, axis, GPUArray.handle(stream));
        Reference.reachabilityFence(arrays);
        return GPUArray.made(made, stream);
    }

    static GPUArray stack(List<GPUArray> arrays, int axis) {
        List<GPUArray> lifted = new ArrayList<>();
        for (int i = 0; i < Objects.requireNonNull(arrays, "arrays").size(); i++) {
            GPUArray array = Objects.requireNonNull(arrays.get(i), "arrays[" + i + "]");
            if (!Arrays.equals(array.shape(), arrays.get(0).shape())) {
                throw new IllegalArgumentException("arrays to be stacked must have one shape, not " + Arrays.toString(arrays.get(0).shape())
                    + " and " + Arrays.toString(array.shape()));
            }
            int place = Objects.checkIndex(axis < 0 ? axis + array.ndim() + 1 : axis, array.ndim() + 1);
            Slice[] parts = new Slice[place + 1];
            Arrays.fill(parts, Slice.ALL);
            parts[place] = Slice.NEW_AXIS;
            lifted.add(array.slice(parts));
        }
        return concatenate(lifted, axis);
    }
}
