package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** What the cases of ArrayCasesTest do not cover: factors, several results, errors, streams. */
class AlgebraTest implements WithContext {
    private static final double[][] MATRIX = {{4, 1, 0.5}, {1, 3, -1}, {0.5, -1, 5}};

    private static GPUArray matrix() {
        return GPUArray.toGpu(MATRIX);
    }

    private static void assertClose(GPUArray found, double[][] expected) {
        double[][] rows = found.get(double[][].class);
        assertEquals(expected.length, rows.length);
        for (int i = 0; i < rows.length; i++) {
            assertArrayEquals(expected[i], rows[i], 1e-13);
        }
    }

    @Test
    void factorsMultiplyToTheMatrix() {
        GPUArray a = matrix();
        var qr = LinAlg.qr(a);
        assertClose(qr.q().matmul(qr.r()), MATRIX);
        var svd = LinAlg.svd(a);
        assertClose(svd.u().mul(svd.s()).matmul(svd.vh()), MATRIX);
        var eigh = LinAlg.eigh(a);
        assertClose(eigh.vectors().mul(eigh.values()).matmul(eigh.vectors().transpose()), MATRIX);
        GPUArray lower = LinAlg.cholesky(a);
        assertClose(lower.matmul(lower.transpose()), MATRIX);
        var eig = LinAlg.eig(a);
        assertEquals(DType.COMPLEX128, eig.values().dtype());
        GPUArray both = a.astype(DType.COMPLEX128).matmul(eig.vectors()).sub(eig.vectors().mul(eig.values()));
        assertTrue(both.abs().max().getDouble() < 1e-13);
        assertEquals(12, LinAlg.eigvals(a).real().sum().getDouble(), 1e-12);
    }

    @Test
    void shapesFollowTheArguments() {
        GPUArray tall = GPUArray.ones(DType.FLOAT32, 2, 5, 3);
        assertArrayEquals(new long[] {2, 5, 5}, LinAlg.qr(tall, true).q().shape());
        assertArrayEquals(new long[] {2, 5, 3}, LinAlg.qr(tall).q().shape());
        assertArrayEquals(new long[] {2, 5, 5}, LinAlg.svd(tall).u().shape());
        assertArrayEquals(new long[] {2, 5, 3}, LinAlg.svd(tall, false).u().shape());
        assertArrayEquals(new long[] {1, 1}, LinAlg.matrixRank(tall).getLongs());
        assertArrayEquals(new long[] {3, 3}, LinAlg.matrixRank(GPUArray.arange(DType.FLOAT64, 18).reshape(2, 3, 3).mulInPlace(2).addInPlace(
            GPUArray.eye(DType.FLOAT64, 3)), 1e-12).getLongs());
        assertArrayEquals(new long[] {2, 3, 5}, LinAlg.pinv(tall, 1e-3).shape());
    }

    @Test
    void powersAndNorms() {
        GPUArray a = GPUArray.toGpu(new double[][] {{1, 1}, {0, 1}});
        assertClose(LinAlg.matrixPower(a, 5), new double[][] {{1, 5}, {0, 1}});
        assertClose(LinAlg.matrixPower(a, 0), new double[][] {{1, 0}, {0, 1}});
        assertClose(LinAlg.matrixPower(a, -3), new double[][] {{1, -3}, {0, 1}});
        assertEquals(Math.sqrt(3), LinAlg.matrixNorm(a, "fro").getDouble(), 1e-15);
        assertEquals(2, LinAlg.matrixNorm(a, 1).getDouble());
        assertEquals(1, LinAlg.matrixNorm(a, Double.NEGATIVE_INFINITY).getDouble());
        assertArrayEquals(new double[] {1, Math.sqrt(2)}, LinAlg.vectorNorm(a, Axis.of(0)).getDoubles(), 1e-15);
        assertEquals(3, LinAlg.vectorNorm(a, 0, Axis.ALL).getDouble());
        assertArrayEquals(new long[] {1, 1}, LinAlg.vectorNorm(a, Double.POSITIVE_INFINITY, Axis.of(0, 1).keepDims()).shape());
        var logarithm = LinAlg.slogdet(GPUArray.toGpu(new double[][] {{0, 2}, {3, 0}}));
        assertEquals(-1, logarithm.sign().getDouble());
        assertEquals(Math.log(6), logarithm.logabsdet().getDouble(), 1e-15);
    }

