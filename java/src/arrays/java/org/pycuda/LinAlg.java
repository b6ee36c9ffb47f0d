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
public final class LinAlg {
    private LinAlg() {}

    /** A matrix is singular, or not positive definite, or an iteration does not find its values. */
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

    private static GPUArray[] several(String name, GPUArray a, long... numbers) {
        return CoreCalls.all(name, numbers, Objects.requireNonNull(a, "a"));
    }

    private static GPUArray one(String name, GPUArray a, long... numbers) {
        return several(name, a, numbers)[0];
    }

    /** The determinants of square matrices. */
    public static GPUArray det(GPUArray a) {
        return one("det", a);
    }

    /** Signs of determinants, and logarithms of their magnitudes; of singular matrices 0 and -Infinity. */
    public static SlogDet slogdet(GPUArray a) {
        GPUArray[] made = several("slogdet", a);
        return new SlogDet(made[0], made[1]);
    }

    /** The solutions x of {@code a x = b}; {@code b} is a vector, for all matrices, or a stack of matrices. LinAlgError for a singular matrix. */
    public static GPUArray solve(GPUArray a, GPUArray b) {
        return CoreCalls.one("solve", Objects.requireNonNull(a, "a"), Objects.requireNonNull(b, "b"));
    }

    /** The inverses of square matrices. LinAlgError for a singular one. */
    public static GPUArray inv(GPUArray a) {
        return one("inv", a);
    }

    /** Powers of square matrices: the identity for 0, and powers of inverses for negative ones. LinAlgError if there is no inverse. */
    public static GPUArray matrixPower(GPUArray a, long n) {
        return one("matrix_power", a, n);
    }

    /** The lower triangular factors L with {@code a = L L^H}. The lower triangle is read. LinAlgError if that is not positive definite. */
    public static GPUArray cholesky(GPUArray a) {
        return one("cholesky", a, 0);
    }

    /** Orthonormal columns, as many as the shorter side, and upper triangular matrices, whose product is {@code a}. */
    public static QR qr(GPUArray a) {
        return qr(a, false);
    }

    /** The same; if {@code complete}, with square matrices Q. */
    public static QR qr(GPUArray a, boolean complete) {
        GPUArray[] made = several("qr", a, CoreCalls.flag(complete));
        return new QR(made[0], made[1]);
    }

    /** The singular value decomposition {@code U diag(S) V^H}, S descending, with square U and V. */
    public static SVD svd(GPUArray a) {
        return svd(a, true);
    }

    /** The same; unless {@code fullMatrices}, with as many columns of U and rows of V^H as there are singular values. */
    public static SVD svd(GPUArray a, boolean fullMatrices) {
        GPUArray[] made = several("svd", a, CoreCalls.flag(fullMatrices));
        return new SVD(made[0], made[1], made[2]);
    }

    /** The singular values, descending. */
    public static GPUArray svdvals(GPUArray a) {
        return one("svdvals", a);
    }

    /** Eigenvalues, ascending, and eigenvectors of Hermitian matrices, of which the lower triangle is read. */
    public static Eigen eigh(GPUArray a) {
        GPUArray[] made = several("eigh", a);
        return new Eigen(made[0], made[1]);
    }

    /** The eigenvalues of Hermitian matrices, ascending. */
    public static GPUArray eigvalsh(GPUArray a) {
        return one("eigvalsh", a);
    }

    /** Complex eigenvalues in any order, and eigenvectors of length 1, of square matrices. LinAlgError for NaN and infinite elements. */
    public static Eigen eig(GPUArray a) {
        GPUArray[] made = several("eig", a);
        return new Eigen(made[0], made[1]);
    }

    /** The complex eigenvalues of square matrices, in any order. LinAlgError for NaN and infinite elements. */
    public static GPUArray eigvals(GPUArray a) {
        return one("eigvals", a);
    }

    private static GPUArray within(String name, GPUArray a, double rtol) {
        Objects.requireNonNull(a, "a");
        try (GPUArray tolerance = ArrayFactory.like(a).empty(DType.FLOAT64).fill(rtol)) {
            return CoreCalls.one(name, a, tolerance);
        }
    }

    /** The pseudo-inverses. Singular values up to the longer side times the type's precision times the largest one count as 0. */
    public static GPUArray pinv(GPUArray a) {
        return one("pinv", a);
    }

    /** The same; singular values up to {@code rtol} times the largest one count as 0. */
    public static GPUArray pinv(GPUArray a, double rtol) {
        return within("pinv", a, rtol);
    }

    /** The numbers of singular values that do not count as 0 (INT64), as in {@link #pinv(GPUArray)}. */
    public static GPUArray matrixRank(GPUArray a) {
        return one("matrix_rank", a);
    }

    /** The same; singular values up to {@code rtol} times the largest one count as 0. */
    public static GPUArray matrixRank(GPUArray a, double rtol) {
        return within("matrix_rank", a, rtol);
    }

    /** The square roots of the sums of squares: the lengths of vectors along axes. */
    public static GPUArray vectorNorm(GPUArray a, Axis axis) {
        return vectorNorm(a, 2, axis);
    }

    /** The p-norms of vectors along axes: infinite p for the largest and the smallest magnitude, 0 for how many elements are not 0. */
    public static GPUArray vectorNorm(GPUArray a, double p, Axis axis) {
        int ndim = Objects.requireNonNull(a, "a").ndim();
        return one("vector_norm", a, Scalars.bits(p), Objects.requireNonNull(axis, "axis").mask(ndim), CoreCalls.flag(axis.keep));
    }

    /** Frobenius' norm of matrices, {@code "fro"}, or the sum of their singular values, {@code "nuc"}. */
    public static GPUArray matrixNorm(GPUArray a, String name) {
        Objects.requireNonNull(a, "a");
        if (!"fro".equals(Objects.requireNonNull(name, "name")) && !"nuc".equals(name)) {
            throw new IllegalArgumentException("expected the norm \"fro\" or \"nuc\", given \"" + name + "\"");
        }
        return one("named_norm", a, CoreCalls.flag("nuc".equals(name)), 0);
    }

    /**
     * A norm of matrices: for 2 and -2 the largest and the smallest singular value, for 1 and -1 the largest and the smallest sum of
     * magnitudes of a column, for infinite ones of a row.
     */
    public static GPUArray matrixNorm(GPUArray a, double p) {
        return one("matrix_norm", a, Scalars.bits(p), 0);
    }
}
