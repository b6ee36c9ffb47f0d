"""Arrays on the CPU device next to NumPy, both on one core: bursts in turn, the least processor time of many, microseconds a call.
The device's result is waited for. The argument, if any, is the number of bursts."""

import os
import sys
import time

os.environ.update(PYCUDA_DRIVER="cpu", PYCUDA_CPU_THREADS="1", OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")

import numpy as np  # noqa: E402
import pycuda.autoinit  # noqa: E402, F401
import pycuda.driver as drv  # noqa: E402
from pycuda import cumath, gpuarray  # noqa: E402


def burst(call, calls):
    start = time.process_time()
    for _ in range(calls):
        call()
    return 1e6 * (time.process_time() - start) / calls


def compare(name, device, host, calls, bursts):
    def waiting():
        device()
        drv.Context.synchronize()

    times = [(burst(waiting, calls), burst(host, calls)) for _ in range(bursts)]
    here, there = (min(column) for column in zip(*times))
    print(f"{name:34} {here:9.2f} {there:9.2f} {here / there:8.2f}", flush=True)


def main():
    bursts = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    print(f"{'us a call':34} {'CPU dev.':>9} {'NumPy':>9} {'ratio':>8}")
    for n, calls in ((1000, 100), (1_000_000, 1)):
        x, y = (np.random.default_rng(seed).random(n, np.float32) for seed in range(2))
        a, b = gpuarray.to_gpu(x), gpuarray.to_gpu(y)
        compare(f"a + b of {n:,}", lambda: a + b, lambda: x + y, calls, bursts)
        compare(f"sum(a) of {n:,}", lambda: gpuarray.sum(a), lambda: x.sum(), calls, bursts)
        compare(f"sin(a) of {n:,}", lambda: cumath.sin(a), lambda: np.sin(x), calls, bursts)
        compare(f"exp(a) of {n:,}", lambda: cumath.exp(a), lambda: np.exp(x), calls, bursts)
    x, y = (np.random.default_rng(seed).random((512, 512), np.float32) for seed in range(2))
    a, b = gpuarray.to_gpu(x), gpuarray.to_gpu(y)
    compare("product of 512 x 512 matrices", lambda: a @ b, lambda: x @ y, 1, bursts // 4 + 1)


if __name__ == "__main__":
    main()
