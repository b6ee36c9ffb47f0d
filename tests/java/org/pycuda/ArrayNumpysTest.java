package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.pycuda.DType.COMPLEX128;
import static org.pycuda.DType.COMPLEX64;
import static org.pycuda.DType.FLOAT32;
import static org.pycuda.DType.FLOAT64;
import static org.pycuda.DType.INT32;
import static org.pycuda.DType.INT64;
import static org.pycuda.DType.UINT8;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Padding, histograms, comparisons, Einstein sums, splits, and functions without NaN: what ArrayCasesTest does not compare with NumPy. */
class ArrayNumpysTest implements WithContext {
    private static final double NAN = Double.NaN;

    private static GPUArray ints(int... values) {
        return GPUArray.toGpu(values);
    }

    private static GPUArray doubles(double... values) {
        return GPUArray.toGpu(values);
    }

    private static void refused(Executable... calls) {
        for (Executable call : calls) {
            assertThrows(IllegalArgumentException.class, call);
        }
    }

    @Test
    void productsOfInfiniteComplexNumbersAndPowersOfOne() {
        double infinity = Double.POSITIVE_INFINITY;
        assertArrayEquals(new double[] {Double.NaN, infinity}, doubles(2, infinity).view(COMPLEX128).prod().getDoubles());
        assertArrayEquals(new double[] {Double.NaN, infinity}, doubles(2, infinity).view(COMPLEX128).nanprod().getDoubles());
        assertArrayEquals(new double[] {0, 2}, doubles(1, 1, 1, 1).view(COMPLEX128).prod().getDoubles());
        var x = doubles(3, 7.1, 0.3);
        assertArrayEquals(x.getDoubles(), x.pow(1).getDoubles());
        assertArrayEquals(new double[] {Math.sqrt(3), Math.sqrt(7.1), Math.sqrt(0.3)}, x.pow(0.5).getDoubles());
        assertArrayEquals(new double[] {1 / 3.0, 1 / 7.1, 1 / 0.3}, x.pow(doubles(-1, -1, -1)).getDoubles());
    }

    @Test
    void pads() {
        var x = ints(1, 2, 3);
        assertArrayEquals(new int[] {0, 1, 2, 3, 0}, x.pad(1).getInts());
        assertArrayEquals(new int[] {7, 7, 1, 2, 3, 9}, x.pad(Padding.constant(7, 9), 2, 1).getInts());
        assertArrayEquals(new int[] {3, 2, 1, 2, 3}, x.pad(Padding.REFLECT, 2, 0).getInts());
        assertArrayEquals(new int[] {1, 2, 3, 1}, x.pad(Padding.WRAP, new int[] {0, 1}).getInts());
        assertArrayEquals(new int[] {2, 1, 2, 3}, x.pad(Padding.mean(), 1, 0).getInts());
        assertArrayEquals(new int[] {1, 2, 3, 2}, x.pad(Padding.minimum(2), 0, 1).getInts());
        assertArrayEquals(new double[] {0, 0.5, 1, 2}, doubles(1, 2).pad(Padding.linearRamp(0.0), 2, 0).getDoubles());
        var z = GPUArray.ones(COMPLEX64, 1).pad(Padding.constant(new Complex(1, 2)), 0, 1);
        assertArrayEquals(new float[] {1, 0, 1, 2}, z.getFloats());
        assertArrayEquals(new long[] {4, 6}, GPUArray.zeros(FLOAT32, 2, 3).pad(Padding.EMPTY, 1, 1, 1, 2).shape());
        assertArrayEquals(new int[] {0, 1, 0}, ints(9, 1, 9).slice(1, 2).pad(1).getInts());
        assertEquals("padding: linear ramp", Padding.linearRamp(1).toString());
        var pairs = GPUArray.zeros(Vec.FLOAT2, 2);
        assertEquals(Vec.FLOAT2, pairs.pad(Padding.EDGE, 1).dtype());
        refused(() -> pairs.pad(1), () -> pairs.pad(Padding.mean(), 1));
    }

