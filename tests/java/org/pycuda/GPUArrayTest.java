package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.pycuda.DType.BOOL;
import static org.pycuda.DType.COMPLEX64;
import static org.pycuda.DType.FLOAT16;
import static org.pycuda.DType.FLOAT32;
import static org.pycuda.DType.FLOAT64;
import static org.pycuda.DType.INT32;
import static org.pycuda.DType.INT64;
import static org.pycuda.DType.UINT16;
import static org.pycuda.DType.UINT32;
import static org.pycuda.DType.UINT8;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

class GPUArrayTest implements WithContext {
    private static final float[] SIX = {0, 1, 2, 3, 4, 5};

    @Test
    void createsArrays() {
        assertArrayEquals(new float[6], GPUArray.zeros(FLOAT32, 2, 3).getFloats());
        assertArrayEquals(new long[] {1, 1}, GPUArray.ones(INT64, 2).getLongs());
        assertArrayEquals(new int[] {1, 3, 5}, GPUArray.arange(INT32, 1, 7, 2).getInts());
        assertArrayEquals(new int[] {5, 3, 1}, GPUArray.arange(INT32, 5, 0, -2).getInts());
        assertArrayEquals(new long[] {5}, GPUArray.arange(INT64, 5, 0, Long.MIN_VALUE).getLongs());
        assertEquals(0, GPUArray.arange(INT64, Long.MAX_VALUE, Long.MIN_VALUE, 1).size());
        assertThrows(IllegalArgumentException.class, () -> GPUArray.arange(INT64, Long.MIN_VALUE, 1));
        assertThrows(IllegalArgumentException.class, () -> GPUArray.arange(INT64, Long.MAX_VALUE, -2, -1));
        assertArrayEquals(new double[] {0, 0.5, 1}, GPUArray.arange(FLOAT64, 0.0, 1.5, 0.5).getDoubles());
        assertArrayEquals(new double[] {0, 1, 2}, GPUArray.arange(FLOAT64, 2.5).getDoubles());
        assertArrayEquals(new double[] {0.5, 1.5}, GPUArray.arange(FLOAT64, 0.5, 2.5).getDoubles());
        var like = GPUArray.zerosLike(GPUArray.toGpu(HostData.of(SIX).shape(2, 3)).transpose());
        assertArrayEquals(new long[] {3, 2}, like.shape());
        assertTrue(like.isFContiguous());
        assertEquals(0, GPUArray.empty(FLOAT32, 0, 5).getFloats().length);
        assertEquals(0, GPUArray.empty(FLOAT32, 0).pointer());
    }

    @Test
    void everyKindOfHostDataSurvivesARoundTrip() {
        assertArrayEquals(new byte[] {1, -2}, GPUArray.toGpu(new byte[] {1, -2}).getBytes());
        assertArrayEquals(new short[] {1, -2}, GPUArray.toGpu(new short[] {1, -2}).getShorts());
        assertArrayEquals(new char[] {1, 65535}, GPUArray.toGpu(new char[] {1, 65535}).getChars());
        assertArrayEquals(new boolean[] {true, false}, GPUArray.toGpu(new boolean[] {true, false}).getBooleans());
        assertEquals(UINT16, GPUArray.toGpu(new char[1]).dtype());
        assertEquals(BOOL, GPUArray.toGpu(new boolean[1]).dtype());
        var complex = GPUArray.toGpu(HostData.of(new float[] {1, 2, 3, 4}).as(COMPLEX64));
        assertEquals(2, complex.size());
        assertArrayEquals(new float[] {1, 2, 3, 4}, complex.getFloats());
        assertEquals(UINT32, GPUArray.toGpu(HostData.of(new int[] {-1}).as(UINT32)).dtype());
        var bytes = ByteBuffer.allocateDirect(8).order(ByteOrder.nativeOrder()).putInt(0, 7).putInt(4, 8);
        assertArrayEquals(new int[] {7, 8}, GPUArray.toGpu(HostData.of(bytes).as(INT32).shape(2)).getInts());
        assertThrows(IllegalArgumentException.class, () -> GPUArray.toGpu(HostData.of(SIX).as(INT32)));
        assertThrows(IllegalArgumentException.class, () -> GPUArray.toGpu(HostData.of(SIX).shape(4, 2)));
        assertThrows(IllegalArgumentException.class, () -> GPUArray.toGpu(SIX).getInts());
    }

