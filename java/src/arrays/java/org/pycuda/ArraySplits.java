package org.pycuda;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** Splits an array into views of its parts. */
final class ArraySplits {
    private ArraySplits() {}

    private static void requireAxes(GPUArray array, int min) {
        if (array.ndim() < min) {
            throw new IllegalArgumentException("expected an array of " + min + " axes or more, given " + array.ndim());
        }
    }

    static List<GPUArray> equally(GPUArray array, int minAxes, long sections, int axis) {
        requireAxes(array, minAxes);
        long length = array.shape(axis);
        if (sections > 0 && length % sections != 0) {
            throw new IllegalArgumentException(length + " elements cannot be split into " + sections + " equal parts");
        }
        return along(array, sections, axis);
    }

    static List<GPUArray> equally(GPUArray array, int minAxes, long[] indices, int axis) {
        Objects.requireNonNull(indices, "sections");
        requireAxes(array, minAxes);
        return along(array, indices, axis);
    }

    /** Parts of nearly equal lengths. */
    static List<GPUArray> along(GPUArray array, long sections, int axis) {
        long length = array.shape(axis);
        if (sections < 1 || sections > Integer.MAX_VALUE / 2) {
            throw new IllegalArgumentException("expected at least one part, and at most as many as a list holds, given " + sections);
        }
        long[] bounds = new long[(int) sections + 1];
        for (int i = 0; i <= sections; i++) {
            bounds[i] = i * (length / sections) + Math.min(i, length % sections);
        }
        return between(array, bounds, axis);
    }

    /** Parts that begin at these indices; the first one begins at 0. */
    static List<GPUArray> along(GPUArray array, long[] indices, int axis) {
        Objects.requireNonNull(indices, "sections");
        long[] bounds = new long[indices.length + 2];
        System.arraycopy(indices, 0, bounds, 1, indices.length);
        bounds[indices.length + 1] = array.shape(axis);
        return between(array, bounds, axis);
    }

    private static List<GPUArray> between(GPUArray array, long[] bounds, int axis) {
        Slice[] parts = new Slice[(axis < 0 ? axis + array.ndim() : axis) + 1];
        Arrays.fill(parts, Slice.ALL);
        List<GPUArray> views = new ArrayList<>(bounds.length - 1);
        for (int i = 1; i < bounds.length; i++) {
            parts[parts.length - 1] = Slice.of(bounds[i - 1], bounds[i]);
            views.add(array.slice(parts));
        }
        return List.copyOf(views);
    }
}
