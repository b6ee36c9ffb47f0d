package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Indices that contain arrays; the results are NumPy's. */
class IndexingTest implements WithContext {
    private static GPUArray table() {
        return GPUArray.arange(DType.INT32, 24).reshape(2, 3, 4);
    }

    private static GPUArray indices(long... values) {
        return GPUArray.toGpu(values);
    }

    private static void assertTaken(long[] shape, int[] elements, GPUArray found) {
        assertArrayEquals(shape, found.shape());
        assertArrayEquals(elements, found.getInts());
    }

    @Test
    void arraysBroadcastAndReplaceTheirAxes() {
        GPUArray x = table();
        assertTaken(new long[] {2, 3}, new int[] {3, 7, 11, 12, 16, 20}, x.take(Slice.at(indices(0, 1)), Slice.ALL, Slice.at(indices(3, 0))));
        assertTaken(new long[] {2, 2}, new int[] {4, 8, 16, 20}, x.take(Slice.ALL, Slice.at(indices(1, 2)), Slice.at(indices(0))));
        assertTaken(new long[] {2, 2}, new int[] {22, 21, 18, 17}, x.take(Slice.at(-1), Slice.at(indices(2, 1).reshape(2, 1)), Slice.at(indices(-2, 1))));
        assertTaken(new long[] {2, 1, 2, 3}, new int[] {1, 5, 9, 13, 17, 21, 3, 7, 11, 15, 19, 23},
            x.transpose().take(Slice.at(indices(1, 3)), Slice.NEW_AXIS).transpose(0, 1, 3, 2));
        assertTaken(new long[] {2, 3, 1}, new int[] {3, 7, 11, 15, 19, 23}, x.take(Slice.REST, Slice.at(indices(9))));
    }

    @Test
    void masksSelectAlongTheirAxes() {
        GPUArray x = table();
        GPUArray rows = GPUArray.toGpu(new boolean[] {true, false, true});
        assertTaken(new long[] {2, 2}, new int[] {0, 8, 12, 20}, x.take(Slice.ALL, Slice.where(rows), Slice.at(0)));
        assertTaken(new long[] {2}, new int[] {9, 23}, x.take(Slice.where(x.eq(9).logicalOr(x.eq(23)))));
        GPUArray places = GPUArray.toGpu(new boolean[] {false, false, true, true, false, false}).reshape(2, 3);
        assertTaken(new long[] {2, 4}, new int[] {8, 9, 10, 11, 12, 13, 14, 15}, x.take(Slice.where(places)));
        assertThrows(IndexOutOfBoundsException.class, () -> x.take(Slice.where(rows)));
    }

    @Test
    void valuesAreBroadcastToTheElements() {
        GPUArray x = table();
        x.put(GPUArray.toGpu(new int[] {-1, -2}), Slice.ALL, Slice.at(indices(0, -1)), Slice.at(2));
        assertTaken(new long[] {2, 2}, new int[] {-1, -2, -1, -2}, x.slice(Slice.ALL, Slice.ALL.by(2), Slice.at(2)));
        assertEquals(276 - 2 - 10 - 14 - 22 - 6, x.sum().getInt());
        x.put(GPUArray.zeros(DType.INT32), Slice.where(x.gt(3)));
        assertTrue(x.max().getInt() == 3);
    }

    @Test
    void whatDoesNotFitIsRejected() {
        GPUArray x = table();
        assertThrows(IndexOutOfBoundsException.class, () -> x.take(Slice.at(indices(0, 1)), Slice.at(indices(0, 1, 2))));
        assertThrows(IndexOutOfBoundsException.class, () -> x.take(Slice.at(indices(0)), Slice.at(3)));
        assertThrows(IndexOutOfBoundsException.class, () -> x.take(Slice.ALL, Slice.ALL, Slice.ALL, Slice.at(indices(0))));
        assertThrows(IllegalArgumentException.class, () -> x.slice(Slice.at(indices(0))));
        assertThrows(IllegalArgumentException.class, () -> x.take(Slice.at(GPUArray.toGpu(new float[] {1}))));
        assertThrows(IllegalArgumentException.class, () -> x.put(GPUArray.toGpu(new int[3]), Slice.at(indices(0)), Slice.at(indices(0, 1))));
        assertThrows(IllegalArgumentException.class, () -> x.put(GPUArray.toGpu(new long[1]), Slice.at(indices(0))));
    }
}
