"""Fused functions on large arrays, next to the separate operations and to kernels written by hand: microseconds on the device, the median of 20 calls. `./dev run
.venv/bin/python tests/bench/fuse_bench.py [ELEMENTS]`, 2**24 unless given; on the CPU device fewer are better. Then a call of 1,024 floats on the host, next to a + b."""

import statistics
import sys
import time

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as drv
from pycuda import cumath, gpuarray
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel

ROUNDS = 20


def microseconds(call):
    """The median time of a call on the device, the host's part left out: ten calls between two events."""
    times, repeats = [], 10
    for _ in range(ROUNDS + 3):
        start, end = drv.Event(), drv.Event()
        drv.Context.synchronize()
        start.record()
        for _ in range(repeats):
            call()
        end.record()
        end.synchronize()
        times.append(1e3 * end.time_since(start) / repeats)
    return statistics.median(times[3:])


def host_microseconds(call, calls=2000):
    times = []
    for _ in range(5):
        drv.Context.synchronize()
        begin = time.perf_counter()
        for _ in range(calls):
            call()
        times.append((time.perf_counter() - begin) / calls * 1e6)
    return min(times)


def activation(a, b):
    return cumath.tanh(a * b + a)


def distance(a, b):
    return ((a - b)**2).mean()


def main():
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 2**24
    a, b = (gpuarray.to_gpu(np.random.default_rng(k).standard_normal(n).astype(np.float32)) for k in range(2))
    out = gpuarray.empty_like(a)
    by_hand = ElementwiseKernel("float *out, const float *a, const float *b", "out[i] = tanhf(a[i] * b[i] + a[i])")
    reduced = ReductionKernel(np.float32, "0", "a + b", "(x[i] - y[i]) * (x[i] - y[i])", "const float *x, const float *y")
    print(f"{n} floats on {drv.Device(0).name()}, us")
    for name, function, hand in (("tanh(a * b + a)", activation, lambda: by_hand(out, a, b)), ("((a - b)**2).mean()", distance, lambda: reduced(a, b))):
        fused, fast = gpuarray.fuse(function), gpuarray.fuse(function, fast=True)
        assert fused(a, b).get().tobytes() == function(a, b).get().tobytes()
        print(f"{name:24} separate {microseconds(lambda: function(a, b)):8.1f}   fused {microseconds(lambda: fused(a, b)):8.1f}   "
              f"fast {microseconds(lambda: fast(a, b)):8.1f}   by hand {microseconds(hand):8.1f}")
    a, b = a[:1024].copy(), b[:1024].copy()
    fused = gpuarray.fuse(activation)
    fused(a, b), a + b
    print(f"host, 1,024 floats: a + b {host_microseconds(lambda: a + b):6.2f}   fused(a, b) {host_microseconds(lambda: fused(a, b)):6.2f}")


if __name__ == "__main__":
    main()
