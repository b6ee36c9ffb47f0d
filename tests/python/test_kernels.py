"""Whole programs compared with NumPy: shared memory, barriers, divergence, atomics, constant memory."""

import numpy as np
import pycuda.driver as drv
import pytest
from pycuda.compiler import SourceModule


def test_tiled_matrix_product(context):
    tile, m, k, n = 16, 100, 70, 90
    product = SourceModule("""
    #define TILE %d
    __global__ void product(float *c, const float *a, const float *b, int m, int k, int n)
    {
        __shared__ float as[TILE][TILE], bs[TILE][TILE];
        const int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
        float sum = 0;
        for (int start = 0; start < k; start += TILE) {
            const int i = start + threadIdx.x, j = start + threadIdx.y;
            as[threadIdx.y][threadIdx.x] = row < m && i < k ? a[row * k + i] : 0;
            bs[threadIdx.y][threadIdx.x] = j < k && column < n ? b[j * n + column] : 0;
            __syncthreads();
            for (int t = 0; t < TILE; ++t) sum += as[threadIdx.y][t] * bs[t][threadIdx.x];
            __syncthreads();
        }
        if (row < m && column < n) c[row * n + column] = sum;
    }""" % tile).get_function("product")
    a, b = np.random.rand(m, k).astype(np.float32), np.random.rand(k, n).astype(np.float32)
    c = np.zeros((m, n), np.float32)
    product(drv.Out(c), drv.In(a), drv.In(b), np.int32(m), np.int32(k), np.int32(n),
            block=(tile, tile, 1), grid=((n + tile - 1) // tile, (m + tile - 1) // tile))
    np.testing.assert_allclose(c, a @ b, rtol=1e-5)


def test_divergent_mandelbrot(context):
    width, height, limit = 96, 64, 200
    mandelbrot = SourceModule("""
    __global__ void mandelbrot(int *counts, int width, int height, int limit)
    {
        const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
        if (x >= width || y >= height) return;
        const double cr = __dadd_rn(__dmul_rn(3.0 / width, x), -2.25), ci = __dadd_rn(__dmul_rn(2.0 / height, y), -1.0);
        double zr = 0, zi = 0;
        int count = 0;
        while (count < limit) {
            const double r2 = __dmul_rn(zr, zr), i2 = __dmul_rn(zi, zi);
            if (__dadd_rn(r2, i2) > 4) break;
            zi = __dadd_rn(__dmul_rn(__dmul_rn(2, zr), zi), ci);
            zr = __dadd_rn(__dadd_rn(r2, -i2), cr);
            ++count;
        }
        counts[y * width + x] = count;
    }""").get_function("mandelbrot")
    counts = np.zeros((height, width), np.int32)
    mandelbrot(drv.Out(counts), np.int32(width), np.int32(height), np.int32(limit), block=(32, 4, 1), grid=(3, 16))

    cr, ci = np.meshgrid(3.0 / width * np.arange(width) - 2.25, 2.0 / height * np.arange(height) - 1.0)
    zr, zi, expected, inside = np.zeros_like(cr), np.zeros_like(cr), np.zeros_like(counts), np.ones(cr.shape, bool)
    for _ in range(limit):
        r2, i2 = zr * zr, zi * zi
        inside &= r2 + i2 <= 4
        zr, zi = np.where(inside, r2 - i2 + cr, zr), np.where(inside, 2 * zr * zi + ci, zi)
        expected += inside
    assert (counts == expected).all()
    assert len(np.unique(counts)) > 50


@pytest.mark.parametrize("count", [1, 31, 1000, 100_000])
def test_block_reduction(context, count):
    reduce = SourceModule("""
    __global__ void reduce(long long *sum, const int *data, int count)
    {
        extern __shared__ long long partial[];
        long long mine = 0;
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) mine += data[i];
        partial[threadIdx.x] = mine;
        __syncthreads();
        for (int half = blockDim.x / 2; half > 0; half /= 2) {
            if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
            __syncthreads();
        }
        if (threadIdx.x == 0) atomicAdd((unsigned long long *)sum, (unsigned long long)partial[0]);
    }""").get_function("reduce")
    data = np.random.randint(-1 << 30, 1 << 30, count).astype(np.int32)
    total = np.zeros((), np.int64)
    reduce(drv.InOut(total), drv.In(data), np.int32(count), block=(128, 1, 1), grid=(8, 1), shared=128 * 8)
    assert total == data.sum(dtype=np.int64)


def test_constant_memory(context):
    module = SourceModule("""
    __constant__ float weights[3];
    __global__ void smooth(float *out, const float *in, int count)
    {
        const int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i >= 1 && i < count - 1) out[i] = weights[0] * in[i - 1] + weights[1] * in[i] + weights[2] * in[i + 1];
    }""")
    weights = np.array([0.25, 0.5, 0.25], np.float32)
    pointer, size = module.get_global("weights")
    assert size == weights.nbytes
    drv.memcpy_htod(pointer, weights)
    data = np.random.rand(1000).astype(np.float32)
    out = np.zeros_like(data)
    module.get_function("smooth")(drv.InOut(out), drv.In(data), np.int32(1000), block=(256, 1, 1), grid=(4, 1))
    np.testing.assert_allclose(out[1:-1], np.convolve(data, weights, "valid"), rtol=1e-6)


def test_streams_overlap_correctly(context):
    add = SourceModule("""
    __global__ void add(int *data, int value, int count)
    {
        const int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < count) data[i] = data[i] * 3 + value;
    }""").get_function("add")
    count, streams = 1 << 14, [drv.Stream() for _ in range(4)]
    memories = [drv.to_device(np.zeros(count, np.int32)) for _ in streams]
    for value in range(5):
        for stream, memory in zip(streams, memories):
            add(memory, np.int32(value), np.int32(count), block=(128, 1, 1), grid=(count // 128, 1), stream=stream)
    expected = 0
    for value in range(5):
        expected = expected * 3 + value
    for stream, memory in zip(streams, memories):
        stream.synchronize()
        assert (drv.from_device(memory, count, np.int32) == expected).all()