    @Test
    void reportsItsShapeAndType() {
        var a = GPUArray.toGpu(HostData.of(SIX).shape(2, 3));
        assertArrayEquals(new long[] {2, 3}, a.shape());
        assertArrayEquals(new long[] {12, 4}, a.strides());
        assertEquals(3, a.shape(-1));
        assertEquals(6, a.size());
        assertEquals(24, a.nbytes());
        assertEquals(2, a.length());
        assertTrue(a.isCContiguous() && !a.isFContiguous() && a.isContiguous());
        assertNull(a.base());
        assertEquals("[[0. 1. 2.]\n [3. 4. 5.]]", a.toString());
        assertThrows(IndexOutOfBoundsException.class, () -> a.shape(2));
        assertThrows(Driver.LogicError.class, () -> GPUArray.zeros(FLOAT32).length());
    }

    @Test
    void viewsShareTheMemory() {
        var a = GPUArray.toGpu(HostData.of(SIX).shape(2, 3));
        assertArrayEquals(new float[] {0, 3, 1, 4, 2, 5}, a.transpose().getFloats());
        assertArrayEquals(new float[] {1, 4}, a.slice(Slice.ALL, Slice.at(1)).getFloats());
        assertArrayEquals(new float[] {5, 4, 3}, a.at(1).slice(Slice.ALL.by(-1)).getFloats());
        assertArrayEquals(new float[] {2, 5}, a.slice(Slice.REST, Slice.at(-1)).getFloats());
        assertArrayEquals(new long[] {1, 2, 3}, a.slice(Slice.NEW_AXIS).shape());
        assertArrayEquals(new long[] {3, 2}, a.reshape(-1, 2).shape());
        assertArrayEquals(SIX, a.transpose().reshape(Order.F, 6).getFloats());
        assertThrows(Driver.LogicError.class, () -> a.reshape(Order.F, 6));
        assertArrayEquals(new long[] {2, 2, 3}, a.broadcastTo(2, 2, 3).shape());
        assertArrayEquals(new float[] {5, 4, 3, 2, 1, 0}, a.reverse().getFloats());
        assertEquals(12, a.view(UINT16).size());
        a.at(0).fill(9);
        assertArrayEquals(new float[] {9, 9, 9, 3, 4, 5}, a.getFloats());
        a.slice(1, 2).set(GPUArray.toGpu(new float[] {7}));
        assertArrayEquals(new float[] {9, 9, 9, 7, 7, 7}, a.getFloats());
        a.slice(Slice.ALL, Slice.of(0, 2)).set(new float[] {1, 2, 3, 4});
        assertArrayEquals(new float[] {1, 2, 9, 3, 4, 7}, a.getFloats());
        assertSame(a, a.slice(0, 1).at(0).base());
        assertThrows(IndexOutOfBoundsException.class, () -> a.at(2));
        assertThrows(IllegalArgumentException.class, () -> a.reshape(4, 2));
        assertThrows(Driver.LogicError.class, () -> a.transpose().ravel());
        assertThrows(IllegalArgumentException.class, () -> a.broadcastTo(2, 2, 3).fill(1));
    }

    @Test
    void computesElementByElement() {
        var a = GPUArray.toGpu(new float[] {1, 2, 3, 4});
        var b = GPUArray.toGpu(new float[] {10, 20, 30, 40});
        assertArrayEquals(new float[] {11, 22, 33, 44}, a.add(b).getFloats());
        assertArrayEquals(new float[] {12, 24, 36, 48}, a.mul(2).add(b).getFloats());
        assertArrayEquals(new float[] {1, 0.5f, 1 / 3f, 0.25f}, a.rdiv(1).getFloats(), 1e-6f);
        assertArrayEquals(new float[] {12, 24, 36, 48}, a.mulAdd(2, b, 1).getFloats());
        assertArrayEquals(new float[] {1, 4, 9, 16}, a.pow(2).getFloats(), 1e-5f);
        assertArrayEquals(new float[] {-1, -2, -3, -4}, a.neg().getFloats());
        assertSame(a, a.addInPlace(1.5));
        assertArrayEquals(new float[] {2.5f, 3.5f, 4.5f, 5.5f}, a.getFloats());
        assertEquals(FLOAT32, a.mul(2.0).dtype());
        assertEquals(FLOAT64, GPUArray.toGpu(new int[] {1}).mul(2.5).dtype());
        assertArrayEquals(new int[] {3, -3}, GPUArray.toGpu(new int[] {7, -7}).div(2).getInts());
        var grid = GPUArray.toGpu(HostData.of(SIX).shape(2, 3)).add(GPUArray.toGpu(HostData.of(new float[] {10, 20}).shape(2, 1)));
        assertArrayEquals(new float[] {10, 11, 12, 23, 24, 25}, grid.getFloats());
        assertArrayEquals(new float[] {2, 3}, GPUArray.toGpu(HostData.of(new float[] {1, 1}).as(COMPLEX64)).add(new Complex(1, 2)).getFloats());
    }

