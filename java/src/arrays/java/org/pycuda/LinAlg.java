package org.pycuda;

import java.io.Serial;
import java.util.Objects;

/**
 * Linear algebra of the matrices in the last two axes of arrays of FLOAT32, FLOAT64, COMPLEX64 or COMPLEX128, as NumPy's module linalg. On
 * a GPU, cuSOLVER decomposes large matrices if it is installed; otherwise a thread block decomposes a matrix, and a stack of matrices is
 * one launch. Results are new arrays on the stream of the first argument. IllegalArgumentException for other elements, and for shapes that
 * do not fit.
 *
 * <pre>{@code
 * var a = GPUArray.toGpu(new double[][] {{4, 2}, {2, 3}});
 * assert Math.abs(LinAlg.det(a).getDouble() - 8) < 1e-14;
 * var x = LinAlg.solve(a, GPUArray.toGpu(new double[] {8, 8}));
 * assert Math.abs(x.getDoubles()[1] - 2) < 1e-14;
 * }</pre>
 */
public final class LinAlg extends LinAlgProxy {
    private LinAlg() {}

    /** A matrix is singular or not positive definite, or an iteration does not converge. */
    public static class LinAlgError extends IllegalArgumentException {
        @Serial private static final long serialVersionUID = 1;

        /** Creates the exception with this message. */
        public LinAlgError(String message) {
            super(message);
        }
    }

    /** The result of {@link #slogdet}: signs of determinants, and logarithms of their magnitudes. */
    public record SlogDet(GPUArray sign, GPUArray logabsdet) {}

    /** The result of {@link #qr}: orthonormal columns, and upper triangular matrices. */
    public record QR(GPUArray q, GPUArray r) {}

    /** The result of {@link #svd}: orthonormal columns, singular values, and orthonormal rows. */
    public record SVD(GPUArray u, GPUArray s, GPUArray vh) {}

    /** The result of {@link #eig} and {@link #eigh}: eigenvalues, and eigenvectors as columns. */
    public record Eigen(GPUArray values, GPUArray vectors) {}

    static GPUArray within(String name, GPUArray a, double rtol) {
        Objects.requireNonNull(a, "a");
        try (GPUArray tolerance = ArrayFactory.like(a).empty(DType.FLOAT64).fill(rtol)) {
            return CoreCalls.one(name, a, tolerance);
        }
    }

    /** Frobenius' norm of matrices, {@code "fro"}, or the sum of their singular values, {@code "nuc"}. */
    public static GPUArray matrixNorm(GPUArray a, String name) {
        Objects.requireNonNull(a, "a");
        if (!"fro".equals(Objects.requireNonNull(name, "name")) && !"nuc".equals(name)) {
            throw new IllegalArgumentException("expected the norm \"fro\" or \"nuc\", given \"" + name + "\"");
        }
        return CoreCalls.one("named_norm", new long[] {CoreCalls.flag("nuc".equals(name)), 0}, a);
    }

}
