package org.pycuda;

import java.util.Arrays;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * Discrete Fourier transforms of arrays of FLOAT32, FLOAT64, COMPLEX64 or COMPLEX128, as NumPy's module fft. On a GPU, cuFFT transforms
 * large arrays where it is installed. Any length works; without cuFFT powers of two are the fastest, and others take about six times as long.
 * Results are new arrays. IllegalArgumentException for other elements, and for lengths below 1.
 *
 * <p>A length is the number of elements of an axis that are transformed: longer axes are cut, shorter ones padded with zeros. -1 is the axis's own length.
 *
 * <pre>{@code
 * var signal = GPUArray.toGpu(new double[] {1, 0, 0, 0});
 * assert Fft.rfft(signal).real().sum().getDouble() == 3;
 * assert Fft.irfft(Fft.rfft(signal)).getDoubles()[0] == 1;
 * }</pre>
 */
public final class Fft extends FftProxy {
    /** Which direction divides by the length. */
    public enum Norm {
        /** The inverse transform divides by the length. */
        BACKWARD,
        /** Both directions divide by the root of the length. */
        ORTHO,
        /** The forward transform divides by the length. */
        FORWARD
    }

    // As the core's Fourier.
    static final long COMPLEX = 0;
    static final long HALF = 1;
    static final long WHOLE = 2;

    private static final long OWN = -1;

    private Fft() {}

    static GPUArray along(long kind, boolean backward, GPUArray x, long n, int axis, Norm norm) {
        if (n != OWN) {
            requireLength(n);
        }
        return over(kind, backward, false, x, new long[] {n}, new int[] {axis}, norm);
    }

    static GPUArray over(long kind, boolean backward, boolean overAxes, GPUArray x, long[] lengths, int[] axes, Norm norm) {
        Objects.requireNonNull(x, "x");
        Objects.requireNonNull(lengths, "lengths");
        Objects.requireNonNull(norm, "norm");
        LongStream head = LongStream.of(kind, CoreCalls.flag(backward), norm.ordinal(), CoreCalls.flag(overAxes));
        LongStream lists = Arrays.stream(CoreCalls.lists(lengths, Shapes.of(axes, "axes")));
        return CoreCalls.one("fourier", LongStream.concat(head, lists).toArray(), x);
    }

    static GPUArray overOwn(long kind, boolean backward, GPUArray x, int[] axes) {
        int ndim = Objects.requireNonNull(x, "x").ndim();
        int[] own = Objects.requireNonNull(axes, "axes").length == 0 ? IntStream.range(0, ndim).toArray() : axes;
        long[] lengths = new long[own.length];
        Arrays.fill(lengths, OWN);
        return over(kind, backward, true, x, lengths, own, Norm.BACKWARD);
    }

    /** The frequencies of the n elements of {@link #fft} of samples that are {@code d} apart (FLOAT64), the negative ones last. */
    public static GPUArray fftfreq(long n, double d) {
        requireLength(n);
        try (GPUArray ascending = GPUArray.arange(DType.FLOAT64, -(n / 2), n - n / 2)) {
            return ascending.mulInPlace(1 / (n * d)).roll(-(n / 2));
        }
    }

    private static void requireLength(long n) {
        if (n < 1) {
            throw new IllegalArgumentException("expected at least 1 element to transform, given " + n);
        }
    }

    /** The frequencies of the {@code n / 2 + 1} elements of {@link #rfft} of n samples that are {@code d} apart (FLOAT64). */
    public static GPUArray rfftfreq(long n, double d) {
        requireLength(n);
        return GPUArray.arange(DType.FLOAT64, 0, n / 2 + 1).mulInPlace(1 / (n * d));
    }

    /** The elements, shifted so that frequency 0 is in the middle of these axes; of all axes, if none are given. */
    public static GPUArray fftshift(GPUArray x, int... axes) {
        return shifted(x, axes, 1);
    }

    /** Undoes {@link #fftshift}. */
    public static GPUArray ifftshift(GPUArray x, int... axes) {
        return shifted(x, axes, -1);
    }

    private static GPUArray shifted(GPUArray x, int[] axes, int sign) {
        int ndim = Objects.requireNonNull(x, "x").ndim();
        int[] moved = Objects.requireNonNull(axes, "axes").length == 0 ? IntStream.range(0, ndim).toArray() : axes;
        return x.roll(Arrays.stream(moved).mapToLong(axis -> sign * (x.shape(axis) / 2)).toArray(), moved);
    }
}