    @Test
    void padsArraysWithoutElementsOrAxes() {
        var none = GPUArray.zeros(INT32, 0, 2);
        assertArrayEquals(new int[] {5, 5, 5, 5}, none.pad(Padding.constant(5), 1, 1, 0, 0).getInts());
        assertArrayEquals(new long[] {0, 4}, none.pad(Padding.EDGE, 0, 0, 1, 1).shape());
        refused(() -> none.pad(Padding.EDGE, 1), () -> none.pad(Padding.WRAP, 1, 0, 0, 0), () -> none.pad(Padding.mean(), 1), () -> none.pad(Padding.linearRamp(0), 1));
        var one = GPUArray.ones(INT32);
        assertEquals(1, one.pad(3).getInt());
        assertEquals(1, one.pad(Padding.REFLECT).getInt());
        refused(() -> one.pad(-1), () -> one.pad(1, 2, 3));
        var copy = one.pad(Padding.WRAP, 1);
        copy.fill(7);
        assertEquals(1, one.getInt());
    }

    @Test
    void refusesPaddingThatDoesNotFit() {
        var x = ints(1, 2, 3);
        refused(() -> x.pad(-1), () -> x.pad(0, -1), () -> x.pad(1, 2, 3), () -> x.pad(Padding.REFLECT, new long[0]), () -> x.pad(Padding.mean(0), 1),
            () -> x.pad(Padding.mean(-5), 1), () -> x.pad(Padding.constant(1, 2, 3), 1), () -> x.pad(Padding.constant(0.5), 1), () -> x.pad(Padding.constant(1L << 40), 1),
            () -> x.pad(Padding.constant(new Complex(1, 0)), 1), () -> x.pad(Padding.linearRamp(new Complex(1, 0)), 1), () -> x.pad(Long.MAX_VALUE),
            () -> x.pad(Padding.EDGE, Long.MAX_VALUE / 2, Long.MAX_VALUE / 2 + 9), () -> x.pad(Padding.WRAP, 1L << 61),
            () -> Padding.constant(new long[0]), () -> Padding.linearRamp(new double[0]));
        assertArrayEquals(new byte[] {-1, 1}, ints(1).astype(UINT8).pad(Padding.constant(-1), 1, 0).getBytes());
        assertThrows(NullPointerException.class, () -> Padding.constant(new Complex(1, 0), null));
        long[] counts = {1};
        var min = Padding.minimum(counts);
        counts[0] = -1;
        assertArrayEquals(new int[] {1, 2, 3, 3}, x.pad(min, 0, 1).getInts());
    }

    @Test
    void countsElementsInBins() {
        var x = doubles(0, 1, 1, 4);
        Histogram found = x.histogram(2);
        assertArrayEquals(new long[] {3, 1}, found.counts().getLongs());
        assertArrayEquals(new double[] {0, 2, 4}, found.edges().getDoubles());
        assertArrayEquals(new double[] {0.75 / 2, 0.25 / 2}, x.histogram(2, true).counts().getDoubles());
        assertArrayEquals(new long[] {0, 3}, x.histogram(2, -1.0, 1.0).counts().getLongs());
        var edges = ints(0, 1, 4);
        Histogram given = x.histogram(edges, doubles(1, 10, 100, 1000));
        assertSame(edges, given.edges());
        assertArrayEquals(new double[] {1, 1110}, given.counts().getDoubles());
        assertArrayEquals(new double[] {-0.5, 0.5}, GPUArray.zeros(INT32, 3).histogramBinEdges(1).getDoubles());
        assertArrayEquals(new double[] {0, 0.5, 1}, GPUArray.zeros(INT64, 0).histogramBinEdges(2).getDoubles());
        assertArrayEquals(new long[] {0, 0}, GPUArray.zeros(FLOAT32, 0).histogram(2).counts().getLongs());
        assertEquals(FLOAT32, GPUArray.zeros(FLOAT32, 2).histogramBinEdges(2, 0, 1).dtype());
        assertEquals(0, x.histogram(doubles(3)).counts().size());
    }

    @Test
    void refusesWrongBins() {
        var x = doubles(0, 1, 1, 4);
        refused(() -> x.histogram(0), () -> x.histogram(-3), () -> x.histogram(Long.MAX_VALUE), () -> x.histogram(1L << 61, 0, 1), () -> x.histogram(2, 1, 0),
            () -> x.histogram(2, 0, Double.POSITIVE_INFINITY), () -> x.histogram(2, NAN, 1), () -> doubles(1, NAN).histogram(2), () -> x.histogram(doubles(1, 0)),
            () -> x.histogram(doubles(0, NAN, 1)), () -> x.histogram(GPUArray.zeros(FLOAT64, 2, 2)), () -> x.histogram(GPUArray.zeros(FLOAT64, 0)),
            () -> x.histogram(doubles(0, 1), doubles(1)), () -> GPUArray.zeros(COMPLEX64, 2).histogram(2), () -> GPUArray.zeros(COMPLEX64, 2).histogram(2, 0, 1),
            () -> GPUArray.zeros(Vec.FLOAT2, 2).histogram(2), () -> x.histogram(GPUArray.zeros(Vec.FLOAT2, 2)));
    }

