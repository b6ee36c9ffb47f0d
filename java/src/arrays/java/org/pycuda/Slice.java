package org.pycuda;

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
    public static final Slice ALL = new Slice(Kind.RANGE, 0, 0, 0, 1);
    /** All axes that the other parts do not index, {@code ...}. */
    public static final Slice REST = new Slice(Kind.REST, 0, 0, 0, 1);
    /** A new axis of length 1. */
    public static final Slice NEW_AXIS = new Slice(Kind.NEW_AXIS, 0, 0, 0, 1);

    /** As the core numbers them. */
    private enum Kind { AT, RANGE, REST, NEW_AXIS }

    private static final int HAS_START = 1;
    private static final int HAS_STOP = 2;
    private static final int FIELDS = 5;

    private final Kind kind;
    private final int flags;
    private final long start;
    private final long stop;
    private final long step;

    private Slice(Kind kind, int flags, long start, long stop, long step) {
        this.kind = kind;
        this.flags = flags;
        this.start = start;
        this.stop = stop;
        this.step = step;
    }

    /** A range from {@code start} up to {@code stop}, which is excluded; negative numbers count from the end. */
    public static Slice of(long start, long stop) {
        return new Slice(Kind.RANGE, HAS_START | HAS_STOP, start, stop, 1);
    }

    /** A range from {@code start} to the end. */
    public static Slice from(long start) {
        return new Slice(Kind.RANGE, HAS_START, start, 0, 1);
    }

    /** A range from the beginning up to {@code stop}, which is excluded. */
    public static Slice until(long stop) {
        return new Slice(Kind.RANGE, HAS_STOP, 0, stop, 1);
    }

    /** One element; its axis is removed. */
    public static Slice at(long index) {
        return new Slice(Kind.AT, 0, index, 0, 1);
    }

    /** A range with every {@code step}th element of this one; backwards if negative. */
    public Slice by(long step) {
        if (kind != Kind.RANGE) {
            throw new IllegalArgumentException("only a range of elements can have a step");
        }
        return new Slice(kind, flags, start, stop, step);
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
        long least = step < 0 ? -1 : 0;
        long most = step < 0 ? length - 1 : length;
        long first = (flags & HAS_START) == 0 ? (step < 0 ? most : least) : cut(start, length, least, most);
        long end = (flags & HAS_STOP) == 0 ? (step < 0 ? least : most) : cut(stop, length, least, most);
        return new long[] {first, end, step};
    }

    private static long cut(long index, long length, long least, long most) {
        return Math.max(least, Math.min(most, index < 0 ? index + length : index));
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
            case RANGE -> ((flags & HAS_START) != 0 ? String.valueOf(start) : "") + ":" + ((flags & HAS_STOP) != 0 ? String.valueOf(stop) : "")
                + (step == 1 ? "" : ":" + step);
        };
    }
}
