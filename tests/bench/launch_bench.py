"""Time of a launch from Python, as launch_bench.cpp measures plain C: a kernel of three pointers and an int, one block of 32 threads,
bursts of 20 launches after a synchronise, median of 300 bursts, microseconds a launch; and of small allocations and copies."""

import statistics
from time import perf_counter

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as drv
from pycuda.compiler import SourceModule

BURST, BURSTS, WARM_UP = 20, 300, 3000

SOURCE = """
__global__ void add(float *dest, const float *a, const float *b, int n)
{
    int i = threadIdx.x;
    if (i < n) dest[i] = a[i] + b[i];
}
"""


def measure(name, action):
    synchronize = drv.Context.synchronize
    for i in range(WARM_UP):
        action()
        if i % BURST == 0:
            synchronize()
    times = []
    for _ in range(BURSTS):
        synchronize()
        start = perf_counter()
        for _ in range(BURST):
            action()
        times.append((perf_counter() - start) / BURST)
    synchronize()
    print(f"{name:32} {1e6 * statistics.median(times):8.3f}", flush=True)


def main():
    add = SourceModule(SOURCE).get_function("add")
    a, b, dest = (drv.mem_alloc(128) for _ in range(3))
    n, block, grid, stream = np.int32(32), (32, 1, 1), (1, 1), drv.Stream()
    measure("python empty call", lambda: None)
    measure("python __call__", lambda: add(dest, a, b, n, block=block, grid=grid))
    measure("python __call__ on a stream", lambda: add(dest, a, b, n, block=block, grid=grid, stream=stream))
    add.prepare("PPPi")
    measure("python prepared_call", lambda: add.prepared_call(grid, block, dest, a, b, 32))
    measure("python prepared_async_call", lambda: add.prepared_async_call(grid, block, stream, dest, a, b, 32))
    array = np.zeros(400, np.float32)
    memory = drv.mem_alloc(array.nbytes)
    measure("python mem_alloc+free 1 MB", lambda: drv.mem_alloc(1 << 20).free())
    measure("python memcpy_htod 1600 B", lambda: drv.memcpy_htod(memory, array))


if __name__ == "__main__":
    main()