    @Test
    void comparesWholeArrays() {
        var x = doubles(1, NAN, Double.POSITIVE_INFINITY);
        assertFalse(x.allclose(x));
        assertTrue(x.allclose(x, 0, 0, true));
        assertTrue(x.arrayEqual(x, true));
        assertFalse(x.arrayEqual(x));
        assertFalse(x.arrayEqual(x.reshape(3, 1), true));
        assertTrue(ints(1, 2).allclose(doubles(1 + 1e-9, 2)));
        assertFalse(ints(1, 2).allclose(doubles(1.1, 2)));
        assertTrue(ints(1, 2).allclose(doubles(1.1, 2), 0, 0.2));
        assertTrue(GPUArray.zeros(FLOAT32, 0).allclose(ints(1)));
        var large = GPUArray.toGpu(new long[] {1L << 60});
        assertFalse(large.arrayEqual(large.add(1), true));
        assertTrue(large.allclose(large.add(1)));
        refused(() -> ints(1, 2).isclose(ints(1, 2, 3)), () -> x.isclose(GPUArray.zeros(Vec.FLOAT2, 3)), () -> GPUArray.zeros(Vec.FLOAT2, 3).arrayEqual(GPUArray.zeros(Vec.FLOAT2, 3)));
    }

    @Test
    void ignoresNan() {
        var x = GPUArray.toGpu(new double[][] {{1, NAN, 3}, {NAN, NAN, NAN}});
        assertArrayEquals(new double[] {4, 0}, x.nansum(Axis.of(1)).getDoubles());
        assertEquals(4, x.nansum(INT64).getLong());
        assertEquals(3, x.nanprod().getDouble());
        assertArrayEquals(new double[] {1, NAN}, x.nanmin(Axis.of(1)).getDoubles());
        assertEquals(3, x.nanmax().getDouble());
        assertArrayEquals(new double[] {2, NAN}, x.nanmean(Axis.of(-1)).getDoubles());
        assertEquals(2f, x.nanmean(Axis.ALL, FLOAT32).getFloat());
        assertEquals(2, x.nanmean().getDouble());
        assertEquals(1, x.nanstd().getDouble());
        assertEquals(2, x.nanvar(Axis.ALL, 1).getDouble());
        assertEquals(0, x.nanargmin().getLong());
        assertEquals(2, x.nanargmax().getLong());
        assertArrayEquals(new double[] {1, 1, 4, 0, 0, 0}, x.nancumsum(1).getDoubles());
        assertArrayEquals(new double[] {1, 1, 3, 1, 1, 3}, x.nancumprod(1).slice(Slice.of(0, 1)).tile(2, 1).getDoubles());
        assertEquals(2.5, ints(2, 3).nanmean().getDouble());
        assertEquals(NAN, GPUArray.zeros(FLOAT64, 0).nanmean().getDouble());
        refused(() -> x.nanargmin(Axis.of(1)), () -> GPUArray.zeros(FLOAT32, 0).nanargmax(), () -> GPUArray.zeros(FLOAT64, 0).nanmax(), () -> GPUArray.zeros(COMPLEX64, 1).nanargmax(),
            () -> GPUArray.zeros(COMPLEX64, 1).nanmax(), () -> GPUArray.zeros(Vec.FLOAT2, 1).nansum(), () -> GPUArray.zeros(Vec.FLOAT2, 1).nanmean());
        for (Executable call : List.<Executable>of(() -> x.nansum(Axis.of(2)), () -> x.nanmean(Axis.of(-3)), () -> x.nancumsum(2), () -> x.nanstd(Axis.of(2)))) {
            assertThrows(IndexOutOfBoundsException.class, call);
        }
    }

