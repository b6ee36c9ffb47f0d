package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.pycuda.DType.COMPLEX64;
import static org.pycuda.DType.FLOAT32;
import static org.pycuda.DType.FLOAT64;
import static org.pycuda.DType.INT32;
import static org.pycuda.DType.INT64;

import java.util.List;
import org.junit.jupiter.api.Test;

class ArrayKernelsTest implements WithContext {
    private static final ElementwiseKernel SAXPY = new ElementwiseKernel("float a, const float *x, float *y", "y[i] = a * x[i] + y[i]");

    @Test
    void elementwiseKernelsCompute() {
        var x = GPUArray.toGpu(new float[] {1, 2, 3, 4});
        var y = GPUArray.toGpu(new float[] {10, 20, 30, 40});
        SAXPY.call(2, x, y);
        assertArrayEquals(new float[] {12, 24, 36, 48}, y.getFloats());
        SAXPY.range(1, 3).call(0.5, x, y);
        assertArrayEquals(new float[] {12, 25, 37.5f, 48}, y.getFloats());
        SAXPY.range(3, -1, -3).call(1, x, y);
        assertArrayEquals(new float[] {13, 25, 37.5f, 52}, y.getFloats());
        try (var stream = new Stream(StreamFlags.NON_BLOCKING)) {
            SAXPY.on(stream).call(1, x, y.on(stream));
            assertArrayEquals(new float[] {14, 27, 40.5f, 56}, y.on(stream).getFloats());
        }
        SAXPY.call(1, GPUArray.empty(FLOAT32, 0), GPUArray.empty(FLOAT32, 0));
    }

    @Test
    void elementwiseKernelsConvertNumbersToParameterTypes() {
        var kernel = new ElementwiseKernel("double *z, unsigned char b, long long l, pycuda::complex<float> c, bool flag",
            "z[i] = flag ? double(b + l) + c.imag() : double(c.real())", new KernelOptions().name("numbers"));
        var z = GPUArray.zeros(FLOAT64, 2);
        kernel.call(z, 255, 1L << 40, new Complex(1, 2), true);
        assertEquals((1L << 40) + 257, z.at(0).getDouble());
        kernel.call(z, -1, 0, 7, false);
        assertEquals(7, z.at(1).getDouble());
        assertThrows(IllegalArgumentException.class, () -> kernel.call(z, 256, 0, 0, true));
        assertThrows(IllegalArgumentException.class, () -> kernel.call(z, 1.5, 0, 0, true));
        assertThrows(IllegalArgumentException.class, () -> kernel.call(z, 1, 0, 0));
        var wrong = assertThrows(IllegalArgumentException.class, () -> SAXPY.call(1, z, z));
        assertTrue(wrong.getMessage().startsWith("argument 1 of 'kernel', counted from 0, x: expected elements of FLOAT32"), wrong.getMessage());
        assertThrows(IllegalArgumentException.class, () -> SAXPY.call(1, GPUArray.zeros(FLOAT32, 4).slice(0, 4, 2), z));
        assertThrows(Driver.CompileError.class, () -> new ElementwiseKernel("float *x", "x[i] = nonsense").call(GPUArray.zeros(FLOAT32, 1)));
        assertThrows(IllegalArgumentException.class, () -> new ElementwiseKernel("float x", "x"));
    }

    @Test
    void arraysOfOneShapeMustHaveTheSameOrder() {
        var rows = GPUArray.ones(FLOAT32, 2, 3);
        var columns = GPUArray.factory().order(Order.F).zeros(FLOAT32, 2, 3);
        var error = assertThrows(IllegalArgumentException.class, () -> SAXPY.call(1, rows, columns));
        assertTrue(error.getMessage().contains("y: expected the order of axes"), error.getMessage());
        var sum = new ReductionKernel(FLOAT32, "0", "a + b", "x[i] * y[i]", "const float *x, const float *y");
        assertThrows(IllegalArgumentException.class, () -> sum.call(rows, columns));
        SAXPY.call(1, rows.transpose(), GPUArray.factory().order(Order.F).zeros(FLOAT32, 3, 2));
        SAXPY.call(1, rows, columns.transpose());  // of another shape: matching up the elements is up to the program
        SAXPY.call(1, GPUArray.ones(FLOAT32, 1, 3), GPUArray.factory().order(Order.F).ones(FLOAT32, 1, 3));
    }

