package org.pycuda;

import java.util.concurrent.ConcurrentHashMap;
import org.pycuda.compiler.SourceModule;

/** Kernels that several test classes use, compiled once in Autoinit's context. */
final class Kernels {
    private static final ConcurrentHashMap<String, SourceModule> MODULES = new ConcurrentHashMap<>();

    private static final String SOURCE = """
        struct Pair { int first; double second; };

        __device__ int counter = 7;
        __constant__ float weights[16];

        __global__ void axpy(float *y, const float *x, float a, int n)
        {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) y[i] += a * x[i];
        }

        __global__ void fill(int *out, int value, int n)
        {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) out[i] = value;
        }

        // A long kernel: about 50 ms on a GPU.
        __global__ void busy(int *out, int rounds)
        {
            int x = rounds;
            for (int i = 0; i < rounds; i++) x = x * 1664525 + 1013904223;
            out[0] = x;
        }

        // Every size a Java value can have, at offsets with gaps between them.
        __global__ void mixed(double *out, signed char b, short h, int i, long long l, float f, double d, bool flag,
                              unsigned short c)
        {
            out[0] = b; out[1] = h; out[2] = i; out[3] = (double) l; out[4] = f; out[5] = d; out[6] = flag; out[7] = c;
        }

        // A half, bytes, a complex number and an array, as bits.
        __global__ void rare(double *out, unsigned short half, Pair pair, float2 complex, char letter)
        {
            out[0] = half; out[1] = pair.first; out[2] = pair.second; out[3] = complex.x; out[4] = complex.y; out[5] = letter;
        }

        __global__ void take_pair(double *out, Pair pair, int scale)
        {
            out[0] = pair.first * scale;
            out[1] = pair.second * scale;
        }

        __global__ void geometry(int *out)
        {
            extern __shared__ int scratch[];
            int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
            scratch[thread] = 1;
            __syncthreads();
            if (thread == 0) {
                int sum = 0;
                int threads = blockDim.x * blockDim.y * blockDim.z;
                for (int i = 0; i < threads; i++) sum += scratch[i];
                int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
                out[block] = sum;
            }
        }

        __global__ void nothing() {}
        """;

    private Kernels() {}

    static SourceModule module() {
        return module(SOURCE);
    }

    static SourceModule module(String source) {
        Autoinit.init();
        return MODULES.computeIfAbsent(source, SourceModule::new);
    }

    static Function get(String name) {
        return module().function(name);
    }
}
