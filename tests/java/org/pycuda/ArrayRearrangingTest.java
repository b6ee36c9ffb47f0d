package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.pycuda.DType.BOOL;
import static org.pycuda.DType.FLOAT32;
import static org.pycuda.DType.FLOAT64;
import static org.pycuda.DType.INT32;
import static org.pycuda.DType.INT64;
import static org.pycuda.DType.UINT8;

import java.util.List;
import org.junit.jupiter.api.Test;

class ArrayRearrangingTest implements WithContext {
    private static GPUArray ints(int... values) {
        return GPUArray.toGpu(values);
    }

    @Test
    void sorts() {
        var a = GPUArray.toGpu(HostData.of(new float[] {3, Float.NaN, -1, 2, 0, 9}).shape(2, 3));
        assertArrayEquals(new float[] {-1, 3, Float.NaN, 0, 2, 9}, a.sort().getFloats());
        assertArrayEquals(new float[] {2, 0, -1, 3, Float.NaN, 9}, a.sort(0).getFloats());
        assertArrayEquals(new long[] {2, 0, 1, 1, 0, 2}, a.argsort().getLongs());
        assertArrayEquals(new long[] {1, 1, 0, 0, 0, 1}, a.argsort(-2).getLongs());
        assertArrayEquals(new float[] {2, 0, -1, 3, Float.NaN, 9}, a.transpose().sort().transpose().getFloats());
        assertArrayEquals(new int[] {30, 10, 20}, ints(10, 20, 30).sort(ints(2, 7, 1)).getInts());
        assertArrayEquals(new int[] {-5, 1, 7}, ints(7, -5, 1, 7, -5).unique().getInts());
        assertEquals(0, GPUArray.empty(INT32, 0).unique().size());
        assertEquals(0, GPUArray.empty(INT32, 0).sort().size());
        assertThrows(IndexOutOfBoundsException.class, () -> a.sort(2));
        assertThrows(IllegalArgumentException.class, () -> a.sort(a));
        var complex = GPUArray.toGpu(new double[] {2, 1, 1, 5, 1, -3}).view(DType.COMPLEX128);
        assertArrayEquals(new double[] {1, -3, 1, 5, 2, 1}, complex.sort().view(DType.FLOAT64).getDoubles());
        assertArrayEquals(new long[] {2, 1, 0}, complex.argsort().getLongs());
    }

    @Test
    void selectsByMasks() {
        var a = ints(0, 5, 0, -7, 9, 0).reshape(2, 3);
        assertArrayEquals(new long[] {1, 3, 4}, a.ravel().nonzero().getLongs());
        assertThrows(IllegalArgumentException.class, a::nonzero);
        var mask = GPUArray.toGpu(HostData.of(new boolean[] {true, false, false, true, false, true}).shape(2, 3));
        assertArrayEquals(new int[] {0, -7, 0}, a.select(mask).getInts());
        assertArrayEquals(new int[] {5, 9}, a.transpose().select(a.gt(0).transpose()).getInts());
        assertEquals(0, a.select(GPUArray.zeros(BOOL, 2, 3)).size());
        assertSame(a, a.setWhere(mask, ints(1, 2, 3)));
        assertArrayEquals(new int[] {1, 5, 0, 2, 9, 3}, a.getInts());
        a.transpose().setWhere(mask.transpose(), ints(10, 20, 30));  // a strided array, in its own order
        assertArrayEquals(new int[] {10, 5, 0, 20, 9, 30}, a.getInts());
        a.setWhere(mask, ints(-1));
        assertArrayEquals(new int[] {-1, 5, 0, -1, 9, -1}, a.getInts());
        assertArrayEquals(new int[] {7, 5, 0, 7, 9, 7}, a.fillWhere(mask, 7).getInts());
        assertThrows(IllegalArgumentException.class, () -> a.fillWhere(mask, 0.5));
        assertThrows(IllegalArgumentException.class, () -> a.setWhere(mask, ints(1, 2)));
        assertThrows(IllegalArgumentException.class, () -> a.setWhere(mask, GPUArray.zeros(FLOAT32, 3)));
        assertThrows(IllegalArgumentException.class, () -> a.select(mask.ravel()));
        assertArrayEquals(new int[] {7, 5, 0, 7, 9, 7}, a.getInts());
    }