    @Test
    void outOfRangeNumbersAreRejected() {
        var bytes = GPUArray.zeros(UINT8, 3);
        assertThrows(IllegalArgumentException.class, () -> bytes.add(300));
        assertArrayEquals(new byte[] {-1, -1, -1}, bytes.add(-1).getBytes());
        assertThrows(IllegalArgumentException.class, () -> bytes.fill(2.5));
        assertThrows(IllegalArgumentException.class, () -> GPUArray.zeros(FLOAT32, 1).add(1e300));
        var narrow = assertThrows(IllegalArgumentException.class, () -> GPUArray.zeros(INT32, 2).addInPlace(0.5));
        assertTrue(narrow.getMessage().contains("astype"), narrow.getMessage());
        assertThrows(IllegalArgumentException.class, () -> GPUArray.zeros(FLOAT32, 2).add(GPUArray.zeros(FLOAT32, 3)));
    }

    @Test
    void comparisonsReturnNumericMasks() {
        var a = GPUArray.toGpu(new int[] {1, 2, 3});
        assertArrayEquals(new int[] {1, 1, 0}, a.lt(2.5).getInts());
        assertArrayEquals(new int[] {0, 1, 0}, a.eq(2).getInts());
        var unsigned = GPUArray.toGpu(HostData.of(new byte[] {-1, 5}).as(UINT8));  // compared by value: none is below 0 or above 300
        assertArrayEquals(new byte[] {1, 1}, unsigned.gt(-1).getBytes());
        assertArrayEquals(new byte[] {0, 0}, unsigned.eq(-1).getBytes());
        assertArrayEquals(new byte[] {1, 1}, unsigned.lt(300).getBytes());
        assertArrayEquals(new float[] {0, 2, 3}, GPUArray.toGpu(new float[] {1, 2, 3}).ge(2).mul(GPUArray.toGpu(new float[] {1, 2, 3})).getFloats());
        assertArrayEquals(new boolean[] {true, false}, GPUArray.toGpu(new int[] {1, 0}).logicalAnd(GPUArray.toGpu(new int[] {5, 5})).getBooleans());
        assertArrayEquals(new int[] {1, 7, 7}, GPUArray.where(a.lt(2), a, GPUArray.toGpu(new int[] {7, 7, 7})).getInts());
        assertArrayEquals(new float[] {1, 2}, GPUArray.toGpu(new float[] {1, Float.NaN}).minimum(GPUArray.toGpu(new float[] {3, 2})).getFloats());
    }

    /** As in Python, where the tables are: what has no result is an error. */
    @Test
    void refusesWhatHasNoResult() {
        var nothing = GPUArray.zeros(FLOAT32, 0, 2);
        assertThrows(IllegalArgumentException.class, nothing::min);
        assertThrows(IllegalArgumentException.class, () -> nothing.max(Axis.of(0)));
        assertEquals(0, nothing.max(Axis.of(1)).size());
        var integers = GPUArray.toGpu(new int[] {1, 2});
        for (int k = 0; k < 2; k++) { // also after the kernel is known
            assertThrows(IllegalArgumentException.class, () -> integers.pow(-1));
            assertArrayEquals(new int[] {1, 4}, integers.pow(2).getInts());
        }
        assertArrayEquals(new double[] {1, 0.5}, integers.pow(-1.0).getDoubles());
        assertThrows(IllegalArgumentException.class, () -> GPUArray.toGpu(HostData.of(SIX).shape(2, 3)).transpose().view(UINT8));
        assertThrows(IllegalArgumentException.class, () -> GPUArray.toGpu(new double[] {-1e308, 1e308}).histogram(2));
    }

    @Test
    void addsBoolsAsBools() {
        var yes = GPUArray.toGpu(new boolean[] {true, false});
        assertArrayEquals(new boolean[] {true, false}, yes.add(yes).getBooleans());
    }