    @Test
    void matricesWithoutASolutionAreRejected() {
        GPUArray ones = GPUArray.ones(DType.FLOAT64, 2, 2);
        for (UnaryOperator<GPUArray> function : List.<UnaryOperator<GPUArray>>of(LinAlg::inv, a -> LinAlg.solve(a, a), a -> LinAlg.matrixPower(a, -1))) {
            assertEquals("singular", assertThrows(LinAlg.LinAlgError.class, () -> function.apply(ones)).getMessage().replaceAll(".* ", ""));
        }
        GPUArray indefinite = GPUArray.toGpu(new double[][] {{1, 2}, {2, 1}});
        assertEquals("cholesky: the matrix is not positive definite",
            assertThrows(LinAlg.LinAlgError.class, () -> LinAlg.cholesky(indefinite)).getMessage());
        assertThrows(LinAlg.LinAlgError.class, () -> LinAlg.eig(GPUArray.ones(DType.FLOAT64, 2, 2).fill(Double.NaN)));
    }

    @Test
    void wrongArgumentsAreRejected() {
        GPUArray whole = GPUArray.ones(DType.INT32, 2, 2);
        GPUArray wide = GPUArray.ones(DType.FLOAT32, 2, 3);
        assertTrue(assertThrows(IllegalArgumentException.class, () -> LinAlg.inv(whole)).getMessage().contains("int32"));
        assertTrue(assertThrows(IllegalArgumentException.class, () -> LinAlg.det(wide)).getMessage().contains("square"));
        assertTrue(assertThrows(IllegalArgumentException.class, () -> LinAlg.qr(GPUArray.ones(DType.FLOAT32, 3))).getMessage().contains("last two axes"));
        assertThrows(IllegalArgumentException.class, () -> LinAlg.solve(wide, wide));
        assertThrows(IllegalArgumentException.class, () -> LinAlg.matrixNorm(wide, "max"));
        assertThrows(IllegalArgumentException.class, () -> LinAlg.matrixNorm(wide, 3));
        assertThrows(IllegalArgumentException.class, () -> Fft.fft(whole));
        assertThrows(IllegalArgumentException.class, () -> Fft.rfft(wide.astype(DType.COMPLEX64)));
        assertThrows(IllegalArgumentException.class, () -> Fft.fft(wide, 0, 0, Fft.Norm.BACKWARD));
        assertThrows(IllegalArgumentException.class, () -> Fft.fftn(wide, new long[] {2}, new int[] {0, 1}, Fft.Norm.BACKWARD));
        assertThrows(IndexOutOfBoundsException.class, () -> Fft.fft(wide, 2, 2, Fft.Norm.BACKWARD));
        assertThrows(IllegalArgumentException.class, () -> GPUArray.meshgrid("ji", wide));
        assertThrows(IllegalArgumentException.class, () -> GPUArray.meshgrid(wide));
        assertThrows(IllegalArgumentException.class, () -> wide.tensordot(wide, new int[] {0}, new int[] {1, 0}));
        assertThrows(IndexOutOfBoundsException.class, () -> wide.tensordot(wide, 3));
        assertEquals(List.of(), GPUArray.meshgrid());
        assertArrayEquals(new long[] {2, 3, 2, 3}, wide.tensordot(wide, 0).shape());
    }