    @Test
    void multipliesMatrices() {
        var a = GPUArray.arange(FLOAT32, 6).reshape(2, 3);
        var b = GPUArray.arange(FLOAT32, 12).reshape(3, 4);
        assertArrayEquals(new float[] {20, 23, 26, 29, 56, 68, 80, 92}, a.matmul(b).getFloats());
        assertArrayEquals(new float[] {20, 23, 26, 29, 56, 68, 80, 92}, b.transpose().matmul(a.transpose()).transpose().getFloats());
        var v = GPUArray.toGpu(new float[] {1, 0, 2});
        assertArrayEquals(new float[] {4, 13}, a.matmul(v).getFloats());
        assertArrayEquals(new long[] {4}, v.matmul(b).shape());
        assertArrayEquals(new float[] {16, 19, 22, 25}, v.matmul(b).getFloats());
        assertEquals(5, v.matmul(v).getFloat());
        var out = GPUArray.zeros(FLOAT64, 2, 4);
        assertSame(out, a.matmul(b.astype(FLOAT64), out));
        assertEquals(92, out.at(1, 3).getDouble());
        assertThrows(IllegalArgumentException.class, () -> a.matmul(b, out));
        assertThrows(IllegalArgumentException.class, () -> a.matmul(a));
        assertThrows(IllegalArgumentException.class, () -> a.matmul(a.at(0, 0)));
        assertArrayEquals(new float[8], GPUArray.empty(FLOAT32, 2, 0).matmul(GPUArray.empty(FLOAT32, 0, 4)).getFloats());
    }

    @Test
    void takesAndPutsByIndex() {
        var a = ints(10, 11, 12, 13);
        assertArrayEquals(new int[] {13, 10, 13, 10}, a.take(ints(-1, 0, 100, -100)).getInts());
        var first = List.of(a, ints(20, 21, 22, 23));
        var moved = GPUArray.multiTakePut(first, ints(1, 0), ints(3, 2), 2);
        assertArrayEquals(new int[] {12, 13}, moved.get(0).getInts());
        assertArrayEquals(new int[] {22, 23}, moved.get(1).getInts());
        GPUArray.multiTakePutInto(moved, first, ints(0), ints(0), new long[] {1, 2});
        assertArrayEquals(new int[] {11, 13}, moved.get(0).getInts());
        assertArrayEquals(new int[] {22, 23}, moved.get(1).getInts());
        assertArrayEquals(new int[] {13, 12, 11, 10}, GPUArray.multiPut(List.of(a), ints(3, 2, 1, 0), 4).get(0).getInts());
        assertThrows(IllegalArgumentException.class, () -> GPUArray.multiPut(List.of(a), ints(1), 4));
        assertThrows(IllegalArgumentException.class, () -> GPUArray.multiPutInto(List.of(), List.of(a), ints(3, 2, 1, 0)));
        assertArrayEquals(new int[] {13, 12, 11, 10}, a.take(ints(3, 2, 1, 0), a).getInts());  // the output is the operand
        var grid = ints(0, 1, 2, 3, 4, 5).reshape(2, 3);
        grid.transpose().put(ints(1, 5), ints(-1, -5));  // indices in the transposed order
        assertArrayEquals(new int[] {0, 1, 2, -1, 4, -5}, grid.getInts());
    }

    @Test
    void reducesSubsets() {
        var a = GPUArray.toGpu(new float[] {1, 2, 3, 4});
        var places = ints(1, 3);
        assertEquals(6, a.subsetSum(places).getFloat());
        assertEquals(FLOAT64, a.subsetSum(places, FLOAT64).dtype());
        assertEquals(20, a.subsetDot(places, a).getFloat());
        assertEquals(20, a.subsetDot(places, a, FLOAT64).getDouble());
        assertEquals(2, a.subsetMin(places).getFloat());
        assertEquals(4, a.subsetMax(places).getFloat());
    }

