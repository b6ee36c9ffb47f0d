"""Launches and small calls from Python next to the same in plain C (plain_driver.hpp, whose library the argument names), in one
process: they take turns in bursts of 20 calls after a synchronise; medians of 300 bursts, microseconds a call."""

import ctypes
import statistics
import sys
from time import perf_counter

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as drv

BURST, BURSTS, WARM_UP = 20, 300, 150


def burst(action):
    drv.Context.synchronize()
    start = perf_counter()
    for _ in range(BURST):
        action()
    return 1e6 * (perf_counter() - start) / BURST


def compare(name, plain, action):
    times = [(plain(BURST), burst(action)) for _ in range(WARM_UP + BURSTS)][WARM_UP:]
    in_c, in_python = (statistics.median(column) for column in zip(*times))
    print(f"{name:34} {in_c:9.3f} {in_python:9.3f} {in_python / in_c:8.3f}", flush=True)


def plain_driver(path):
    library = ctypes.PyDLL(path)
    library.plain_kernel.restype = ctypes.c_char_p
    for function in library.plain_launch, library.plain_allocate_free, library.plain_copy:
        function.restype = ctypes.c_double
    result = library.plain_open()
    if result:
        raise RuntimeError(f"plain C: error {result}")
    return library


def main():
    plain = plain_driver(sys.argv[1])
    add = drv.module_from_buffer(plain.plain_kernel()).get_function("add")
    a, b, dest = (drv.mem_alloc(128) for _ in range(3))
    n, block, grid, stream = np.int32(32), (32, 1, 1), (1, 1), drv.Stream()
    array = np.zeros(400, np.float32)
    memory = drv.mem_alloc(array.nbytes)

    print(f"{'us a call':34} {'plain C':>9} {'Python':>9} {'ratio':>8}")
    compare("__call__", plain.plain_launch, lambda: add(dest, a, b, n, block=block, grid=grid))
    compare("__call__ on a stream", plain.plain_launch, lambda: add(dest, a, b, n, block=block, grid=grid, stream=stream))
    add.prepare("PPPi")
    compare("prepared_call", plain.plain_launch, lambda: add.prepared_call(grid, block, dest, a, b, 32))
    compare("prepared_async_call", plain.plain_launch, lambda: add.prepared_async_call(grid, block, stream, dest, a, b, 32))
    compare("mem_alloc and free, 1 MB", plain.plain_allocate_free, lambda: drv.mem_alloc(1 << 20).free())
    compare("memcpy_htod, 1,600 bytes", plain.plain_copy, lambda: drv.memcpy_htod(memory, array))


if __name__ == "__main__":
    main()