    @Test
    void reduces() {
        var a = GPUArray.toGpu(HostData.of(SIX).shape(2, 3));
        assertEquals(15, a.sum().getFloat());
        assertEquals(0, a.sum().ndim());
        assertArrayEquals(new float[] {3, 5, 7}, a.sum(Axis.of(0)).getFloats());
        assertArrayEquals(new long[] {2, 1}, a.sum(Axis.of(-1).keepDims()).shape());
        assertEquals(5, a.max().getFloat());
        assertEquals(0, a.min().getFloat());
        assertEquals(55, a.dot(a).getFloat());
        assertEquals(5, a.argmax().getLong());
        assertEquals(2.5, a.mean().getDouble());
        assertEquals(FLOAT64, a.sum(FLOAT64).dtype());
        assertEquals(256, GPUArray.ones(UINT8, 256).sum(INT64).getLong());
        assertTrue(a.any().getBoolean());
        assertFalse(a.all().getBoolean());
        assertEquals(0, GPUArray.empty(FLOAT32, 0).sum().getFloat());
        assertThrows(IndexOutOfBoundsException.class, () -> a.sum(Axis.of(2)));
        assertThrows(IllegalArgumentException.class, () -> a.sum(Axis.of(0, -2)));
        assertThrows(IllegalArgumentException.class, () -> GPUArray.empty(FLOAT32, 0).argmax());
        assertThrows(IllegalArgumentException.class, () -> GPUArray.empty(FLOAT32, 2, 0).argmin(Axis.of(1)));
        assertEquals(0, GPUArray.empty(FLOAT32, 0, 2).argmin(Axis.of(1)).size());
        assertArrayEquals(new float[] {9, 17, 29}, a.dot(a, Axis.of(0)).getFloats());
        var dots = a.dot(a.at(0), Axis.of(1).keepDims(), FLOAT64);
        assertArrayEquals(new double[] {5, 14}, dots.getDoubles());
        assertArrayEquals(new long[] {2, 1}, dots.shape());
        assertArrayEquals(new float[] {5, 14}, a.at(0).dot(a, Axis.of(1)).getFloats());
        assertThrows(NullPointerException.class, () -> a.dot(a, (Axis) null));
    }

    @Test
    void overlappingOperandsAreReadBeforeTheyAreWritten() {
        var a = GPUArray.toGpu(SIX);
        a.slice(1, 6).addInPlace(a.slice(0, 5));
        assertArrayEquals(new float[] {0, 1, 3, 5, 7, 9}, a.getFloats());
        a.set(a.slice(Slice.ALL.by(-1)));
        assertArrayEquals(new float[] {9, 7, 5, 3, 1, 0}, a.getFloats());
    }

    @Test
    void joinsArrays() {
        var a = GPUArray.toGpu(HostData.of(SIX).shape(2, 3));
        assertArrayEquals(new long[] {4, 3}, GPUArray.concatenate(a, a).shape());
        assertArrayEquals(new float[] {0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5}, GPUArray.concatenate(java.util.List.of(a, a), -1).getFloats());
        assertArrayEquals(new long[] {2, 2, 3}, GPUArray.stack(a, a).shape());
        assertEquals(FLOAT64, GPUArray.concatenate(GPUArray.zeros(FLOAT32, 1), GPUArray.zeros(INT32, 1)).dtype());
        assertThrows(IllegalArgumentException.class, () -> GPUArray.concatenate(a, a.at(0)));
    }

    @Test
    void scalarsOnlyWidenTypes() {
        assertEquals(new Complex(1, -2), GPUArray.toGpu(HostData.of(new float[] {1, -2}).as(COMPLEX64)).getComplex());
        assertEquals(1.5, GPUArray.toGpu(new float[] {1.5f}).astype(FLOAT16).getDouble());
        assertEquals(4294967295L, GPUArray.toGpu(HostData.of(new int[] {-1}).as(UINT32)).getLong());
        assertThrows(IllegalArgumentException.class, () -> GPUArray.toGpu(HostData.of(new int[] {-1}).as(UINT32)).getInt());
        assertThrows(IllegalArgumentException.class, () -> GPUArray.zeros(INT32, 2).getInt());
    }

