package org.pycuda;

import java.util.Arrays;
import java.util.Objects;

/**
 * The axes along which a reduction runs. Negative numbers count from the last axis. Immutable.
 *
 * <pre>{@code
 * var x = GPUArray.ones(DType.FLOAT32, 2, 3);
 * assert x.sum(Axis.of(0)).getFloats().length == 3;
 * assert x.sum(Axis.of(-1).keepDims()).ndim() == 2;
 * }</pre>
 */
public final class Axis {
    /** All axes. */
    public static final Axis ALL = new Axis(new long[0], false);

    final long[] axes;
    final boolean keep;

    private Axis(long[] axes, boolean keep) {
        this.axes = axes;
        this.keep = keep;
    }

    /** These axes; -1 is the last. */
    public static Axis of(int... axes) {
        Objects.requireNonNull(axes, "axes");
        if (axes.length == 0) {
            throw new IllegalArgumentException("Axis.of needs at least one axis; Axis.ALL is all of them");
        }
        return new Axis(Arrays.stream(axes).asLongStream().toArray(), false);
    }

    /** The same, but the result keeps reduced axes with length 1. */
    public Axis keepDims() {
        return new Axis(axes, true);
    }

    /** The axes of an array of {@code ndim} axes as a bit mask. */
    long mask(int ndim) {
        return axes.length == 0 ? (1L << ndim) - 1 : ArrayCalls.axisMask(axes, ndim);
    }

    @Override
    public String toString() {
        return (axes.length == 0 ? "all axes" : "axes " + Arrays.toString(axes)) + (keep ? ", kept" : "");
    }
}