    @Test
    void clips() {
        assertArrayEquals(new int[] {0, 5, 10}, ints(-3, 5, 30).clip(0, 10).getInts());
        assertArrayEquals(new float[] {0.5f, 2}, GPUArray.toGpu(new float[] {0, 3}).clip(0.5, 2.0).getFloats());
        assertArrayEquals(new int[] {1, 5, 30}, ints(-3, 5, 30).clip(ints(1), ints(0, 9, 40)).maximum(1).getInts());
        assertThrows(IllegalArgumentException.class, () -> GPUArray.zeros(UINT8, 2).clip(0, 300));
    }

    @Test
    void selectsIntoGivenArrays() {
        var out = GPUArray.zeros(INT32, 3);
        assertSame(out, GPUArray.where(ints(1, 0, 1), ints(1, 2, 3), ints(4, 5, 6), out));
        assertArrayEquals(new int[] {1, 5, 3}, out.getInts());
        assertArrayEquals(new int[] {4, 5, 3}, GPUArray.ifPositive(ints(-1, 0, 1), ints(1, 2, 3), ints(4, 5, 6), out).getInts());
        assertArrayEquals(new int[] {5, 7, 9}, ints(1, 2, 3).mulAdd(1, ints(4, 5, 6), 1, out).getInts());
        assertArrayEquals(new int[] {5, 6, 6}, out.minimum(6).getInts());
        assertArrayEquals(new boolean[] {false, true}, ints(0, 2).logicalAnd(3).getBooleans());
        assertArrayEquals(new int[] {7, 7, 9}, out.maximum(7, GPUArray.zeros(INT32, 3)).getInts());
        assertArrayEquals(new long[] {1, 3, 6}, GPUArray.arange(INT64, 1, 4).cumsum().getLongs());
    }

    @Test
    void quotientsAndRemainders() {
        var a = ints(7, -7, 2);
        var parts = a.divmod(3);
        assertArrayEquals(new int[] {2, -3, 0}, parts.quotient().getInts());
        assertArrayEquals(new int[] {1, 2, 2}, parts.remainder().getInts());
        assertArrayEquals(new int[] {2, -4, 2}, a.divmod(ints(3, 2, 1)).quotient().getInts());
        assertArrayEquals(new int[] {3, -3, 10}, a.rfloorDiv(21).getInts());
        assertArrayEquals(new double[] {1, 1, 2}, a.divmod(2.0).remainder().add(GPUArray.toGpu(new double[] {0, 0, 2})).getDoubles());
        assertThrows(IllegalArgumentException.class, () -> GPUArray.toGpu(new float[] {1}).and(1));
    }

    @Test
    void flatCopiesAreInCOrder() {
        var a = ints(0, 1, 2, 3, 4, 5).reshape(2, 3);
        var flat = a.transpose().flatten();
        assertArrayEquals(new int[] {0, 3, 1, 4, 2, 5}, flat.getInts());
        assertArrayEquals(new int[] {1}, a.transpose().take(ints(2)).getInts());
        a.fill(9);
        assertEquals(0, flat.at(0).getInt());
        assertArrayEquals(new long[] {0}, GPUArray.zeros(INT32, 0, 3).flatten().shape());
    }

    @Test
    void operandsStreamsAreJoined() {
        try (var one = new Stream(StreamFlags.NON_BLOCKING); var two = new Stream(StreamFlags.NON_BLOCKING)) {
            var a = GPUArray.arange(INT32, 1000).on(one);
            var mask = GPUArray.factory().on(two).arange(INT32, 1000).ge(998);
            assertArrayEquals(new int[] {998, 999}, a.select(mask).getInts());
            assertArrayEquals(new int[] {999, 998}, a.mul(-1).sort().neg().slice(0, 2).getInts());
        }
    }
}
