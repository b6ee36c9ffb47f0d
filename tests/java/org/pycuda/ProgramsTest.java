package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whole kernels, compared with the same computation in Java. */
class ProgramsTest implements WithContext {
    private static final int TILE = 16;

    @Test
    void tiledMatrixProduct() {
        var multiply = Kernels.module("""
            #define TILE 16
            __global__ void multiply(float *c, const float *a, const float *b, int n)
            {
                __shared__ float a_tile[TILE][TILE];
                __shared__ float b_tile[TILE][TILE];
                int row = blockIdx.y * TILE + threadIdx.y;
                int column = blockIdx.x * TILE + threadIdx.x;
                float sum = 0;
                for (int tile = 0; tile < n / TILE; tile++) {
                    a_tile[threadIdx.y][threadIdx.x] = a[row * n + tile * TILE + threadIdx.x];
                    b_tile[threadIdx.y][threadIdx.x] = b[(tile * TILE + threadIdx.y) * n + column];
                    __syncthreads();
                    for (int k = 0; k < TILE; k++) sum += a_tile[threadIdx.y][k] * b_tile[k][threadIdx.x];
                    __syncthreads();
                }
                c[row * n + column] = sum;
            }
            """).function("multiply");
        int n = 64;
        var random = new Random(7);
        var a = new float[n * n];
        var b = new float[n * n];
        for (int i = 0; i < n * n; i++) {
            a[i] = random.nextInt(16);  // products and sums are exact
            b[i] = random.nextInt(16);
        }
        var expected = new float[n * n];
        for (int row = 0; row < n; row++) {
            for (int k = 0; k < n; k++) {
                for (int column = 0; column < n; column++) {
                    expected[row * n + column] += a[row * n + k] * b[k * n + column];
                }
            }
        }
        var c = new float[n * n];
        multiply.launch(Driver.block(TILE, TILE).grid(n / TILE, n / TILE), Driver.out(c), Driver.in(a), Driver.in(b), n);
        assertArrayEquals(expected, c);
    }

    @Test
    void mandelbrotWithDivergentThreads() {
        var mandelbrot = Kernels.module("""
            __global__ void mandelbrot(int *counts, int width, int height, int limit)
            {
                int x = blockIdx.x * blockDim.x + threadIdx.x;
                int y = blockIdx.y * blockDim.y + threadIdx.y;
                if (x >= width || y >= height) return;
                double cr = -2.0 + __ddiv_rn(__dmul_rn(3.0, x), width);
                double ci = -1.0 + __ddiv_rn(__dmul_rn(2.0, y), height);
                double zr = 0, zi = 0;
                int count = 0;
                while (count < limit && __dadd_rn(__dmul_rn(zr, zr), __dmul_rn(zi, zi)) <= 4.0) {
                    double next = __dadd_rn(__dsub_rn(__dmul_rn(zr, zr), __dmul_rn(zi, zi)), cr);
                    zi = __dadd_rn(__dmul_rn(2.0, __dmul_rn(zr, zi)), ci);
                    zr = next;
                    count++;
                }
                counts[y * width + x] = count;
            }
            """).function("mandelbrot");
        int width = 100;
        int height = 70;
        int limit = 200;
        var expected = new int[width * height];
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                double cr = -2.0 + 3.0 * x / width;
                double ci = -1.0 + 2.0 * y / height;
                double zr = 0;
                double zi = 0;
                int count = 0;
                while (count < limit && zr * zr + zi * zi <= 4.0) {
                    double next = zr * zr - zi * zi + cr;
                    zi = 2.0 * (zr * zi) + ci;
                    zr = next;
                    count++;
                }
                expected[y * width + x] = count;
            }
        }
        var counts = new int[width * height];
        mandelbrot.launch(Driver.block(16, 16).grid((width + 15) / 16, (height + 15) / 16), Driver.out(counts), width, height, limit);
        assertArrayEquals(expected, counts);
    }

    @Test
    void blockReduction() {
        var sum = Kernels.module("""
            __global__ void sum(long long *out, const int *in, int n)
            {
                __shared__ long long partial[256];
                long long mine = 0;
                for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) mine += in[i];
                partial[threadIdx.x] = mine;
                __syncthreads();
                for (int half = blockDim.x / 2; half > 0; half /= 2) {
                    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
                    __syncthreads();
                }
                if (threadIdx.x == 0) atomicAdd((unsigned long long *) out, (unsigned long long) partial[0]);
            }
            """).function("sum");
        var in = new Random(3).ints(100_003, -1000, 1_000_000).toArray();
        long expected = 0;
        for (int value : in) {
            expected += value;
        }
        var out = new long[1];
        sum.launch(Driver.block(256).grid(24), Driver.inOut(out), Driver.in(in), in.length);
        assertEquals(expected, out[0]);
    }

    @Tag("child")
    @Test
    void helloGpu() {
        var hello = ChildJvm.run(HelloGpuMain.class);
        assertEquals(0, hello.status(), hello.err());
        String lastLine = hello.out().lines().reduce("", (before, line) -> line);
        String[] differences = lastLine.strip().split(" ");
        assertEquals(400, differences.length);
        for (String difference : differences) {
            assertEquals(0.0, Double.parseDouble(difference));
        }
    }

    /** The example, which is in the unnamed package. */
    static final class HelloGpuMain {
        public static void main(String[] arguments) throws ReflectiveOperationException {
            Class.forName("HelloGpu").getMethod("main", String[].class).invoke(null, (Object) arguments);
        }
    }
}