    @Test
    void mathematicalFunctions() {
        var a = GPUArray.toGpu(new float[] {0, 1, 4});
        assertArrayEquals(new float[] {0, 1, 2}, CuMath.sqrt(a).getFloats());
        assertSame(a, CuMath.sqrt(a, a));
        assertArrayEquals(new float[] {0, 1, 2}, a.getFloats());
        var parts = CuMath.modf(GPUArray.toGpu(new double[] {2.5, -1.25}));
        assertArrayEquals(new double[] {0.5, -0.25}, parts.fractional().getDoubles());
        assertArrayEquals(new double[] {2, -1}, parts.integral().getDoubles());
        var refused = assertThrows(IllegalArgumentException.class, () -> CuMath.sin(GPUArray.zeros(INT32, 1)));
        assertTrue(refused.getMessage().contains("astype"), refused.getMessage());
    }

    @Test
    void resultsAreBoundToTheStream() {
        try (var stream = new Stream(StreamFlags.NON_BLOCKING); var other = new Stream(StreamFlags.NON_BLOCKING)) {
            assertSame(stream, GPUArray.factory().on(stream).toGpu(SIX).stream());
            var a = GPUArray.factory().on(stream).ones(FLOAT32, 1000);
            var b = GPUArray.factory().on(other).ones(FLOAT32, 1000);
            var sum = a.add(b).mul(2);
            assertSame(stream, sum.stream());
            assertEquals(4000, sum.sum().getFloat());
            assertSame(other, sum.on(other).add(1).stream());
            assertEquals(5000, sum.on(other).add(1).sum().getFloat());
        }
    }

    @Test
    void arraysOutliveTheirStream() {
        GPUArray a;
        try (var stream = new Stream()) {
            a = GPUArray.factory().on(stream).ones(FLOAT32, 3);
            stream.synchronize();
        }
        var error = assertThrows(Driver.LogicError.class, () -> a.add(1));
        assertTrue(error.getMessage().contains("on(Stream.DEFAULT)"), error.getMessage());
        assertArrayEquals(new float[] {2, 2, 2}, a.on(Stream.DEFAULT).add(1).getFloats());
    }

    @Test
    void arraysAreAcceptedAsKernelArguments() {
        try (var values = GPUArray.zeros(INT32, 4)) {
            Kernels.get("fill").launch(Driver.block(4), values, 6, 3);
            assertArrayEquals(new int[] {6, 6, 6, 0}, values.getInts());
            assertArrayEquals(new int[] {6, 6}, GPUArray.wrap(values, INT32, 2).getInts());
        }
    }

    /** The driver may return the same address for the next allocation. */
    @Test
    void wrappedMemoryThatIsClosedIsUnusable() {
        var memory = Driver.memAlloc(12);
        var array = GPUArray.wrap(memory, FLOAT32, 3).fill(1);
        var tail = array.slice(1, 3);
        var further = GPUArray.wrap(memory.plus(4), FLOAT32, 2);
        memory.close();
        for (GPUArray one : new GPUArray[] {array, tail, further}) {
            assertThrows(Driver.LogicError.class, () -> one.add(1));
            assertThrows(Driver.LogicError.class, one::getFloats);
            assertThrows(Driver.LogicError.class, () -> GPUArray.zeros(FLOAT32, one.shape()).addInPlace(one));
        }
    }

    @Test
    void closedArraysAndTheirViewsAreUnusable() {
        var a = GPUArray.toGpu(SIX);
        var part = a.slice(1, 3);
        part.close();
        assertThrows(Driver.LogicError.class, part::getFloats);
        var rest = a.slice(3, 6);
        a.close();
        a.close();
        assertThrows(Driver.LogicError.class, a::getFloats);
        assertThrows(Driver.LogicError.class, () -> rest.add(1));
        assertArrayEquals(new long[] {3}, rest.shape());
    }

    @Test
    void aScopeClosesArraysItDoesNotKeep() {
        GPUArray kept;
        GPUArray dropped;
        try (var scope = new ArrayScope()) {
            dropped = GPUArray.toGpu(SIX);
            kept = scope.keep(dropped.mul(2).add(1));
        }
        assertArrayEquals(new float[] {1, 3, 5, 7, 9, 11}, kept.getFloats());
        assertThrows(Driver.LogicError.class, dropped::getFloats);
    }

    @Test
    void arraysOfAnotherContextAreRejected() {
        var a = GPUArray.toGpu(SIX);
        try (var context = new Device(0).makeContext()) {
            assertThrows(Driver.LogicError.class, () -> a.add(1));
            assertArrayEquals(new long[] {6}, a.shape());
        }
        assertEquals(15, a.sum().getFloat());
    }
}