    @Test
    void sumsProductsBySubscripts() {
        var a = GPUArray.arange(FLOAT32, 6).reshape(2, 3);
        var b = GPUArray.arange(FLOAT32, 6).reshape(3, 2);
        assertArrayEquals(a.matmul(b).getFloats(), GPUArray.einsum("ij,jk->ik", a, b).getFloats());
        assertEquals(FLOAT64, GPUArray.einsum("ij->", FLOAT64, a).dtype());
        assertArrayEquals(new float[] {3, 12}, GPUArray.einsum("ij,j,k->i", a, GPUArray.ones(FLOAT32, 3), GPUArray.ones(FLOAT32, 1)).getFloats());
        refused(() -> GPUArray.einsum("ij"), () -> GPUArray.einsum("", a), () -> GPUArray.einsum("ij,jk", a), () -> GPUArray.einsum("i", a), () -> GPUArray.einsum("ij->k", a),
            () -> GPUArray.einsum("ij->ii", a), () -> GPUArray.einsum("ij,kj", a, b), () -> GPUArray.einsum("i.j", a), () -> GPUArray.einsum("i\u0161", a),
            () -> GPUArray.einsum("\uD83D\uDE00", a), () -> GPUArray.einsum("i", GPUArray.zeros(Vec.FLOAT2, 1)), () -> GPUArray.einsum("i->i->i", ints(1)));
        assertThrows(NullPointerException.class, () -> GPUArray.einsum("ij,jk", a, null));
        var tall = GPUArray.zeros(FLOAT32, 1, 1).broadcastTo(1L << 40, 1);
        refused(() -> GPUArray.einsum("ij,ij->", tall, tall.transpose()));
        assertThrows(Driver.MemoryError.class, () -> GPUArray.einsum("ij,kj->ik", tall, tall));
        var many = new GPUArray[33];
        Arrays.fill(many, GPUArray.ones(FLOAT32, 1));
        String letters = "abcdefghijklmnopqrstuvwxyzABCDEFG";
        refused(() -> GPUArray.einsum(String.join(",", letters.split("")), many));
    }

    /** A sum that computes nothing is a copy: closing it, or its operand, leaves the other as it is. */
    @Test
    void resultsOwnTheirMemory() {
        var a = GPUArray.arange(FLOAT32, 4).reshape(2, 2);
        var turned = GPUArray.einsum("ij->ji", a);
        assertNull(turned.base());
        turned.close();
        assertArrayEquals(new float[] {0, 1, 2, 3}, a.getFloats());
        var diagonal = GPUArray.einsum("ii->i", a.slice(Slice.ALL, Slice.ALL));
        var spread = GPUArray.einsum("i,j->i", a.at(0), GPUArray.ones(FLOAT32, 1));
        a.close();
        assertArrayEquals(new float[] {0, 3}, diagonal.getFloats());
        assertArrayEquals(new float[] {0, 1}, spread.getFloats());
    }

    @Test
    void splitsIntoViews() {
        var x = GPUArray.arange(INT32, 12).reshape(4, 3).copy();
        List<GPUArray> rows = x.split(2);
        rows.get(1).fill(0);
        assertEquals(0, x.at(3, 2).getInt());
        assertSame(x, rows.get(0).base());
        List<Long> lengths = new ArrayList<>();
        x.arraySplit(3).forEach(part -> lengths.add(part.length()));
        assertEquals(List.of(2L, 1L, 1L), lengths);
        assertArrayEquals(new long[] {4, 1}, x.hsplit(3).get(2).shape());
        assertArrayEquals(new long[] {3, 3}, x.vsplit(new long[] {1}).get(1).shape());
        assertArrayEquals(new long[] {4, 3, 1}, GPUArray.zeros(INT32, 4, 3, 2).dsplit(2).get(1).shape());
        assertEquals(2, ints(1, 2).hsplit(2).size());
        assertEquals(3, x.split(new long[] {1, 9}, -1).size());
        assertEquals(0, x.split(new long[] {1, 9}, -1).get(2).size());
        assertEquals(5, ints(1).arraySplit(5).size());
        refused(() -> x.split(3), () -> x.split(0), () -> x.arraySplit(-1), () -> x.arraySplit(Long.MAX_VALUE), () -> ints(1).vsplit(1), () -> x.dsplit(1),
            () -> GPUArray.zeros(INT32).hsplit(1));
        assertThrows(IndexOutOfBoundsException.class, () -> x.split(1, 2));
        assertThrows(IndexOutOfBoundsException.class, () -> x.arraySplit(new long[] {1}, -3));
        assertThrows(UnsupportedOperationException.class, () -> rows.remove(0));
    }

