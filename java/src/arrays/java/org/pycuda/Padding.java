package org.pycuda;

import java.util.Locale;
import java.util.Objects;
import java.util.stream.DoubleStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * What the new elements of a padded array are ({@link GPUArray#pad(Padding, long...)}). Each list of numbers has one for all sides, two for the
 * sides before and after every axis, or two for each axis. Immutable.
 *
 * <pre>{@code
 * var x = GPUArray.toGpu(new int[] {1, 2, 3});
 * assert x.pad(Padding.REFLECT, 2).getInts()[0] == 3;
 * assert x.pad(Padding.constant(7, 9), 0, 1).getInts()[3] == 9;
 * }</pre>
 */
public final class Padding {
    /** As the core numbers them. */
    private enum Mode { CONSTANT, EMPTY, LINEAR_RAMP, MAXIMUM, MEAN, MEDIAN, MINIMUM, EDGE, REFLECT, SYMMETRIC, WRAP }

    /** Zeros. */
    public static final Padding ZEROS = new Padding(Mode.CONSTANT, Scalars.WHOLE, 0, 0);
    /** Elements that are not initialised. */
    public static final Padding EMPTY = new Padding(Mode.EMPTY);
    /** The first or last element of an axis. */
    public static final Padding EDGE = new Padding(Mode.EDGE);
    /** The elements mirrored at the first or last one, which is not repeated. */
    public static final Padding REFLECT = new Padding(Mode.REFLECT);
    /** The elements mirrored, with the first or last one repeated. */
    public static final Padding SYMMETRIC = new Padding(Mode.SYMMETRIC);
    /** The elements from the other end of the axis. */
    public static final Padding WRAP = new Padding(Mode.WRAP);

    private final Mode mode;
    private final long[] words;

    private Padding(Mode mode, long... words) {
        this.mode = mode;
        this.words = words;
    }

    private static Padding of(Mode mode, LongStream words) {
        Padding made = new Padding(mode, words.toArray());
        if (made.words.length == 0) {
            throw new IllegalArgumentException("expected one number for all sides, or two for each axis, given none");
        }
        return made;
    }

    private static Padding statistic(Mode mode, long[] counts) {
        return new Padding(mode, Objects.requireNonNull(counts, "counts").clone());
    }

    private static LongStream reals(double[] numbers, String name) {
        return DoubleStream.of(Objects.requireNonNull(numbers, name)).boxed().flatMapToLong(number -> LongStream.of(Scalars.REAL, Scalars.bits(number), 0));
    }

    private static LongStream complexes(Complex[] numbers, String name) {
        for (int i = 0; i < Objects.requireNonNull(numbers, name).length; i++) {
            Objects.requireNonNull(numbers[i], name + "[" + i + "]");
        }
        return Stream.of(numbers).flatMapToLong(number -> LongStream.of(Scalars.COMPLEX, Scalars.bits(number.re()), Scalars.bits(number.im())));
    }

    /** Integers, which the array's type must hold. */
    public static Padding constant(long... values) {
        return of(Mode.CONSTANT, LongStream.of(Objects.requireNonNull(values, "values")).boxed().flatMapToLong(number -> LongStream.of(Scalars.WHOLE, number, 0)));
    }

    /** Integers, which the array's type must hold. */
    public static Padding constant(int... values) {
        return constant(Shapes.of(values, "values"));
    }

    /** Numbers; IllegalArgumentException for arrays of integers. */
    public static Padding constant(double... values) {
        return of(Mode.CONSTANT, reals(values, "values"));
    }

    /** Complex numbers; IllegalArgumentException for arrays that are not complex. */
    public static Padding constant(Complex... values) {
        return of(Mode.CONSTANT, complexes(values, "values"));
    }

    /** Evenly spaced numbers from one of {@code ends} at the border to the array's edge. */
    public static Padding linearRamp(double... ends) {
        return of(Mode.LINEAR_RAMP, reals(ends, "ends"));
    }

    /** The same with complex numbers; IllegalArgumentException for arrays that are not complex. */
    public static Padding linearRamp(Complex... ends) {
        return of(Mode.LINEAR_RAMP, complexes(ends, "ends"));
    }

    /** The greatest of the {@code counts} elements next to the padding, or of all elements without counts; NaN if there is one. */
    public static Padding maximum(long... counts) {
        return statistic(Mode.MAXIMUM, counts);
    }

    /** The greatest of the {@code counts} elements next to the padding, or of all elements without counts; NaN if there is one. */
    public static Padding maximum(int... counts) {
        return maximum(Shapes.of(counts, "counts"));
    }

    /** The mean of the {@code counts} elements next to the padding, or of all elements without counts; for integers rounded. */
    public static Padding mean(long... counts) {
        return statistic(Mode.MEAN, counts);
    }

    /** The mean of the {@code counts} elements next to the padding, or of all elements without counts; for integers rounded. */
    public static Padding mean(int... counts) {
        return mean(Shapes.of(counts, "counts"));
    }

    /** The median of the {@code counts} elements next to the padding, or of all elements without counts; for integers rounded. */
    public static Padding median(long... counts) {
        return statistic(Mode.MEDIAN, counts);
    }

    /** The median of the {@code counts} elements next to the padding, or of all elements without counts; for integers rounded. */
    public static Padding median(int... counts) {
        return median(Shapes.of(counts, "counts"));
    }

    /** The smallest of the {@code counts} elements next to the padding, or of all elements without counts; NaN if there is one. */
    public static Padding minimum(long... counts) {
        return statistic(Mode.MINIMUM, counts);
    }

    /** The smallest of the {@code counts} elements next to the padding, or of all elements without counts; NaN if there is one. */
    public static Padding minimum(int... counts) {
        return minimum(Shapes.of(counts, "counts"));
    }

    /** As the core reads it: the mode, the widths, and numbers. */
    long[] numbers(long[] widths) {
        LongStream head = LongStream.of(mode.ordinal(), widths.length);
        return LongStream.concat(LongStream.concat(head, LongStream.of(widths)), LongStream.of(words)).toArray();
    }

    @Override
    public String toString() {
        return "padding: " + mode.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