    @Test
    void invalidSourcesAreRejectedImmediately() {
        assertThrows(Driver.CompileError.class, () -> new ReductionKernel(FLOAT32, "0", "nonsense(a)"));
        assertThrows(Driver.CompileError.class, () -> new InclusiveScanKernel(FLOAT32, "nonsense(a)"));
        assertThrows(Driver.CompileError.class, () -> new GenericScanKernel(INT32, "int *x", "x[i]", "a + b", "0", "nonsense(item)"));
    }

    @Test
    void argumentsMayHaveAnyName() {
        var x = GPUArray.ones(FLOAT32, 5000);
        for (String name : List.of("out", "acc", "tid", "first", "n0", "s")) {
            assertEquals(10000, new ReductionKernel(FLOAT32, "0", "a + b", "vector[i] * " + name, "const float *vector, float " + name).call(x, 2).getFloat());
        }
        var scan = new GenericScanKernel(INT32, "const int *n, int *scratch", "n[i]", "a + b", "0", "scratch[i] = item + N");
        var result = GPUArray.zeros(INT32, 3);
        scan.call(GPUArray.ones(INT32, 3), result);
        assertArrayEquals(new int[] {4, 5, 6}, result.getInts());
    }

    @Test
    void kernelsAreCompiledForEachContext() {
        var x = GPUArray.ones(FLOAT32, 3);
        SAXPY.call(1, x, x);
        try (var context = new Device(0).makeContext()) {
            var y = GPUArray.ones(FLOAT32, 3);
            SAXPY.call(1, y, y);
            assertArrayEquals(new float[] {2, 2, 2}, y.getFloats());
        }
        SAXPY.call(1, x, x);
        assertArrayEquals(new float[] {4, 4, 4}, x.getFloats());
    }

    @Test
    void reductionKernelsReduce() {
        var dot = new ReductionKernel(FLOAT64, "0", "a + b", "(double) x[i] * y[i]", "const float *x, const float *y");
        int n = 1_000_000;
        var x = GPUArray.ones(FLOAT32, n);
        assertEquals(2.0 * n, dot.call(x, x.mul(2)).getDouble());
        assertEquals(0, dot.call(GPUArray.empty(FLOAT32, 0), GPUArray.empty(FLOAT32, 0)).getDouble());
        var largest = new ReductionKernel(INT32, "-1", "a > b ? a : b");
        assertEquals(6, largest.call(GPUArray.toGpu(new int[] {3, 6, 2})).getInt());
        var out = GPUArray.zeros(INT32, 2);
        assertSame(out, largest.out(out).call(GPUArray.toGpu(new int[] {3, 6, 2})));
        assertArrayEquals(new int[] {6, 0}, out.getInts());
        assertThrows(IllegalArgumentException.class, () -> largest.out(GPUArray.zeros(FLOAT32, 1)));
    }

    @Test
    void arraysThatAreTooShortAreRejected() {
        var x = GPUArray.ones(INT32, 1000);
        var y = GPUArray.ones(INT32, 10);
        var dot = new ReductionKernel(INT32, "0", "a + b", "x[i] * y[i]", "const int *x, const int *y");
        assertThrows(IllegalArgumentException.class, () -> dot.call(x, y));
        assertEquals(10, dot.call(y, x).getInt());
        var guarded = new ReductionKernel(INT32, "0", "a + b", "i < m ? x[i] * y[i] : 0", "const int *x, const int *y, int m");
        assertEquals(10, guarded.call(x, y, 10).getInt());
        var scan = new GenericScanKernel(INT32, "const int *x, int *out", "x[i]", "a + b", "0", "out[i] = item");
        assertThrows(IllegalArgumentException.class, () -> scan.call(x, y));
        scan.call(y, x);
        assertEquals(10, x.at(9).getInt());
    }

