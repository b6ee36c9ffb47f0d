"""numba-cuda: what a program's own tests do with kernels."""

import numpy as np
from numba import cuda, float32


@cuda.jit
def axpy(a, x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] += a * x[i]


@cuda.jit
def block_sums(x, sums):
    shared = cuda.shared.array(128, float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    shared[t] = x[i] if i < x.size else 0
    cuda.syncthreads()
    step = 64
    while step:
        if t < step:
            shared[t] += shared[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        cuda.atomic.add(sums, 0, shared[0])


def test_elements():
    x, y = np.arange(1000, dtype=np.float32), np.ones(1000, np.float32)
    axpy[8, 128](2, x, y)
    np.testing.assert_array_equal(y, 2 * x + 1)


def test_shared_memory_and_atomics():
    x, sums = np.ones(1000, np.float32), np.zeros(1, np.float32)
    block_sums[8, 128](x, sums)
    assert sums[0] == 1000


def test_device_arrays_and_streams():
    stream = cuda.stream()
    x = cuda.to_device(np.full(64, 3, np.float32), stream=stream)
    y = cuda.to_device(np.zeros(64, np.float32), stream=stream)
    for _ in range(3):
        axpy[1, 64, stream](1, x, y)
    assert (y.copy_to_host(stream=stream) == 9).all()
