package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.pycuda.compiler.SourceModule;

/** Host data of every form, and buffers that other threads change at the same time. */
class HostDataTest implements WithContext {
    private static final SourceModule.Options PLAIN = new SourceModule.Options();

    private static Function kernel(String source) {
        return new SourceModule(source, PLAIN).function("f");
    }

    @Test
    void booleansArePassedAsBytes() {
        var f = kernel("extern \"C\" __global__ void f(bool *x, const bool *y) { x[threadIdx.x] = !y[threadIdx.x]; }");
        var out = new boolean[5];
        f.launch(Driver.block(5), Driver.out(out), Driver.in(new boolean[] {true, false, true, true, false}));
        assertArrayEquals(new boolean[] {false, true, false, false, true}, out);
        try (var memory = Driver.toDevice(out)) {
            assertEquals(5, memory.size());
            assertArrayEquals(out, Driver.fromDeviceLike(memory, new boolean[5]));
            assertArrayEquals(new byte[] {0, 1, 0, 0, 1}, Driver.fromDevice(memory, 5, byte[].class));
        }
    }

    @Test
    void nestedArraysAreRows() {
        var f = kernel("extern \"C\" __global__ void f(float *x) { x[threadIdx.x] += threadIdx.x; }");
        float[][] rows = {{0, 10, 20}, {30, 40, 50}};
        f.launch(Driver.block(6), Driver.inOut(rows));
        assertArrayEquals(new float[][] {{0, 11, 22}, {33, 44, 55}}, rows);
        var array = GPUArray.toGpu(new int[][][] {{{1}, {2}}, {{3}, {4}}, {{5}, {6}}});
        assertArrayEquals(new long[] {3, 2, 1}, array.shape());
        assertEquals(DType.INT32, array.dtype());
        assertArrayEquals(new int[] {1, 2, 3, 4, 5, 6}, array.getInts());
        assertEquals(DType.BOOL, GPUArray.toGpu(new boolean[][] {{true}, {false}}).dtype());
        assertArrayEquals(new long[] {2, 0}, GPUArray.toGpu(new double[2][0]).shape());
        assertArrayEquals(new long[] {0, 0}, GPUArray.toGpu(new double[0][3]).shape());
        assertArrayEquals(new int[][] {{1, 2}, {3, 4}, {5, 6}}, array.reshape(3, 2).getInto(new int[3][2]));
    }

    @Test
    void unsupportedHostDataIsRejected() {
        for (Object[] wrong : new Object[][] {{"text"}, {1, 2}, new String[0], new float[][] {{1}, {2, 3}}, new float[][] {{1}, null},
            new Object[] {new float[1]}, new float[][][] {{{1}}, {}}}) {
            assertThrows(IllegalArgumentException.class, () -> Driver.in(wrong));
            assertThrows(IllegalArgumentException.class, () -> GPUArray.toGpu(wrong));
        }
        var error = assertThrows(IllegalArgumentException.class, () -> Driver.out(new float[][] {{1, 2}, {3}}));
        assertTrue(error.getMessage().contains("expected 2 elements, not 1"), error.getMessage());
    }

