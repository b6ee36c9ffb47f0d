package org.pycuda;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Objects;

/**
 * One part of an index: {@code Slice.of(1, -1).by(2)} is Python's {@code 1:-1:2}. Immutable.
 *
 * <pre>{@code
 * var x = GPUArray.arange(DType.INT32, 12).reshape(3, 4);
 * int[] column = x.slice(Slice.ALL, Slice.at(1)).getInts();
 * assert column[2] == 9;
 * }</pre>
 */
public final class Slice {
    /** A whole axis, {@code :}. */
    public static final Slice ALL = new Slice(Kind.RANGE, 0, 0, 0, 1, null);
    /** All axes that the other parts do not index, {@code ...}. */
    public static final Slice REST = new Slice(Kind.REST, 0, 0, 0, 1, null);
    /** A new axis of length 1. */
    public static final Slice NEW_AXIS = new Slice(Kind.NEW_AXIS, 0, 0, 0, 1, null);

    /** As the core numbers them. */
    private enum Kind { AT, RANGE, REST, NEW_AXIS, INDICES, MASK }

    private static final int HAS_START = 1;
    private static final int HAS_STOP = 2;
    private static final int FIELDS = 5;

    private final Kind kind;
    private final int flags;
    private final long start;
    private final long stop;
    private final long step;
    private final GPUArray array;

    private Slice(Kind kind, int flags, long start, long stop, long step, GPUArray array) {
        this.kind = kind;
        this.flags = flags;
        this.start = start;
        this.stop = stop;
        this.step = step;
        this.array = array;
    }

    /** A range from {@code start} up to {@code stop}, which is excluded; negative numbers count from the end. */
    public static Slice of(long start, long stop) {
        return new Slice(Kind.RANGE, HAS_START | HAS_STOP, start, stop, 1, null);
    }

    /** A range from {@code start} to the end. */
    public static Slice from(long start) {
        return new Slice(Kind.RANGE, HAS_START, start, 0, 1, null);
    }

    /** A range from the beginning up to {@code stop}, which is excluded. */
    public static Slice until(long stop) {
        return new Slice(Kind.RANGE, HAS_STOP, 0, stop, 1, null);
    }

    /** One element; its axis is removed. */
    public static Slice at(long index) {
        return new Slice(Kind.AT, 0, index, 0, 1, null);
    }

    /**
     * The elements at these integers, for {@link GPUArray#take(Slice...)}. Several arrays broadcast; their axes replace those that they index. Negative
     * indices count from the end; out-of-range indices are clamped.
     */
    public static Slice at(GPUArray indices) {
        return new Slice(Kind.INDICES, 0, 0, 0, 1, Objects.requireNonNull(indices, "indices"));
    }

    /** The elements where {@code mask}, which indexes as many axes as it has, is not zero, for {@link GPUArray#take(Slice...)}. */
    public static Slice where(GPUArray mask) {
        return new Slice(Kind.MASK, 0, 0, 0, 1, Objects.requireNonNull(mask, "mask"));
    }

    /** A range with every {@code step}th element of this one; backwards if negative. */
    public Slice by(long step) {
        if (kind != Kind.RANGE) {
            throw new IllegalArgumentException("only a range of elements can have a step");
        }
        return new Slice(kind, flags, start, stop, step, null);
    }

    /** IllegalArgumentException unless this is a range of elements. */
    void requireRange() {
        if (kind != Kind.RANGE) {
            throw new IllegalArgumentException("expected a range of elements, not " + this);
        }
    }

    /** Start, stop and step of this range of an axis of that length, as Python cuts them. IllegalArgumentException for a step of 0. */
    long[] indices(long length) {
        if (step == 0) {
            throw new IllegalArgumentException("slice step cannot be zero");
        }
        long min = step < 0 ? -1 : 0;
        long max = step < 0 ? length - 1 : length;
        long first = (flags & HAS_START) == 0 ? (step < 0 ? max : min) : cut(start, length, min, max);
        long end = (flags & HAS_STOP) == 0 ? (step < 0 ? min : max) : cut(stop, length, min, max);
        return new long[] {first, end, step};
    }

    private static long cut(long index, long length, long min, long max) {
        return Math.max(min, Math.min(max, index < 0 ? index + length : index));
    }

    /** {@code first}, then the parts that are arrays. */
    static GPUArray[] arrays(Slice[] parts, GPUArray... first) {
        var arrays = new ArrayList<>(Arrays.asList(first));
        for (Slice part : Objects.requireNonNull(parts, "parts")) {
            if (part != null && part.array != null) {
                arrays.add(part.array);
            }
        }
        return arrays.toArray(first);
    }

    /** IllegalArgumentException for an array in an index that returns a view. */
    static Slice[] basic(Slice[] parts) {
        if (arrays(parts).length > 0) {
            throw new IllegalArgumentException("an index with arrays gives no view: use take");
        }
        return parts;
    }

    /** As the core reads them. */
    static long[] flat(Slice[] parts) {
        long[] flat = new long[Objects.requireNonNull(parts, "parts").length * FIELDS];
        for (int i = 0; i < parts.length; i++) {
            Slice part = Objects.requireNonNull(parts[i], "parts[" + i + "]");
            long[] fields = {part.kind.ordinal(), part.flags, part.start, part.stop, part.step};
            System.arraycopy(fields, 0, flat, i * FIELDS, FIELDS);
        }
        return flat;
    }

    @Override
    public String toString() {
        return switch (kind) {
            case AT -> String.valueOf(start);
            case REST -> "...";
            case NEW_AXIS -> "newaxis";
            case INDICES, MASK -> (kind == Kind.MASK ? "where" : "at") + " an array of shape " + Arrays.toString(array.shape());
            case RANGE -> ((flags & HAS_START) != 0 ? String.valueOf(start) : "") + ":" + ((flags & HAS_STOP) != 0 ? String.valueOf(stop) : "")
                + (step == 1 ? "" : ":" + step);
        };
    }
}