    @Test
    void runningSumsAndIndices() {
        var a = GPUArray.toGpu(HostData.of(new int[] {1, 2, 3, 4, 5, 6}).shape(2, 3));
        assertArrayEquals(new int[] {1, 3, 6, 10, 15, 21}, a.cumsum().getInts());
        assertArrayEquals(new int[] {1, 2, 3, 5, 7, 9}, a.cumsum(0).getInts());
        assertArrayEquals(new int[] {1, 2, 6, 4, 20, 120}, a.cumprod(-1).getInts());
        assertArrayEquals(new int[] {1, 5, 7, 12, 15, 21}, a.transpose().cumsum().getInts());
        var indices = GPUArray.toGpu(new long[] {5, 0, -1});
        assertArrayEquals(new int[] {6, 1, 6}, a.take(indices).getInts());
        assertArrayEquals(new int[] {6, 1, 6}, GPUArray.multiTake(List.of(a, a), indices).get(1).getInts());
        a.put(GPUArray.toGpu(new int[] {1, 3}), GPUArray.toGpu(new int[] {20, 40}));
        assertArrayEquals(new int[] {1, 20, 3, 40, 5, 6}, a.getInts());
        assertThrows(IndexOutOfBoundsException.class, () -> a.cumsum(2));
        assertEquals(INT64, GPUArray.zeros(INT64, 3).cumsum().dtype());
        assertEquals(COMPLEX64, GPUArray.zeros(COMPLEX64, 3).cumsum().dtype());
    }

    @Test
    void scanKernelsScan() {
        var sum = new InclusiveScanKernel(INT32, "a + b");
        var before = new ExclusiveScanKernel(INT32, "a > b ? a : b", "-1");
        var a = GPUArray.toGpu(new int[] {3, 1, 4, 1, 5});
        assertArrayEquals(new int[] {3, 4, 8, 9, 14}, sum.call(a).getInts());
        assertArrayEquals(new int[] {-1, 3, 3, 4, 4}, before.call(a).getInts());
        assertSame(a, sum.callInPlace(a));
        assertArrayEquals(new int[] {3, 4, 8, 9, 14}, a.getInts());
        int n = 100_000;
        assertEquals(n, sum.call(GPUArray.ones(INT32, n)).at(-1).getInt());
        assertEquals(0, sum.call(GPUArray.empty(INT32, 0)).size());
        assertThrows(IllegalArgumentException.class, () -> sum.call(GPUArray.ones(FLOAT32, 3)));
        assertThrows(IllegalArgumentException.class, () -> sum.call(a, GPUArray.zeros(INT32, 4)));
    }