    @Test
    void stacks() {
        var one = ints(1, 2);
        var two = ints(3, 4);
        assertArrayEquals(new int[] {1, 2, 3, 4}, GPUArray.hstack(one, two).getInts());
        assertArrayEquals(new long[] {2, 2}, GPUArray.vstack(List.of(one, two)).shape());
        assertArrayEquals(new long[] {1, 2, 2}, GPUArray.dstack(one, two).shape());
        assertArrayEquals(new int[] {1, 3, 2, 4}, GPUArray.columnStack(one, two).getInts());
        var numbers = GPUArray.hstack(GPUArray.ones(INT32), GPUArray.zeros(INT32));
        assertArrayEquals(new int[] {1, 0}, numbers.getInts());
        refused(() -> GPUArray.hstack(), () -> GPUArray.vstack(List.of()), () -> GPUArray.vstack(one, ints(1)), () -> GPUArray.hstack(one, GPUArray.zeros(Vec.FLOAT2, 2)));
        assertThrows(NullPointerException.class, () -> GPUArray.dstack(one, null));
    }

    @Test
    void closedArraysAreRefused() {
        var closed = doubles(1, 2);
        closed.close();
        var x = doubles(1, 2);
        for (Executable call : List.<Executable>of(() -> closed.pad(1), () -> closed.pad(Padding.EDGE, 1), () -> closed.histogram(2), () -> x.histogram(closed), () -> x.histogram(x, closed),
            () -> closed.isclose(x), () -> x.allclose(closed), () -> x.arrayEqual(closed), closed::nansum, closed::nanmean, closed::nanargmax, () -> closed.nancumsum(0),
            () -> closed.split(1), () -> closed.hsplit(1), () -> GPUArray.hstack(x, closed), () -> GPUArray.einsum("i,i", x, closed), () -> GPUArray.einsum("i->i", closed))) {
            var error = assertThrows(Driver.LogicError.class, call);
            assertTrue(error.getMessage().contains("closed"), error.getMessage());
        }
    }

    private static long pooled() throws InterruptedException {
        Devices.collectGarbage();
        DeviceMemoryPool.ofCurrentContext().freeHeld();
        return MemoryReport.now().objects().getOrDefault("pooled memory", 0L);
    }

    /** Failed calls free what they have made. */
    @Test
    void failuresLeaveNothing() throws InterruptedException {
        var x = doubles(0, 1, 1, 4);
        var closed = doubles(1, 2);
        closed.close();
        List<Executable> calls = List.of(() -> x.histogram(doubles(1, 0)), () -> x.histogram(doubles(0, 1), doubles(1)), () -> GPUArray.einsum("i,j->k", x, x),
            () -> x.pad(Padding.constant(new Complex(1, 0)), 1), () -> x.pad(Padding.mean(0), 1), () -> GPUArray.hstack(x, closed), () -> doubles(NAN).nanargmin());
        for (Executable call : calls) {
            try (var scope = new ArrayScope()) {
                assertThrows(RuntimeException.class, call);
            }
        }
        long before = pooled();
        for (Executable call : calls) {
            try (var scope = new ArrayScope()) {
                assertThrows(RuntimeException.class, call);
            }
        }
        assertEquals(before, pooled());
    }

    @Test
    void scopesCloseResults() {
        var x = doubles(0, 1, 1, 4);
        Histogram found;
        GPUArray padded;
        try (var scope = new ArrayScope()) {
            found = x.histogram(2);
            padded = scope.keep(x.pad(1));
            assertTrue(x.allclose(x));
        }
        assertThrows(Driver.LogicError.class, found.counts()::size);
        assertThrows(Driver.LogicError.class, found.edges()::size);
        assertEquals(6, padded.size());
    }

    @Test
    void anotherContextIsRefused() {
        var x = doubles(1, 2, 3, 4);
        try (var other = new Device(0).makeContext()) {
            for (Executable call : List.<Executable>of(() -> x.pad(1), () -> x.pad(Padding.WRAP, 1), () -> x.histogram(2), () -> x.allclose(x), x::nansum, x::nanmean,
                () -> GPUArray.einsum("i,i", x, x), () -> GPUArray.vstack(x, x))) {
                assertThrows(Driver.LogicError.class, call);
            }
        }
        assertEquals(10, x.nansum().getDouble());
    }
}