    @Test
    void arraysKeepTheirShape() {
        var table = GPUArray.arange(DType.FLOAT32, 6).reshape(2, 3);
        assertArrayEquals(new float[][] {{0, 1, 2}, {3, 4, 5}}, table.get(float[][].class));
        assertArrayEquals(new float[][] {{0, 3}, {1, 4}, {2, 5}}, table.transpose().get(float[][].class));
        assertArrayEquals(new boolean[][] {{false, false, true}, {true, true, true}}, table.gt(1).get(boolean[][].class));
        assertArrayEquals(new byte[][] {{0, 1, 2}, {3, 4, 5}}, table.astype(DType.INT8).get(byte[][].class));
        assertArrayEquals(new float[] {0, 1, 2}, table.at(0).get(float[].class));
        assertEquals(0, GPUArray.zeros(DType.INT64, 0, 2).get(long[][].class).length);
        assertArrayEquals(new byte[] {1, 0}, GPUArray.zeros(DType.UINT8, 2).set(new boolean[] {true, false}).getBytes());
        assertArrayEquals(new boolean[] {true, false, true}, GPUArray.toGpu(new byte[] {-1, 0, 2}).getBooleans(), "any other than 0 is true");
        assertArrayEquals(new boolean[] {false, true, true, true, true, true}, table.getBooleans());
        assertArrayEquals(new boolean[] {false, true}, GPUArray.arange(DType.COMPLEX64, 2).mul(new Complex(0, 1)).getBooleans());
        assertThrows(IllegalArgumentException.class, () -> table.getInto(new boolean[5]));
        assertThrows(IllegalArgumentException.class, () -> table.set(new boolean[6]), "numbers are not made of booleans");
        for (Class<?> wrong : new Class<?>[] {float[].class, int[][].class, float[][][].class, String[][].class, float.class, Float.class}) {
            assertThrows(IllegalArgumentException.class, () -> table.get(wrong), wrong.getName());
        }
        var error = assertThrows(IllegalArgumentException.class, () -> GPUArray.arange(DType.INT32, 6).get(int[][].class));
        assertTrue(error.getMessage().contains("expected int[].class for an array of INT32 with 1 axis, not int[][]"), error.getMessage());
        error = assertThrows(IllegalArgumentException.class, () -> GPUArray.zeros(Vec.FLOAT2, 2).get(float[][].class));
        assertTrue(error.getMessage().contains("expected float[].class"), error.getMessage());
    }

    @Test
    void rowsWithMoreElementsThanAnArrayCanHaveAreRefused() {
        byte[] row = new byte[1 << 20];
        byte[][] rows = new byte[1 << 12][];
        java.util.Arrays.fill(rows, row);
        var error = assertThrows(IllegalArgumentException.class, () -> HostCopies.htod(0, rows, Stream.DEFAULT));
        assertTrue(error.getMessage().contains("4294967296 elements is too large to be copied at once"), error.getMessage());
    }

    /** Runs in a separate JVM, because without care this crashes it. */
    static final class Movers {
        private static final int SIZE = 1 << 20;

        public static void main(String[] arguments) throws InterruptedException {
            Autoinit.init();
            var stop = new AtomicBoolean();
            var buffer = ByteBuffer.allocateDirect(SIZE);
            var mover = new Thread(() -> {
                while (!stop.get()) {
                    buffer.position(SIZE).position(0).limit(SIZE / 2).limit(SIZE);
                }
            });
            mover.setDaemon(true);
            mover.start();
            var f = kernel("extern \"C\" __global__ void f(char *x) { }");
            int refused = 0;
            try (var memory = Driver.memAlloc(SIZE); var stream = new Stream()) {
                for (int i = 0; i < 600; i++) {
                    try {
                        switch (i % 6) {
                            case 0 -> Driver.memcpyHtod(memory, buffer);
                            case 1 -> Driver.memcpyDtoh(buffer, memory);
                            case 2 -> Driver.memcpyHtodAsync(memory, buffer, stream);
                            case 3 -> Driver.memcpyDtohAsync(buffer, memory, stream);
                            case 4 -> f.launch(Driver.block(1), Driver.inOut(buffer));
                            default -> GPUArray.toGpu(buffer).close();
                        }
                    } catch (IllegalArgumentException moved) {
                        refused++;
                    }
                }
                stream.synchronize();
            }
            stop.set(true);
            mover.join();
            System.out.println("done, refused " + (refused < 600));
        }
    }

    @Test
    @Tag("child")
    void aBufferChangedByAnotherThreadIsHarmless() {
        var child = ChildJvm.run(Movers.class);
        assertEquals("done, refused true", child.out().strip(), child.err());
    }

    @Test
    void allocationOnAnInterruptedThreadCollectsGarbage() {
        long max = Driver.memGetInfo().total() / 8;
        int failures = 0;
        for (int i = 0; i < 30; i++) {
            Thread.currentThread().interrupt();
            try {
                Driver.memAlloc(max);
            } catch (Driver.MemoryError error) {
                failures++;
            }
            assertTrue(Thread.interrupted(), "the interrupt was lost");
        }
        assertEquals(0, failures);
        Cleanup.collectGarbage();
        assertFalse(Thread.interrupted());
    }
}