    /** Unreachable arrays free their memory, even while other threads are working. */
    @Test
    void threadsMayShareAndAbandonArrays() throws InterruptedException {
        var x = GPUArray.ones(FLOAT32, 1000);
        var sums = new java.util.concurrent.ConcurrentLinkedQueue<Float>();
        var threads = new Thread[3];
        for (int t = 0; t < threads.length; t++) {
            threads[t] = new Thread(() -> {
                Autoinit.init();
                for (int i = 0; i < 200; i++) {
                    var y = x.mul(2).add(x);
                    if (i % 100 == 99) {
                        System.gc();
                        sums.add(y.sum().getFloat());
                    }
                }
                Context.pop();
            });
            threads[t].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(List.of(3000f, 3000f, 3000f, 3000f, 3000f, 3000f), List.copyOf(sums));
    }

    @Test
    void slicesAreClippedToTheFirstArray() {
        var x = GPUArray.zeros(INT32, 6);
        var mark = new ElementwiseKernel(List.of(new VectorArg(INT32, "x"), new ScalarArg(INT32, "value")), "x[i] = value");
        mark.slice(Slice.from(-2)).call(x, 1);
        mark.slice(Slice.of(0, 100).by(2)).call(x, 2);
        assertArrayEquals(new int[] {2, 0, 2, 0, 2, 1}, x.getInts());
        mark.slice(Slice.ALL.by(-3)).call(x, 3);
        assertArrayEquals(new int[] {2, 0, 3, 0, 2, 3}, x.getInts());
        mark.slice(Slice.of(4, 1)).call(x, 4);
        assertArrayEquals(new int[] {2, 0, 3, 0, 2, 3}, x.getInts());
        assertThrows(IllegalArgumentException.class, () -> mark.slice(Slice.at(0)));
        assertThrows(IllegalArgumentException.class, () -> mark.slice(Slice.ALL.by(0)).call(x, 1));
    }

    @Test
    void elementwiseKernelsReadTextures() {
        var kernel = new ElementwiseKernel("float *out", "out[i] = tex1Dfetch(source, i)",
            new KernelOptions().preamble("texture<float, 1, cudaReadModeElementType> source;"));
        var source = GPUArray.toGpu(new float[] {5, 6, 7, 8});
        assertEquals(0, source.bindToTexref(kernel.texref("source")));
        var out = GPUArray.zeros(FLOAT32, 4);
        kernel.call(out);
        assertArrayEquals(new float[] {5, 6, 7, 8}, out.getFloats());
        GPUArray.ones(FLOAT32, 4).bindToTexrefExt(kernel.texref("source", true));
        kernel.range(1, 3).call(out);
        assertThrows(IllegalArgumentException.class, () -> GPUArray.ones(FLOAT64, 4).bindToTexrefExt(kernel.texref("source")));
        var doubles = new ElementwiseKernel("double *out", "out[i] = fp_tex1Dfetch(source, i)",
            new KernelOptions().preamble("#include <pycuda-helpers.hpp>\ntexture<fp_tex_double, 1, cudaReadModeElementType> source;"));
        var numbers = GPUArray.toGpu(new double[] {0.1, 0.2});
        numbers.bindToTexrefExt(doubles.texref("source"), 1, true, false, false);
        var result = GPUArray.zeros(FLOAT64, 2);
        doubles.call(result);
        assertArrayEquals(new double[] {0.1, 0.2}, result.getDoubles());
        assertThrows(IllegalArgumentException.class, () -> numbers.bindToTexrefExt(doubles.texref("source"), 2, true, false, false));
    }

    @Test
    void scansByExpressions() {
        var keep = new GenericScanKernel(INT32, "const int *x, int *out", "x[i] > 0", "a + b", "0", "if (x[i] > 0) out[prev_item] = x[i]");
        var out = GPUArray.zeros(INT32, 4);
        keep.call(GPUArray.toGpu(new int[] {0, 5, -3, 7, 9}), out);
        assertArrayEquals(new int[] {5, 7, 9, 0}, out.getInts());
        var segments = new GenericScanKernel(INT32, "const int *x, const bool *starts, int *out", "x[i]", "across_seg_boundary ? b : a + b", "0",
            "out[i] = item + (i + 1 == N ? 1000 : 0)", "starts[i]", List.of(), new KernelOptions().name("segmented"));
        segments.call(GPUArray.ones(INT32, 4), GPUArray.toGpu(new boolean[] {true, false, true, false}), out);
        assertArrayEquals(new int[] {1, 2, 1, 1002}, out.getInts());
        var changes = new GenericScanKernel(INT32, "const int *x, int *out", "i > 0 && before != x[i]", "a + b", "0", "out[i] = item", "",
            List.of(new GenericScanKernel.Fetch("before", "x", -1)), new KernelOptions());
        changes.call(GPUArray.toGpu(new int[] {4, 4, 2, 4}), out);
        assertArrayEquals(new int[] {0, 0, 1, 2}, out.getInts());
        var share = new GenericScanKernel(INT32, "const int *x, int *out", "x[i]", "a + b", "0", "out[i] = item * 100 / last_item");
        share.call(GPUArray.toGpu(new int[] {1, 1, 1, 2}), out);
        assertArrayEquals(new int[] {20, 40, 60, 100}, out.getInts());
        keep.call(GPUArray.empty(INT32, 0), out);
        assertThrows(IllegalArgumentException.class, () -> keep.call(out));
        assertThrows(IllegalArgumentException.class, () -> new GenericScanKernel.Fetch("1", "x", 0));
    }

    @Test
    void indicesBeyondAnArrayAreSkipped() {
        var x = GPUArray.toGpu(new float[] {1, 4, 9, 16});
        var differences = GPUArray.zeros(FLOAT32, 4);
        new ElementwiseKernel("const float *x, float *d", "d[i] = x[i + 1] - x[i]").call(x, differences.slice(0, 3));
        assertArrayEquals(new float[] {3, 5, 7, 0}, differences.getFloats());
        var reversed = new ElementwiseKernel("const float *x, float *d", "d[i] = x[n - 1 - i]");
        assertThrows(IllegalArgumentException.class, () -> reversed.call(x, differences.slice(0, 3)));
    }

    @Test
    void kernelsWithConditionsRunForAllOfTheFirstArray() {
        var y = GPUArray.toGpu(new float[] {7, 7, 7, 7});
        var x = GPUArray.toGpu(new float[] {1, 2});
        new ElementwiseKernel("float *y, const float *x, int m", "y[i] = i < m ? x[i] : 0.f").call(y, x, 2);
        assertArrayEquals(new float[] {1, 2, 0, 0}, y.getFloats());
        new ElementwiseKernel("float *y, float *flag", "y[i] = 1; if (i == 0) flag[i] = 42").call(y, x);
        assertArrayEquals(new float[] {1, 1, 1, 1}, y.getFloats());
        new ElementwiseKernel("float *y, const float *x", "float s = 0; for (int i = 0; i < 2; ++i) s += x[i]; y[i] = s").call(y, x);
        assertArrayEquals(new float[] {44, 44, 44, 44}, y.getFloats());
        var macro = new KernelOptions().preamble("#define PICK(condition, value) ((condition) ? (value) : 0)");
        new ElementwiseKernel("float *y, const float *x", "y[i] = PICK(i < 1, x[i])", macro).call(y, x);
        assertArrayEquals(new float[] {42, 0, 0, 0}, y.getFloats());
        var scan = new InclusiveScanKernel(FLOAT32, "a + b");
        assertThrows(IllegalArgumentException.class, () -> scan.call(y, GPUArray.zeros(INT32, 4)));
        var sum = new ReductionKernel(FLOAT32, "0", "a + b");
        assertThrows(IllegalArgumentException.class, () -> sum.call(GPUArray.zeros(INT32, 4)));
    }

    @Test
    void launchGeometryMatchesPycuda() {
        var device = Context.device();
        int max = 32 * device.attribute(DeviceAttribute.MULTIPROCESSOR_COUNT);
        int warp = device.attribute(DeviceAttribute.WARP_SIZE);
        var expected = List.of(Driver.block(warp).grid(1), Driver.block(warp).grid(3), Driver.block(2 * warp).grid(max),
            Driver.block(128).grid(max));
        List<Long> sizes = List.of(1L, 3L * warp - 1, 2L * max * warp, 1L << 40);
        for (int i = 0; i < sizes.size(); i++) {
            assertEquals(expected.get(i).toString(), GPUArray.splay(sizes.get(i)).toString());
            assertEquals(expected.get(i).toString(), GPUArray.splay(sizes.get(i), device).toString());
        }
    }
}