    @Test
    void productsOfVectors() {
        GPUArray x = GPUArray.toGpu(new double[] {1, 2, 3});
        GPUArray y = GPUArray.toGpu(new double[] {-1, 0, 4});
        assertEquals(11, x.vecdot(y).getDouble());
        assertArrayEquals(new double[] {8, -7, 2}, x.cross(y).getDoubles());
        assertClose(x.outer(y), new double[][] {{-1, 0, 4}, {-2, 0, 8}, {-3, 0, 12}});
        assertEquals(12, matrix().trace().getDouble());
        assertEquals(0, matrix().trace(1).getDouble());
        GPUArray i = GPUArray.toGpu(HostData.of(new double[] {0, 1, 2, 0}).as(DType.COMPLEX128).shape(2));
        assertEquals(new Complex(5, 0), i.vecdot(i).getComplex());
        GPUArray wide = GPUArray.ones(DType.FLOAT32, 2, 3);
        for (int axis : new int[] {0, 1, -3}) {
            assertTrue(assertThrows(IllegalArgumentException.class, () -> wide.vecdot(wide, axis)).getMessage().contains("expected an axis from -2 to -1"));
            assertThrows(IllegalArgumentException.class, () -> wide.cross(wide, axis));
        }
        assertTrue(assertThrows(IllegalArgumentException.class, () -> wide.cross(wide, -2)).getMessage().contains("3 elements"));
        assertThrows(IllegalArgumentException.class, () -> wide.vecdot(GPUArray.ones(DType.FLOAT32, 2)));
        assertThrows(IllegalArgumentException.class, () -> GPUArray.ones(DType.FLOAT32).vecdot(wide));
        assertThrows(IllegalArgumentException.class, () -> wide.outer(x));
        assertThrows(IllegalArgumentException.class, () -> x.trace());
        assertTrue(assertThrows(IllegalArgumentException.class, () -> x.gt(0).astype(DType.BOOL).outer(x)).getMessage().contains("bool"));
        assertThrows(NullPointerException.class, () -> x.cross(null));
    }

    @Test
    void transformsOverAxesAndBack() {
        GPUArray a = GPUArray.arange(DType.FLOAT64, 24).reshape(2, 3, 4);
        for (GPUArray back : List.of(Fft.irfftn(Fft.rfftn(a)), Fft.ifftn(Fft.fftn(a)).real(), Fft.hfft(Fft.ihfft(a)),
            Fft.irfftn(Fft.rfftn(a, new long[] {3, 4}, new int[] {1, 2}, Fft.Norm.ORTHO), new long[] {3, 4}, new int[] {1, 2}, Fft.Norm.ORTHO))) {
            assertArrayEquals(a.getDoubles(), back.getDoubles(), 1e-12);
        }
        assertArrayEquals(new double[] {0, 0.25, 0.5, -0.5, -0.25}, Fft.fftfreq(5, 0.8).getDoubles(), 1e-15);
        assertArrayEquals(new double[] {0, 0.25, 0.5}, Fft.rfftfreq(4, 1).getDoubles());
        var odd = GPUArray.toGpu(new double[] {1, 2, 4});
        assertArrayEquals(odd.getDoubles(), Fft.irfft(Fft.rfft(odd), 3).getDoubles(), 1e-12);
        assertArrayEquals(new double[] {3, -1}, Fft.fft(odd, 2).real().getDoubles(), 1e-12);
        GPUArray line = GPUArray.arange(DType.INT32, 5);
        assertArrayEquals(new int[] {3, 4, 0, 1, 2}, Fft.fftshift(line).getInts());
        assertArrayEquals(new int[] {2, 3, 4, 0, 1}, Fft.ifftshift(line).getInts());
        assertArrayEquals(a.getDoubles(), Fft.ifftshift(Fft.fftshift(a, 0, 2), 0, 2).getDoubles());
    }

    @Test
    void resultsAreOnTheStreamOfTheFirstArray() {
        try (var stream = new Stream(); var other = new Stream()) {
            GPUArray a = matrix().on(stream);
            GPUArray b = GPUArray.toGpu(new double[] {5.5, 3, 4.5}).on(other);
            GPUArray x = LinAlg.solve(a, b);
            assertEquals(stream, x.stream());
            assertArrayEquals(new double[] {1, 1, 1}, x.getDoubles(), 1e-14);
            assertEquals(stream, Fft.fft(a).stream());
        }
    }
}
