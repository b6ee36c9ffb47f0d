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
public final class Fft {
    /** Which direction divides. */
    public enum Norm {
        /** The inverse transform divides by the length. */
        BACKWARD,
        /** Both directions divide by the root of the length. */
        ORTHO,
        /** The forward transform divides by the length. */
        FORWARD
    }

    // As the core's Fourier.
    private static final long COMPLEX = 0;
    private static final long HALF = 1;
    private static final long WHOLE = 2;

    private static final long OWN = -1;

    private Fft() {}

    private static GPUArray along(long kind, boolean backward, GPUArray x, long n, int axis, Norm norm) {
        if (n != OWN) {
            requireLength(n);
        }
        return over(kind, backward, false, x, new long[] {n}, new int[] {axis}, norm);
    }

    private static GPUArray over(long kind, boolean backward, boolean overAxes, GPUArray x, long[] lengths, int[] axes, Norm norm) {
        Objects.requireNonNull(x, "x");
        Objects.requireNonNull(lengths, "lengths");
        Objects.requireNonNull(norm, "norm");
        LongStream head = LongStream.of(kind, CoreCalls.flag(backward), norm.ordinal(), CoreCalls.flag(overAxes));
        LongStream lists = Arrays.stream(CoreCalls.lists(lengths, Shapes.of(axes, "axes")));
        return CoreCalls.one("fourier", LongStream.concat(head, lists).toArray(), x);
    }

    private static GPUArray overOwn(long kind, boolean backward, GPUArray x, int[] axes) {
        int ndim = Objects.requireNonNull(x, "x").ndim();
        int[] own = Objects.requireNonNull(axes, "axes").length == 0 ? IntStream.range(0, ndim).toArray() : axes;
        long[] lengths = new long[own.length];
        Arrays.fill(lengths, OWN);
        return over(kind, backward, true, x, lengths, own, Norm.BACKWARD);
    }

    /** The discrete Fourier transforms along the last axis. */
    public static GPUArray fft(GPUArray x) {
        return fft(x, OWN, -1, Norm.BACKWARD);
    }

    /** The discrete Fourier transforms of length {@code n} along an axis. */
    public static GPUArray fft(GPUArray x, long n, int axis, Norm norm) {
        return along(COMPLEX, false, x, n, axis, norm);
    }

    /** The inverse discrete Fourier transforms along the last axis. */
    public static GPUArray ifft(GPUArray x) {
        return ifft(x, OWN, -1, Norm.BACKWARD);
    }

    /** The inverse discrete Fourier transforms of length {@code n} along an axis. */
    public static GPUArray ifft(GPUArray x, long n, int axis, Norm norm) {
        return along(COMPLEX, true, x, n, axis, norm);
    }

    /** The first {@code n / 2 + 1} elements of the transforms of real elements along the last axis. */
    public static GPUArray rfft(GPUArray x) {
        return rfft(x, OWN, -1, Norm.BACKWARD);
    }

    /** The first {@code n / 2 + 1} elements of the transforms of real elements of length {@code n} along an axis. */
    public static GPUArray rfft(GPUArray x, long n, int axis, Norm norm) {
        return along(HALF, false, x, n, axis, norm);
    }

    /** The real elements, {@code 2 (m - 1)} for m given ones, whose {@link #rfft} these are, along the last axis. */
    public static GPUArray irfft(GPUArray x) {
        return irfft(x, OWN, -1, Norm.BACKWARD);
    }

    /** The real elements, {@code 2 (m - 1)} for m given ones, whose {@link #rfft} these are, or {@code n} of them, along an axis. */
    public static GPUArray irfft(GPUArray x, long n, int axis, Norm norm) {
        return along(WHOLE, true, x, n, axis, norm);
    }

    /** The real transforms, {@code 2 (m - 1)} elements, of Hermitian signals, of which m elements are given, along the last axis. */
    public static GPUArray hfft(GPUArray x) {
        return hfft(x, OWN, -1, Norm.BACKWARD);
    }

    /** The real transforms, {@code 2 (m - 1)} elements, of Hermitian signals, of which m elements are given, or {@code n} of them, along an axis. */
    public static GPUArray hfft(GPUArray x, long n, int axis, Norm norm) {
        return along(WHOLE, false, x, n, axis, norm);
    }

    /** The first {@code n / 2 + 1} elements of the inverse transforms of real elements along the last axis. */
    public static GPUArray ihfft(GPUArray x) {
        return ihfft(x, OWN, -1, Norm.BACKWARD);
    }

    /** The first {@code n / 2 + 1} elements of the inverse transforms of real elements of length {@code n} along an axis. */
    public static GPUArray ihfft(GPUArray x, long n, int axis, Norm norm) {
        return along(HALF, true, x, n, axis, norm);
    }

    /** The discrete Fourier transforms over these axes; over all, if none are given. */
    public static GPUArray fftn(GPUArray x, int... axes) {
        return overOwn(COMPLEX, false, x, axes);
    }

    /** The discrete Fourier transforms over these axes, with a length for each. */
    public static GPUArray fftn(GPUArray x, long[] lengths, int[] axes, Norm norm) {
        return over(COMPLEX, false, true, x, lengths, axes, norm);
    }

    /** The inverse discrete Fourier transforms over these axes; over all, if none are given. */
    public static GPUArray ifftn(GPUArray x, int... axes) {
        return overOwn(COMPLEX, true, x, axes);
    }

    /** The inverse discrete Fourier transforms over these axes, with a length for each. */
    public static GPUArray ifftn(GPUArray x, long[] lengths, int[] axes, Norm norm) {
        return over(COMPLEX, true, true, x, lengths, axes, norm);
    }

    /** The transforms of real elements, along the last axis only the first half as of {@link #rfft}, over these axes; over all, if none are given. */
    public static GPUArray rfftn(GPUArray x, int... axes) {
        return overOwn(HALF, false, x, axes);
    }

    /** The transforms of real elements, along the last axis only the first half as of {@link #rfft}, over these axes, with a length for each. */
    public static GPUArray rfftn(GPUArray x, long[] lengths, int[] axes, Norm norm) {
        return over(HALF, false, true, x, lengths, axes, norm);
    }

    /** The real elements whose {@link #rfftn} these are, over these axes; over all, if none are given. */
    public static GPUArray irfftn(GPUArray x, int... axes) {
        return overOwn(WHOLE, true, x, axes);
    }

    /** The real elements whose {@link #rfftn} these are, over these axes, with a length for each. */
    public static GPUArray irfftn(GPUArray x, long[] lengths, int[] axes, Norm norm) {
        return over(WHOLE, true, true, x, lengths, axes, norm);
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

    /** The elements with that of frequency 0 in the middle of these axes; of all, if none are given. */
    public static GPUArray fftshift(GPUArray x, int... axes) {
        return shifted(x, axes, 1);
    }

    /** The elements as they were before {@link #fftshift}. */
    public static GPUArray ifftshift(GPUArray x, int... axes) {
        return shifted(x, axes, -1);
    }

    private static GPUArray shifted(GPUArray x, int[] axes, int sign) {
        int ndim = Objects.requireNonNull(x, "x").ndim();
        int[] moved = Objects.requireNonNull(axes, "axes").length == 0 ? IntStream.range(0, ndim).toArray() : axes;
        return x.roll(Arrays.stream(moved).mapToLong(axis -> sign * (x.shape(axis) / 2)).toArray(), moved);
    }
}
